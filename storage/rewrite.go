package storage

import (
	"context"

	"meridian/metrics"
)

// Rewrite inserts rows that were lost once more, with the versions that they had.
// It says nothing of how far a shard is, unlike a sink: they are old. Readers of this
// process see them at once, others when they read anew what they have kept.
func (d *Database) Rewrite(ctx context.Context, side Side, rows []metrics.Row) error {
	defer d.reread()
	e, err := encode(rows)
	if err != nil {
		return err
	}
	b := newBatches(side)
	b.join(e)
	return classify(ctx, "write rows again", b.insert(ctx, d))
}
