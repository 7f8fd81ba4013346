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

type coverageKey struct {
	generation streaming.Generation
	team       string
	source     event.Source
}

var coverageTable = table[*metrics.CoverageRow, coverageKey]{
	name:    "coverage",
	columns: "generation, team, source, covered_from, last_received, covered, gaps, version",
	key: func(c *metrics.CoverageRow) coverageKey {
		return coverageKey{c.Version.Generation(), c.Team, c.Source}
	},
	version: func(c *metrics.CoverageRow) streaming.Version { return c.Version },
	append: func(b driver.Batch, c *metrics.CoverageRow) error {
		return b.Append(uint32(c.Version.Generation()), c.Team, c.Source.String(), instantOrNull(c.From), instantOrNull(c.Last),
			pairs(c.Covered), pairs(c.Gaps), uint64(c.Version))
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
	p, err := r.db.find(ctx, 0)
	if err != nil {
		return nil, err
	}
	now, err := r.db.coverageOf(ctx, p.generation, p.side)
	if err != nil || p.border == 0 {
		return now, err
	}
	kept, err := r.db.coverageOf(ctx, keptGeneration, Live)
	return withKept(kept, now, p.border), err
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
