package embedded

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// chdb is libchdb in this process's memory. There is one in a child's life: the library keeps process-wide state (one data
// directory, one set of threads), and half a gigabyte of it is never unloaded.
//
// The fields have the C signatures of chdb.h; pointers from C stay pointers into C memory and are given back to C.
type chdb struct {
	setSignalHandlersEnabled func(enabled int32)
	connect                  func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	closeConn                func(conn unsafe.Pointer)
	shutdown                 func() int32

	queryN           func(conn, query unsafe.Pointer, queryLen uint, format unsafe.Pointer, formatLen uint) unsafe.Pointer
	queryWithParamsN func(conn, query unsafe.Pointer, queryLen uint, format unsafe.Pointer, formatLen uint,
		names, nameLens, values, valueLens unsafe.Pointer, count uint) unsafe.Pointer
	destroyResult func(result unsafe.Pointer)
	resultBuffer  func(result unsafe.Pointer) unsafe.Pointer
	resultLength  func(result unsafe.Pointer) uint
	resultError   func(result unsafe.Pointer) string

	streamInsertWithParamsN func(conn, query unsafe.Pointer, queryLen uint, format unsafe.Pointer, formatLen uint,
		names, nameLens, values, valueLens unsafe.Pointer, count uint) unsafe.Pointer
	streamAppend        func(stream, data unsafe.Pointer, n uint) int32
	streamDone          func(stream unsafe.Pointer) unsafe.Pointer
	streamCancelInsert  func(stream unsafe.Pointer)
	streamInsertError   func(stream unsafe.Pointer) string
	destroyInsertStream func(stream unsafe.Pointer)
}

// loadChdb maps the library at path and takes chDB's signal handlers out of the way.
func loadChdb(path string) (*chdb, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("load the ClickHouse library %s: %w", path, err)
	}
	c := new(chdb)
	for name, fn := range map[string]any{
		"chdb_set_signal_handlers_enabled": &c.setSignalHandlersEnabled,
		"chdb_connect":                     &c.connect,
		"chdb_close_conn":                  &c.closeConn,
		"chdb_shutdown":                    &c.shutdown,
		"chdb_query_n":                     &c.queryN,
		"chdb_query_with_params_n":         &c.queryWithParamsN,
		"chdb_destroy_query_result":        &c.destroyResult,
		"chdb_result_buffer":               &c.resultBuffer,
		"chdb_result_length":               &c.resultLength,
		"chdb_result_error":                &c.resultError,
		"chdb_stream_insert_with_params_n": &c.streamInsertWithParamsN,
		"chdb_stream_append":               &c.streamAppend,
		"chdb_stream_done":                 &c.streamDone,
		"chdb_stream_cancel_insert":        &c.streamCancelInsert,
		"chdb_stream_insert_error":         &c.streamInsertError,
		"chdb_destroy_insert_stream":       &c.destroyInsertStream,
	} {
		symbol, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("the ClickHouse library %s has no %s, it is not chDB %s: %w", path, name, Version, err)
		}
		purego.RegisterFunc(fn, symbol)
	}
	err = keepSignalHandlers(func() { c.setSignalHandlersEnabled(0) })
	return c, err
}

// open makes a connection. All connections of a process share one engine and one data directory; the first starts the
// engine with the server-level arguments, and each takes the query-level ones (--name=value) for itself, like SET.
func (c *chdb) open(args ...string) (*connection, error) {
	argv := make([]unsafe.Pointer, 0, len(args)+2)
	var pin runtime.Pinner
	defer pin.Unpin()
	for _, arg := range append([]string{"clickhouse"}, args...) {
		b := append([]byte(arg), 0)
		pin.Pin(&b[0])
		argv = append(argv, unsafe.Pointer(&b[0]))
	}
	argv = append(argv, nil)
	pin.Pin(&argv[0])

	var handle unsafe.Pointer
	if err := keepSignalHandlers(func() { handle = c.connect(int32(len(args)+1), unsafe.Pointer(&argv[0])) }); err != nil {
		return nil, err
	}
	if handle == nil {
		return nil, errors.New("chDB refused to open: " + strings.Join(args, " "))
	}
	return &connection{lib: c, handle: handle}, nil
}

// connection runs one statement at a time; its settings and current database are its own.
type connection struct {
	lib    *chdb
	handle unsafe.Pointer // chdb_connection *
}

func (c *connection) conn() unsafe.Pointer { return *(*unsafe.Pointer)(c.handle) }

func (c *connection) close() { c.lib.closeConn(c.handle) }

// query runs sql and gives its whole result, which lies in C memory until release.
func (c *connection) query(sql []byte, format string, params ...param) (*result, error) {
	f := []byte(format)
	defer runtime.KeepAlive(f)
	defer runtime.KeepAlive(sql)
	if len(params) == 0 {
		return c.lib.result(c.lib.queryN(c.conn(), pointer(sql), uint(len(sql)), pointer(f), uint(len(f))))
	}
	p := pinParams(params)
	defer p.pin.Unpin()
	return c.lib.result(c.lib.queryWithParamsN(c.conn(), pointer(sql), uint(len(sql)), pointer(f), uint(len(f)),
		unsafe.Pointer(&p.names[0]), unsafe.Pointer(&p.nameLens[0]), unsafe.Pointer(&p.values[0]), unsafe.Pointer(&p.valueLens[0]), uint(len(params))))
}

// result is what a statement gave.
type result struct {
	lib    *chdb
	handle unsafe.Pointer
}

func (c *chdb) result(handle unsafe.Pointer) (*result, error) {
	if handle == nil {
		return nil, errors.New("chDB gave no result, its connection is closed")
	}
	r := &result{lib: c, handle: handle}
	if text := c.resultError(handle); text != "" {
		r.release()
		return nil, parseException(text)
	}
	return r, nil
}

// bytes is C memory, valid until release.
func (r *result) bytes() []byte {
	n := r.lib.resultLength(r.handle)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(r.lib.resultBuffer(r.handle)), n)
}

func (r *result) release() { r.lib.destroyResult(r.handle) }

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
