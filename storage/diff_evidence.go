package storage

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// DiffItem is an observation that one of two generations has alone, or that both
// have with another value.
type DiffItem struct {
	Team, Service string
	Metric        metrics.Name
	At            timeline.Millis
	Entity, Item  string
	Outcome       string
	Reason        string
	Label, URL    string
	First, Second *int64 // its value; nil: not there
}

// mostItems bounds the observations of one answer.
const mostItems = 5_000

// DiffItems returns the observations that differ, of some teams and metrics, in
// [from, to); more says that there are others.
func (d *Database) DiffItems(ctx context.Context, first, second streaming.Generation, teams []string, names []metrics.Name, from, to timeline.Millis) (items []DiffItem, more bool, err error) {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = string(n)
	}
	key := "team, metric, service, at, entity, item, outcome, reason"
	rows := shape{pair: "observations"}.both(fmt.Sprintf("generation = %d AS mine, %s, value, hit, label, url, sipHash64(value, hit, is_primary, class) AS h, %s AS round, is_deleted AS gone", first, key, roundOf), first, second,
		" AND team IN {teams:Array(String)} AND metric IN {metrics:Array(String)} AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')")
	query := fmt.Sprintf(`
SELECT team, toString(metric), service, at, entity, item, toString(outcome), toString(reason), anyLast(label), anyLast(url),
    countIf(mine) > 0 AND argMaxIf(gone, round, mine) = 0 AS has1, countIf(NOT mine) > 0 AND argMaxIf(gone, round, NOT mine) = 0 AS has2,
    argMaxIf(value, round, mine), argMaxIf(value, round, NOT mine)
FROM (%s) GROUP BY %s
HAVING has1 != has2 OR has1 AND argMaxIf(h, round, mine) != argMaxIf(h, round, NOT mine)
ORDER BY team, metric, at, entity, item LIMIT %d`, rows, key, mostItems+1)
	answer, err := d.conn.Query(clickhouse.Context(ctx, clickhouse.WithSettings(d.compareSettings())), query,
		clickhouse.Named("teams", teams), clickhouse.Named("metrics", list), clickhouse.Named("from", int64(clamp(from))), clickhouse.Named("to", int64(clamp(to))))
	if err != nil {
		return nil, false, classify(ctx, "compare evidence", err)
	}
	defer answer.Close()
	for answer.Next() {
		var x DiffItem
		var metric string
		var at time.Time
		var has1, has2 bool
		var one, two int64
		if err := answer.Scan(&x.Team, &metric, &x.Service, &at, &x.Entity, &x.Item, &x.Outcome, &x.Reason, &x.Label, &x.URL, &has1, &has2, &one, &two); err != nil {
			return nil, false, err
		}
		x.Metric, x.At = metrics.Name(metric), timeline.FromTime(at)
		if has1 {
			x.First = &one
		}
		if has2 {
			x.Second = &two
		}
		items = append(items, x)
	}
	if len(items) > mostItems {
		items, more = items[:mostItems], true
	}
	return items, more, classify(ctx, "compare evidence", answer.Err())
}

// Verdicts are counts of a team's events by their verdict, in one cell.
type Verdicts struct {
	Team                               string
	Source                             string
	Cell                               timeline.Millis
	Accepted, Healed, Late, Backfilled int64
}

// DiffVerdicts returns, for each cell in which one of two generations has judged
// otherwise, how many events more the second one has of each verdict.
func (d *Database) DiffVerdicts(ctx context.Context, first, second streaming.Generation, teams []string, from, to timeline.Millis) (list []Verdicts, err error) {
	query := verdictCells(first, second) + fmt.Sprintf(" ORDER BY team, source, cell LIMIT %d", mostDiffers)
	return d.verdicts(ctx, query, teams, from, to)
}

// DiffVerdictTotals returns, for each team and source of which one of two generations
// has judged events otherwise in any cell, by how many events of each verdict they
// differ: cells are added up without their signs, and have no time.
func (d *Database) DiffVerdictTotals(ctx context.Context, first, second streaming.Generation, teams []string) ([]Verdicts, error) {
	query := fmt.Sprintf("SELECT team, s, toDateTime64(0, 3, 'UTC'), toInt64(sum(abs(d_accepted))), toInt64(sum(abs(d_healed))), toInt64(sum(abs(d_late))), toInt64(sum(abs(d_backfilled))) FROM (%s) GROUP BY team, s ORDER BY team, s",
		verdictCells(first, second))
	return d.verdicts(ctx, query, teams, timeline.Millis(math.MinInt64), timeline.Millis(math.MaxInt64))
}

// verdictCells selects the cells in which two generations have judged otherwise.
func verdictCells(first, second streaming.Generation) string {
	names := []string{"accepted", "healed", "late", "backfilled"}
	var sums, last, differs []string
	for _, n := range names {
		sums = append(sums, fmt.Sprintf("sum(if(mine, -last_%[1]s, last_%[1]s)) AS d_%[1]s", n))
		last = append(last, fmt.Sprintf("argMax(%[1]s, round) AS last_%[1]s", n))
		differs = append(differs, "d_"+n+" != 0")
	}
	rows := shape{pair: "quality"}.both(fmt.Sprintf("generation = %d AS mine, team, source, kind, cell, %s, %s AS round, is_deleted", first, strings.Join(names, ", "), roundOf), first, second,
		" AND team IN {teams:Array(String)} AND cell >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND cell < fromUnixTimestamp64Milli({to:Int64}, 'UTC')")
	latest := fmt.Sprintf("SELECT mine, team, source, kind, cell, %s FROM (%s) GROUP BY mine, team, source, kind, cell", strings.Join(last, ", "), rows)
	return fmt.Sprintf("SELECT team, toString(source) AS s, cell, %s FROM (%s) GROUP BY team, source, cell HAVING %s",
		strings.Join(sums, ", "), latest, strings.Join(differs, " OR "))
}

func (d *Database) verdicts(ctx context.Context, query string, teams []string, from, to timeline.Millis) (list []Verdicts, err error) {
	answer, err := d.conn.Query(clickhouse.Context(ctx, clickhouse.WithSettings(d.compareSettings())), query,
		clickhouse.Named("teams", teams), clickhouse.Named("from", int64(clamp(from))), clickhouse.Named("to", int64(clamp(to))))
	if err != nil {
		return nil, classify(ctx, "compare verdicts", err)
	}
	defer answer.Close()
	for answer.Next() {
		var v Verdicts
		var cell time.Time
		if err := answer.Scan(&v.Team, &v.Source, &cell, &v.Accepted, &v.Healed, &v.Late, &v.Backfilled); err != nil {
			return nil, err
		}
		v.Cell = timeline.FromTime(cell)
		list = append(list, v)
	}
	return list, classify(ctx, "compare verdicts", answer.Err())
}
