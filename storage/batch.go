package storage

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/streaming"
)

// maxInsert bounds the rows of one insert: ClickHouse takes up to about a million
// as one part of each partition, there as a whole or not at all.
const maxInsert = 500_000

// batch is blocks of one table. Of a key there is one row that counts: the newest,
// of equal versions the last that came.
type batch struct {
	table  string // without its side
	heads  []columnHead
	blocks []*block
	rows   int // that count
	keys   keyTable
}

// join puts a block in, which is the batch's from then on.
func (b *batch) join(added *block) {
	at := len(b.blocks)
	b.blocks = append(b.blocks, added)
	for row, o := range added.origins {
		p, known := b.keys.find(o.id)
		if known && p.version > o.version {
			added.gone = append(added.gone, row)
			continue
		}
		if known {
			old := b.blocks[p.block]
			old.gone = append(old.gone, int(p.row))
			b.rows--
		}
		b.rows++
		p.version, p.block, p.row = o.version, int32(at), int32(row)
	}
}

// insert writes the batch. Doing it again after an error is harmless.
func (b *batch) insert(ctx context.Context, d *Database, side Side) error {
	for blocks := b.blocks; len(blocks) > 0; {
		var pieces [][]byte
		for rows := 0; len(blocks) > 0 && (rows == 0 || rows+blocks[0].rows <= maxInsert); blocks = blocks[1:] {
			blocks[0].settle(b.heads)
			if blocks[0].rows > 0 {
				pieces = blocks[0].appendTo(pieces, b.heads)
			}
			rows += blocks[0].rows
		}
		if len(pieces) == 0 {
			continue
		}
		if err := d.insertNative(ctx, "INSERT INTO "+onSide(b.table, side)+" ("+columnNames(b.heads)+")", pieces); err != nil {
			return err
		}
	}
	return nil
}

// release gives the memory of the blocks back, which nobody may be sending any more.
func (b *batch) release() {
	for _, one := range b.blocks {
		one.release()
	}
	b.blocks = nil
}

func columnNames(heads []columnHead) string {
	var list []byte
	for i := range heads {
		if i > 0 {
			list = append(list, ", "...)
		}
		list = append(list, heads[i].name...)
	}
	return string(list)
}

// keyTable finds the row of a key: an open-addressed table, for there are ten rows of
// each event, and a map of Go's takes as long as all the rest that is done to one.
type keyTable struct {
	slots []keySlot // a power of two, or none
	used  int
}

type keySlot struct {
	id      rowID // zero: free
	version streaming.Version
	block   int32
	row     int32
}

const fewKeys = 256

// find returns the slot of a key, and whether it was there: a new one is the
// caller's to fill in.
func (t *keyTable) find(id rowID) (_ *keySlot, known bool) {
	if 4*(t.used+1) > 3*len(t.slots) {
		t.grow()
	}
	s := t.slot(id)
	if s.id == id {
		return s, true
	}
	s.id = id
	t.used++
	return s, false
}

// slot is where a key is, or belongs.
func (t *keyTable) slot(id rowID) *keySlot {
	mask := uint64(len(t.slots) - 1)
	for i := id[0] & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.id == id || s.id == (rowID{}) {
			return s
		}
	}
}

func (t *keyTable) grow() {
	old := t.slots
	t.slots = make([]keySlot, max(fewKeys, 2*len(old)))
	for i := range old {
		if old[i].id != (rowID{}) {
			*t.slot(old[i].id) = old[i]
		}
	}
}

// insertSettings are those of every insert.
func (d *Database) insertSettings() clickhouse.Settings {
	settings := clickhouse.Settings{
		// One insert may touch any number of months: facts are as old as they
		// are. The default of 100 would refuse it for ever.
		"max_partitions_per_insert_block": 0,

		// Of each key there is one row in a batch already. To look for more is a merge
		// of what is about to be written, and took a third of ClickHouse's CPU while a
		// history was inserted.
		"optimize_on_insert": 0,

		// A server may collect inserts by itself (async_insert); ours are
		// acknowledged when they are written all the same.
		"wait_for_async_insert": 1,
	}
	if d.cfg.Cluster != "" {
		// A snapshot vouches for rows that survive the loss of a replica.
		settings["insert_quorum"] = "auto"
	}
	return settings
}

// prepare begins an insert of a few rows, value by value.
func (d *Database) prepare(ctx context.Context, insert string) (driver.Batch, error) {
	return d.conn.PrepareBatch(clickhouse.Context(ctx, clickhouse.WithSettings(d.insertSettings())), insert)
}
