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

type qualityKey struct {
	generation streaming.Generation
	team       string
	source     event.Source
	kind       event.Kind
	cell       timeline.Cell
}

var qualityTable = table[*metrics.QualityRow, qualityKey]{
	name:    "quality",
	columns: "generation, team, source, kind, cell, decoded, accepted, late_accepted, backfilled, healed, late, duplicates, quarantined, version",
	key: func(q *metrics.QualityRow) qualityKey {
		return qualityKey{q.Version.Generation(), q.Team, q.Source, q.Kind, q.Cell}
	},
	version: func(q *metrics.QualityRow) streaming.Version { return q.Version },
	append: func(b driver.Batch, q *metrics.QualityRow) error {
		return b.Append(
			uint32(q.Version.Generation()), q.Team, q.Source.String(), q.Kind.String(), instant(q.Cell.Start()),
			q.Decoded, q.Accepted, q.LateAccepted, q.Backfilled, q.Healed, q.Late, q.Duplicates, q.Quarantined, uint64(q.Version),
		)
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
