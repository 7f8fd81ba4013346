package storage

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

var qualityTable = &table[*metrics.QualityRow]{
	name: "quality",
	keys: 5,
	columns: []columnOf[*metrics.QualityRow]{
		uint32s("generation", func(q *metrics.QualityRow) uint32 { return generationOf(q.Version) }),
		texts("team", func(q *metrics.QualityRow) string { return q.Team }),
		fewTexts("source", func(q *metrics.QualityRow) string { return q.Source.String() }),
		fewTexts("kind", func(q *metrics.QualityRow) string { return q.Kind.String() }),
		instants("cell", func(q *metrics.QualityRow) timeline.Millis { return q.Cell.Start() }),

		int64s("decoded", func(q *metrics.QualityRow) int64 { return q.Decoded }),
		int64s("accepted", func(q *metrics.QualityRow) int64 { return q.Accepted }),
		int64s("late_accepted", func(q *metrics.QualityRow) int64 { return q.LateAccepted }),
		int64s("backfilled", func(q *metrics.QualityRow) int64 { return q.Backfilled }),
		int64s("healed", func(q *metrics.QualityRow) int64 { return q.Healed }),
		int64s("late", func(q *metrics.QualityRow) int64 { return q.Late }),
		int64s("duplicates", func(q *metrics.QualityRow) int64 { return q.Duplicates }),
		int64s("quarantined", func(q *metrics.QualityRow) int64 { return q.Quarantined }),
		uint64s("version", func(q *metrics.QualityRow) uint64 { return uint64(q.Version) }),
	},
}

// Quality returns the verdict counts of the current generation, of cells that
// start in [from, to), by team, source, kind and cell.
func (r *Reader) Quality(ctx context.Context, from, to timeline.Millis) (list []metrics.QualityRow, err error) {
	args := map[string]any{"from": int64(clamp(from)), "to": int64(clamp(to))}
	err = r.query(ctx, "quality", "quality", 0, args, func(rows driver.Rows) error {
		var q metrics.QualityRow
		var source, kind string
		var cell time.Time
		var version uint64
		if err := rows.Scan(&q.Team, &source, &kind, &cell, &q.Decoded, &q.Accepted, &q.LateAccepted, &q.Backfilled, &q.Healed, &q.Late,
			&q.Duplicates, &q.Quarantined, &version); err != nil {
			return err
		}
		q.Source, q.Kind = event.ParseSource(source), event.ParseKind(kind)
		q.Cell, q.Version = timeline.CellOf(timeline.FromTime(cell)), streaming.Version(version)
		list = append(list, q)
		return nil
	})
	return list, err
}
