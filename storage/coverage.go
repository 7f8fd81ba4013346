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

var coverageTable = &table[*metrics.CoverageRow]{
	name: "coverage",
	keys: 3,
	columns: []columnOf[*metrics.CoverageRow]{
		uint32s("generation", func(c *metrics.CoverageRow) uint32 { return generationOf(c.Version) }),
		texts("team", func(c *metrics.CoverageRow) string { return c.Team }),
		fewTexts("source", func(c *metrics.CoverageRow) string { return c.Source.String() }),

		maybeInstants("covered_from", func(c *metrics.CoverageRow) (timeline.Millis, bool) { return known(c.From) }),
		maybeInstants("last_received", func(c *metrics.CoverageRow) (timeline.Millis, bool) { return known(c.Last) }),
		windowSets("covered", func(c *metrics.CoverageRow) []timeline.Window { return c.Covered }),
		windowSets("gaps", func(c *metrics.CoverageRow) []timeline.Window { return c.Gaps }),
		uint64s("version", func(c *metrics.CoverageRow) uint64 { return uint64(c.Version) }),
	},
}

// pairs are windows as an array of tuples.
func pairs(set []timeline.Window) [][]any {
	list := make([][]any, len(set))
	for i, w := range set {
		list[i] = []any{instant(w.Start), instant(w.End)}
	}
	return list
}

func spans(list [][]any) (set []timeline.Window) {
	for _, pair := range list {
		from, _ := pair[0].(time.Time)
		to, _ := pair[1].(time.Time)
		set = append(set, timeline.Window{Start: timeline.FromTime(from), End: timeline.FromTime(to)})
	}
	return set
}

// Coverage returns for which time each team's sources are covered, in the
// current generation, by team and source.
func (r *Reader) Coverage(ctx context.Context) ([]metrics.CoverageRow, error) {
	return ask(ctx, r, &r.coverage, 0, question[metrics.CoverageRow]{
		all: func(ctx context.Context, p place) ([]metrics.CoverageRow, error) {
			now, err := r.db.coverageOf(ctx, p.generation, p.side)
			if err != nil || p.border == 0 {
				return now, err
			}
			kept, err := r.db.coverageOf(ctx, keptGeneration, Live)
			return withKept(kept, now, p.border), err
		},
	})
}

func (d *Database) coverageOf(ctx context.Context, g streaming.Generation, s Side) (list []metrics.CoverageRow, err error) {
	err = d.query(ctx, "coverage", place{generation: g, side: s}.args("coverage"), func(rows driver.Rows) error {
		var c metrics.CoverageRow
		var source string
		var from, last *time.Time
		var version uint64
		var covered, gaps [][]any
		if err := rows.Scan(&c.Team, &source, &from, &last, &covered, &gaps, &version); err != nil {
			return err
		}
		c.Covered, c.Gaps = spans(covered), spans(gaps)
		c.Source, c.From, c.Last, c.Version = event.ParseSource(source), millis(from), millis(last), streaming.Version(version)
		list = append(list, c)
		return nil
	})
	return list, err
}
