package storage

import (
	"context"
	"maps"
	"slices"

	"meridian/streaming"
)

// Generations returns the generations that have rows in any table, in either half,
// by number: also those that nobody knows any more, whose rows a process wrote that
// was thought dead, or that were being dropped when theirs was killed. It reads the
// list of partitions and no rows.
func (d *Database) Generations(ctx context.Context) ([]streaming.Generation, error) {
	found := map[streaming.Generation]bool{}
	_, err := d.partitions(ctx, func(_ partition, g streaming.Generation) bool {
		found[g] = true
		return false
	})
	return slices.Sorted(maps.Keys(found)), err
}

// Refuse has every query that names a generation ask first whether it may be
// answered: one whose history is being computed has a part of its rows. It is set
// once, before anything is read; may may be asked by many at once, and answers from
// memory. Queries about the current generation do not ask.
func (d *Database) Refuse(may func(streaming.Generation) error) { d.may = may }
