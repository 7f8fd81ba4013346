package storage

import (
	"context"
	"fmt"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/streaming"
)

// maxInsert bounds the rows of one insert: ClickHouse takes a block of up to
// about a million as one part of each partition, there as a whole or not at
// all, and the client holds it twice.
const maxInsert = 100_000

// batch collects rows of one table. A key that comes again replaces the row it
// came with before, unless that one is newer.
type batch[R any, K comparable] struct {
	table table[R, K]
	rows  []R
	index map[K]int
}

func newBatch[R any, K comparable](t table[R, K]) *batch[R, K] {
	return &batch[R, K]{table: t, index: map[K]int{}}
}

func (b *batch[R, K]) add(r R) streaming.Version {
	key, version := b.table.key(r), b.table.version(r)
	i, ok := b.index[key]
	switch {
	case !ok:
		b.index[key] = len(b.rows)
		b.rows = append(b.rows, r)
	case version >= b.table.version(b.rows[i]):
		b.rows[i] = r
	}
	return version
}

func (b *batch[R, K]) size() int { return len(b.rows) }

// insert writes the batch. Sending it again after an error is harmless.
func (b *batch[R, K]) insert(ctx context.Context, d *Database, side Side) error {
	for part := range slices.Chunk(b.rows, maxInsert) {
		out, err := d.prepare(ctx, "INSERT INTO "+b.table.on(side)+" ("+b.table.columns+")")
		if err != nil {
			return err
		}
		for _, r := range part {
			if err := b.table.append(out, r); err != nil {
				_ = out.Abort()
				return fmt.Errorf("row %v of %s: %w", b.table.key(r), b.table.name, err)
			}
		}
		if err := out.Send(); err != nil {
			return err
		}
	}
	return nil
}

// prepare begins an insert.
func (d *Database) prepare(ctx context.Context, insert string) (driver.Batch, error) {
	settings := clickhouse.Settings{
		// One insert may touch any number of months: facts are as old as they
		// are. The default of 100 would refuse it for ever.
		"max_partitions_per_insert_block": 0,

		// A server may collect inserts by itself (async_insert); ours are
		// acknowledged when they are written all the same.
		"wait_for_async_insert": 1,
	}
	if d.cfg.Cluster != "" {
		// A snapshot vouches for rows that survive the loss of a replica.
		settings["insert_quorum"] = "auto"
	}
	return d.conn.PrepareBatch(clickhouse.Context(ctx, clickhouse.WithSettings(settings)), insert)
}
