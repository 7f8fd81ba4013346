package storage

import (
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// What generation 0 says of somebody's own repository is changed in names of teams and
// in texts, row by row and for ever; every other generation is left as it is.
func TestRedact(t *testing.T) {
	d, _ := open(t, synced)
	v := version(1, at(10, 0))
	rows := ofAllTables(1, 1)
	for _, team := range []string{"mai/tool", "it's/a \\ name", "acme/web"} {
		rows = append(rows, merged(team, at(9, 0), 1, v),
			&metrics.ObservationRow{Version: v, Team: team, Observation: metrics.Observation{At: at(9, 0), Outcome: metrics.Observed, URL: "https://github.com/mai/tool/pull/1", Label: "mai/tool#1"}},
			&metrics.RejectRow{Version: v, Team: team, Received: at(9, 0), Detail: "mai/x"},
			&metrics.QualityRow{Version: v, Team: team, Cell: timeline.CellOf(at(9, 0))},
			&metrics.CoverageRow{Version: v, Team: team, From: at(9, 0)})
	}
	write(t, d, Live, rows...)
	current(t, d, 1, 1)
	do(t, d.Keep(t.Context(), 1, at(12, 0)))
	change := func(text string) string {
		return strings.ReplaceAll(strings.ReplaceAll(text, "mai/", "erased~1/"), "it's/a \\ name", "erased~2")
	}
	names := "SELECT count() FROM (SELECT team, '' AS a, '' AS b FROM points_live WHERE generation = %g UNION ALL SELECT team, url, label FROM observations_live WHERE generation = %g " +
		"UNION ALL SELECT team, detail, '' FROM rejects_live WHERE generation = %g UNION ALL SELECT team, '', '' FROM quality_live WHERE generation = %g UNION ALL SELECT team, '', '' FROM coverage_live WHERE generation = %g) " +
		"WHERE team LIKE 'mai/%' OR team LIKE 'it''s%' OR a LIKE '%mai/%' OR b LIKE '%mai/%'"
	of := func(g string) int { return count(t, d, strings.ReplaceAll(names, "%g", g)) }
	before, other := of("0"), of("1")
	if before < 10 || other < 10 {
		t.Fatalf("%d and %d rows name them before: too few to tell", before, other)
	}
	all := "SELECT count() FROM points_live FINAL WHERE generation = 0"
	points := count(t, d, all)
	for _, again := range []bool{false, true} {
		n, err := d.Redact(t.Context(), change)
		do(t, err)
		if (n == 0) != again {
			t.Errorf("%d texts were changed; again: %v", n, again)
		}
		is(t, "rows that name them", of("0"), 0)
		is(t, "rows of another generation that do", of("1"), other)
		is(t, "points", count(t, d, all), points)
		is(t, "points of their repository", count(t, d, all+" AND team = 'erased~1/tool'"), 1)
		is(t, "labels", count(t, d, "SELECT count() FROM observations_live FINAL WHERE generation = 0 AND label = 'erased~1/tool#1' AND url = 'https://github.com/erased~1/tool/pull/1'"), 3)
	}
	is(t, "parts that are left behind", count(t, d, "SELECT count() FROM system.parts WHERE database = currentDatabase() AND NOT active AND table IN ('observations_live', 'points_live', 'rejects_live')"), 0)
	if create := count(t, d, "SELECT count() FROM system.tables WHERE database = currentDatabase() AND create_table_query LIKE '%old_parts_lifetime%'"); create != 0 {
		t.Errorf("%d tables have another setting than before", create)
	}
}
