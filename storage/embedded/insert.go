package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"unsafe"
)

// insertChunk is how much of an insert's data is in hand at once.
const insertChunk = 256 << 10

// insert feeds a request's data to the engine as it comes. What the client sends half is not committed.
func (l *lease) insert(ctx context.Context, q request) (*result, error) {
	sql, format := q.insert.statement, []byte(q.insert.format)
	defer runtime.KeepAlive(sql)
	defer runtime.KeepAlive(format)
	p := pinParams(q.params)
	defer p.pin.Unpin()
	stream := l.lib.streamInsertWithParamsN(l.conn(), pointer(sql), uint(len(sql)), pointer(format), uint(len(format)),
		unsafe.Pointer(&p.names[0]), unsafe.Pointer(&p.nameLens[0]), unsafe.Pointer(&p.values[0]), unsafe.Pointer(&p.valueLens[0]), uint(len(q.params)))
	defer l.lib.destroyInsertStream(stream)
	if text := l.lib.streamInsertError(stream); text != "" {
		return nil, parseException(text)
	}
	for chunk, more := make([]byte, insertChunk), true; more; {
		n, err := fill(q.data, chunk)
		more = err == nil
		if err != nil && !errors.Is(err, io.EOF) {
			l.lib.streamCancelInsert(stream)
			return nil, newException(codeCancelled, "QUERY_WAS_CANCELLED", fmt.Sprintf("The data of the insert broke off: %v", err))
		}
		if n > 0 && l.lib.streamAppend(stream, pointer(chunk), uint(n)) != 0 {
			break // streamDone tells the reason
		}
	}
	if ctx.Err() != nil {
		l.lib.streamCancelInsert(stream)
		return nil, newException(codeCancelled, "QUERY_WAS_CANCELLED", "The request ended before its insert was committed")
	}
	return l.lib.result(l.lib.streamDone(stream))
}

// fill reads until the chunk is full or the data ends. Not io.ReadFull: that gives ErrUnexpectedEOF for a short last chunk,
// which is also what a request body gives that breaks off, and only one of the two may be committed.
func fill(r io.Reader, chunk []byte) (n int, err error) {
	for n < len(chunk) && err == nil {
		var m int
		m, err = r.Read(chunk[n:])
		n += m
	}
	return n, err
}
