package storage

import (
	"context"

	"meridian/metrics"
)

// Rewrite inserts rows that were lost once more, with the versions that they had.
// It says nothing of how far a shard is, unlike a sink: they are old.
func (d *Database) Rewrite(ctx context.Context, side Side, rows []metrics.Row) error {
	b := newBatches(side)
	for _, r := range rows {
		if _, err := b.add(r); err != nil {
			return err
		}
	}
	return classify(ctx, "write rows again", b.insert(ctx, d))
}
