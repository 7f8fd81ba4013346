package storage

import (
	"context"

	"meridian/metrics"
)

// Rewrite inserts rows that were lost once more, with the versions that they had.
// It says nothing of how far a shard is, unlike a sink: they are old.
func (d *Database) Rewrite(ctx context.Context, side Side, rows []metrics.Row) error {
	e, err := encode(rows)
	if err != nil {
		return err
	}
	b := newBatches(side)
	b.join(e)
	return classify(ctx, "write rows again", b.insert(ctx, d))
}
