package storage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Seen calls row for every point that readers see now, over windows that start in
// [from, to), withdrawn ones included: month by month, and within one by team, grain,
// metric, service and start. What generation 0 keeps is among them, before the border.
// It holds no more than a page in memory, however many there are and however long
// that takes, and ends with the first error of row.
func (r *Reader) Seen(ctx context.Context, from, to timeline.Millis, row func(*metrics.Point) error) error {
	p, err := r.db.find(ctx, 0)
	if err != nil {
		return err
	}
	if p.generation == 0 {
		return ErrNothingYet
	}
	months, err := r.db.partitions(ctx, func(m partition, have streaming.Generation) bool {
		end, _ := m.end()
		return m.pair == "points" && m.side == p.side && end > from && (have == p.generation || have == keptGeneration && p.border != 0)
	})
	if err != nil {
		return err
	}
	month := func(m partition) string { _, month, _ := strings.Cut(m.id, "-"); return month }
	slices.SortFunc(months, func(a, b partition) int { return cmp.Or(cmp.Compare(month(a), month(b)), cmp.Compare(a.id, b.id)) })
	for _, m := range months {
		of := p
		of.generation, _ = m.generation()
		err := r.scanMonth(ctx, of, m.id, func(point *metrics.Point) error {
			if point.Start < from || point.Start >= to || (point.Start < p.border) != (of.generation == keptGeneration) {
				return nil
			}
			return row(point)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
