package storage

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// batches are the rows of all tables that are written together, and how far
// each shard is with them.
type batches struct {
	side     Side
	tables   [tableCount]*batch
	progress map[progressKey]streaming.Round

	done  [tableCount]bool // tables that insert has written
	tries int              // how often insert was called
}

// The tables of batches.
const (
	pointsPlace = iota
	observationsPlace
	qualityPlace
	rejectsPlace
	coveragePlace
	tableCount
)

type progressKey struct {
	generation streaming.Generation
	shard      int32
}

func (k progressKey) compare(o progressKey) int {
	return cmp.Or(cmp.Compare(k.generation, o.generation), cmp.Compare(k.shard, o.shard))
}

func newBatches(side Side) *batches {
	return &batches{
		side: side,
		tables: [tableCount]*batch{
			pointsPlace:       pointsTable.newBatch(),
			observationsPlace: observationsTable.newBatch(),
			qualityPlace:      qualityTable.newBatch(),
			rejectsPlace:      rejectsTable.newBatch(),
			coveragePlace:     coverageTable.newBatch(),
		},
		progress: map[progressKey]streaming.Round{},
	}
}

// join puts rows in.
func (b *batches) join(e *encoded) {
	for i, blocks := range e.blocks {
		for _, one := range blocks {
			b.tables[i].join(one)
		}
	}
}

// advance notes that a shard has put all rows of rounds up to r.
func (b *batches) advance(g streaming.Generation, shard int32, r streaming.Round) {
	key := progressKey{g, shard}
	r = max(r, 0) // a version has no room for a round before 1970
	if old, ok := b.progress[key]; !ok || old < r {
		b.progress[key] = r
	}
}

// size is how many rows there are.
func (b *batches) size() (rows int) {
	for _, t := range b.tables {
		rows += t.rows
	}
	return rows
}

func (b *batches) empty() bool { return b.size() == 0 && len(b.progress) == 0 }

// clock is the highest among the shards.
func (b *batches) clock() timeline.Millis {
	r := streaming.Round(0)
	for _, p := range b.progress {
		r = max(r, p)
	}
	return r.Clock()
}

// insert writes what no earlier call has written: all tables at once, for each
// waits for the disk, and the progress behind them: whoever sees that sees the
// rows.
func (b *batches) insert(ctx context.Context, d *Database) error {
	b.tries++
	var g errgroup.Group // without a context of its own: one table's trouble is none of the others'
	for i, t := range b.tables {
		g.Go(func() error {
			if b.done[i] {
				return nil
			}
			err := t.insert(ctx, d, b.side)
			b.done[i] = err == nil
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return b.insertProgress(ctx, d)
}

// release gives the memory of rows back that have been written. Where that took
// several attempts, an earlier one may still be about to send what nobody reads.
func (b *batches) release() {
	if b.tries > 1 {
		return
	}
	for _, t := range b.tables {
		t.release()
	}
}

func (b *batches) insertProgress(ctx context.Context, d *Database) error {
	if len(b.progress) == 0 {
		return nil
	}
	out, err := d.prepare(ctx, "INSERT INTO progress (generation, shard, clock, version)")
	if err != nil {
		return err
	}
	for _, key := range slices.SortedFunc(maps.Keys(b.progress), progressKey.compare) {
		r := b.progress[key]
		if err := out.Append(uint32(key.generation), key.shard, instant(r.Clock()), uint64(streaming.NewVersion(key.generation, r))); err != nil {
			_ = out.Abort()
			return err
		}
	}
	return out.Send()
}
