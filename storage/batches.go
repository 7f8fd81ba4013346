package storage

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// batches are the rows of all tables that are written together, and how far
// each shard is with them.
type batches struct {
	side         Side
	points       *batch[*metrics.Point, pointKey]
	observations *batch[*metrics.ObservationRow, observationKey]
	quality      *batch[*metrics.QualityRow, qualityKey]
	rejects      *batch[*metrics.RejectRow, rejectKey]
	coverage     *batch[*metrics.CoverageRow, coverageKey]
	progress     map[progressKey]streaming.Round

	done [5]bool // tables that insert has written
}

type progressKey struct {
	generation streaming.Generation
	shard      int32
}

func (k progressKey) compare(o progressKey) int {
	return cmp.Or(cmp.Compare(k.generation, o.generation), cmp.Compare(k.shard, o.shard))
}

func newBatches(side Side) *batches {
	return &batches{
		side:         side,
		points:       newBatch(pointsTable),
		observations: newBatch(observationsTable),
		quality:      newBatch(qualityTable),
		rejects:      newBatch(rejectsTable),
		coverage:     newBatch(coverageTable),
		progress:     map[progressKey]streaming.Round{},
	}
}

func (b *batches) add(r metrics.Row) (streaming.Version, error) {
	switch r := r.(type) {
	case *metrics.Point:
		return b.points.add(r), nil
	case *metrics.ObservationRow:
		return b.observations.add(r), nil
	case *metrics.QualityRow:
		return b.quality.add(r), nil
	case *metrics.RejectRow:
		return b.rejects.add(r), nil
	case *metrics.CoverageRow:
		return b.coverage.add(r), nil
	}
	return 0, fmt.Errorf("storage: a row of type %T has no table", r)
}

// advance notes that a shard has put all rows of rounds up to r.
func (b *batches) advance(g streaming.Generation, shard int32, r streaming.Round) {
	key := progressKey{g, shard}
	r = max(r, 0) // a version has no room for a round before 1970
	if old, ok := b.progress[key]; !ok || old < r {
		b.progress[key] = r
	}
}

func (b *batches) size() int {
	return b.points.size() + b.observations.size() + b.quality.size() + b.rejects.size() + b.coverage.size()
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
	var g errgroup.Group // without a context of its own: one table's trouble is none of the others'
	for i, insert := range []func(context.Context, *Database, Side) error{
		b.points.insert, b.observations.insert, b.quality.insert, b.rejects.insert, b.coverage.insert,
	} {
		g.Go(func() error {
			if b.done[i] {
				return nil
			}
			err := insert(ctx, d, b.side)
			b.done[i] = err == nil
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return b.insertProgress(ctx, d)
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
