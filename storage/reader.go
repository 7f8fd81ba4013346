package storage

import (
	"context"
	"embed"
	"fmt"
	"math"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/metrics"
	"meridian/streaming"
)

//go:embed queries/*.sql
var queries embed.FS

// queryMemory bounds what one query takes in the database: it is stopped rather
// than let it take the memory of everybody else.
const queryMemory = 512 << 20

// Reader reads results. It is the only place that does. It is safe for
// concurrent use.
type Reader struct {
	db          *Database
	definitions map[metrics.Name]*metrics.Definition
	scanRows    int // of one page of a scan

	points    kept[*metrics.Point]
	intervals kept[metrics.ObservationRow]
	coverage  kept[metrics.CoverageRow]
	names     kept[string]
	evidence  kept[evidencePage]

	pointNews       news[*metrics.Point]
	observationNews news[metrics.ObservationRow]
}

// NewReader returns a reader that knows the built-in metrics.
func (d *Database) NewReader() *Reader {
	r := &Reader{db: d, definitions: map[metrics.Name]*metrics.Definition{}, scanRows: defaultScanRows}
	r.points.kind, r.intervals.kind, r.coverage.kind, r.names.kind = keptPoints, keptIntervals, keptCoverage, keptNames
	r.evidence.kind = keptEvidence
	r.pointNews = news[*metrics.Point]{
		read: r.readPointNews, version: func(p *metrics.Point) streaming.Version { return p.Version },
		late: !d.cfg.Embedded, turn: make(chan struct{}, 1),
	}
	r.observationNews = news[metrics.ObservationRow]{
		read: r.readObservationNews, version: func(o metrics.ObservationRow) streaming.Version { return o.Version },
		late: !d.cfg.Embedded, turn: make(chan struct{}, 1),
	}
	return r.Knowing(metrics.Definitions()...)
}

// Knowing makes it know more metrics, those that an organisation has declared,
// before anybody reads.
func (r *Reader) Knowing(more ...*metrics.Definition) *Reader {
	for _, def := range more {
		r.definitions[def.Name] = def
	}
	return r
}

// query runs the .sql file called name on the half of a pair of tables that
// holds generation g (0: the current one), and calls row for each row of the
// answer. It ends with ctx.
func (r *Reader) query(ctx context.Context, name, pair string, g streaming.Generation, args map[string]any, row func(driver.Rows) error) error {
	p, err := r.db.find(ctx, g)
	if err != nil {
		return err
	}
	return r.queryIn(ctx, p, name, pair, args, row)
}

// queryIn is query of a place that has been found.
func (r *Reader) queryIn(ctx context.Context, p place, name, pair string, args map[string]any, row func(driver.Rows) error) error {
	if !p.current && r.db.may != nil {
		if err := r.db.may(p.generation); err != nil {
			return err
		}
	}
	named := p.args(pair)
	for k, v := range args {
		named[k] = v
	}
	return r.db.query(ctx, name, named, row)
}

// args name what a query reads: from the border on the rows of its generation,
// and before it what generation 0 has kept. That lies in the live tables alone.
func (p place) args(pair string) map[string]any {
	border := earliest
	if p.border != 0 && p.side == Live {
		border = p.border
	}
	return map[string]any{"table": pair + "_" + string(p.side), "generation": uint32(p.generation), "border": int64(border)}
}

// query runs a .sql file. Values are sent beside its text, as ClickHouse's own
// parameters: the text is always the same.
func (d *Database) query(ctx context.Context, name string, args map[string]any, row func(driver.Rows) error) (err error) {
	text, err := queries.ReadFile("queries/" + name + ".sql")
	if err != nil {
		return fmt.Errorf("storage: no query is called %s", name)
	}
	// The database itself ends a query that takes too long. If it does not even
	// do that, it is not there.
	timed, cancel := context.WithTimeout(ctx, d.cfg.QueryTime+d.cfg.QueryTime/2)
	defer cancel()
	var named []any
	for k, v := range args {
		named = append(named, clickhouse.Named(k, v))
	}
	rows, err := d.conn.Query(clickhouse.Context(timed, clickhouse.WithSettings(d.readSettings())), string(text), named...)
	if err != nil {
		return classify(ctx, "read "+name, err)
	}
	defer func() {
		if closed := rows.Close(); err == nil {
			err = classify(ctx, "read "+name, closed)
		}
	}()
	for rows.Next() {
		if err := row(rows); err != nil {
			return fmt.Errorf("storage: read %s: %w", name, err)
		}
	}
	return classify(ctx, "read "+name, rows.Err())
}

func (d *Database) readSettings() clickhouse.Settings {
	return clickhouse.Settings{
		"max_execution_time": int(math.Ceil(d.cfg.QueryTime.Seconds())),
		"max_memory_usage":   queryMemory,
		"max_result_rows":    d.cfg.AnswerRows,

		// A key's rows all lie in one partition, so FINAL need not merge across.
		"do_not_merge_across_partitions_select_final": 1,

		// Conditions on the sorting key, which are the same for all rows of one
		// key, are asked before the wide columns are read.
		"optimize_move_to_prewhere_if_final": 1,
	}
}

// lookUpAge is how long a look-up of the generations serves: a page asks for
// many things, and is as of one instant anyway. What this process writes is
// seen at once, what another one writes after this time.
const lookUpAge = 250 * time.Millisecond
