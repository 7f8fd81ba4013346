package storage

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"

	"meridian/streaming"
)

// block is rows of one table, ready to be sent: it holds nothing of the rows that
// it was made of.
type block struct {
	columns []column
	rows    int
	origins []origin // of each row, until it is in a batch
	gone    []int    // rows in whose place a later one has come

	key []byte // scratch
}

// blockRows bounds a block: the words of a column are numbered in 16 bits. Each
// row may bring a new one.
const blockRows = 1 << 15

// origin is what decides which of several rows stays.
type origin struct {
	id      rowID
	version streaming.Version
}

// rowID stands for a key: 128 bits of its hash, under a seed of this process. Two
// of a million keys are alike once in 10^26 times.
type rowID [2]uint64

var rowSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func identify(key []byte) rowID {
	return rowID{maphash.Bytes(rowSeeds[0], key), maphash.Bytes(rowSeeds[1], key)}
}

// free is blocks whose memory is used again.
var free sync.Pool

func newBlock(columns int) *block {
	b, _ := free.Get().(*block)
	if b == nil {
		b = new(block)
	}
	b.columns = slices.Grow(b.columns[:0], columns)[:columns]
	return b
}

// release gives its memory back; nobody may look at the block any more.
func (b *block) release() {
	b.columns = b.columns[:cap(b.columns)]
	for i := range b.columns {
		b.columns[i].reset()
	}
	b.rows, b.origins, b.gone = 0, b.origins[:0], b.gone[:0]
	free.Put(b)
}

// add appends rows to a block, column by column.
func (t *table[R]) add(b *block, rows []R) error {
	for i := range t.columns {
		put, c := t.columns[i].put, &b.columns[i]
		for _, r := range rows {
			put(c, r)
		}
		if c.wrong != nil {
			return c.wrong
		}
	}
	for _, r := range rows {
		b.key = b.key[:0]
		for i := range t.keys {
			b.key = t.columns[i].key(b.key, r)
		}
		b.origins = append(b.origins, origin{identify(b.key), VersionOf(r)})
	}
	b.rows += len(rows)
	return nil
}

// settle takes out what is gone.
func (b *block) settle(heads []columnHead) {
	if len(b.gone) == 0 {
		return
	}
	slices.Sort(b.gone)
	for i := range b.columns {
		b.columns[i].leave(&heads[i], b.gone)
	}
	b.rows -= len(b.gone)
	b.gone = b.gone[:0]
}

// appendTo appends the pieces that make the block in the Native format.
func (b *block) appendTo(pieces [][]byte, heads []columnHead) [][]byte {
	head := binary.AppendUvarint(nil, uint64(len(heads)))
	head = binary.AppendUvarint(head, uint64(b.rows))
	for i := range heads {
		head = appendText(appendText(head, heads[i].name), heads[i].kind)
		pieces = b.columns[i].appendTo(append(pieces, head), &heads[i], b.rows)
		head = nil
	}
	return pieces
}
