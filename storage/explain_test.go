package storage

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

var granules = regexp.MustCompile(`Granules: (\d+)/(\d+)`)

// What pages ask for reads what they show: of a table in which each team has 23
// granules a month, a query reads those of its grain and metric, found by the
// partition of the month and by the primary key.
func TestQueriesUseThePrimaryKey(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	const teams = 10
	size := large{teams: teams, months: 2, observations: 100_000}
	size.fill(t, d)
	pages := size.queries()
	evidence := metrics.Query{Teams: []string{"team7"}, Metric: "pr_pickup_time", From: size.end() - 31*timeline.Day, To: size.end()}
	page := queryArgs(evidence)
	for k, v := range map[string]any{"first": true, "limit": uint32(51), "at": int64(size.end()), "after_team": "", "after_metric": "", "after_service": "",
		"after_entity": "", "after_item": "", "after_outcome": "", "after_reason": ""} {
		page[k] = v
	}
	for _, c := range []struct {
		name string
		file string
		pair string
		args map[string]any
		keys string // of the primary key that are used
		most int    // granules that are read
	}{
		{"team: all metrics, running 30 days", "points", "points", nil, "generation team grain start", 2 * 3},
		{"metric: a team's hours of a week", "points", "points", nil, "generation team grain metric service start", 3},
		{"metric: a team's days of a quarter", "points", "points", nil, "generation team grain metric service start", 2 * 2},
		{"organisation: 30 days of a metric out of days", "points", "points", nil, "generation team grain metric service start", teams * 2 * 2},
		{"overview: all teams, all metrics, running 30 days", "points", "points", nil, "generation team grain start", teams * 2 * 3},
		{"services", "services", "points", map[string]any{"team": "team7"}, "generation team grain", 2 * 3},
		{"teams", "teams", "points", map[string]any{}, "generation grain", teams * 2 * 3},
		{"evidence", "observations", "observations", page, "generation team metric at", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := c.args
			if args == nil {
				q, ok := pages[c.name]
				if !ok {
					t.Fatal("no page asks for it")
				}
				args = queryArgs(q)
				args["grain"] = string(q.Grain)
			}
			for k, v := range (place{generation: 1, side: Live}).args(c.pair) {
				args[k] = v
			}
			plan := explain(t, d, c.file, args)
			_, key, ok := strings.Cut(plan, "PrimaryKey")
			if !ok {
				t.Fatalf("the primary key is not used:\n%s", plan)
			}
			for _, k := range strings.Fields(c.keys) {
				if head, _, _ := strings.Cut(key, "Condition:"); !strings.Contains(head, k) {
					t.Errorf("%s of the primary key is not used:\n%s", k, plan)
				}
			}
			m := granules.FindStringSubmatch(key)
			if m == nil {
				t.Fatalf("no granules in\n%s", plan)
			}
			if n, _ := strconv.Atoi(m[1]); n > c.most {
				t.Errorf("%d granules are read of %s, want at most %d:\n%s", n, m[2], c.most, plan)
			}
			t.Logf("%s of %s granules", m[1], m[2])
		})
	}
}

// explain is the plan of one of the reader's queries.
func explain(t testing.TB, d *Database, file string, args map[string]any) string {
	t.Helper()
	text, err := queries.ReadFile("queries/" + file + ".sql")
	do(t, err)
	var named []any
	for k, v := range args {
		named = append(named, clickhouse.Named(k, v))
	}
	rows, err := d.conn.Query(clickhouse.Context(t.Context(), clickhouse.WithSettings(d.readSettings())), "EXPLAIN indexes = 1 "+string(text), named...)
	do(t, err)
	defer func() { _ = rows.Close() }()
	var lines []string
	for rows.Next() {
		var line string
		do(t, rows.Scan(&line))
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
