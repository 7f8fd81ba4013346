package storage

import (
	"fmt"
	"slices"
	"testing"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

func TestPointsAreFiltered(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	r := d.NewReader()
	point := func(team string, metric metrics.Name, service string, grain metrics.Grain, hour int) metrics.Row {
		p := merged(team, at(hour, 0), 1, version(1, at(12, 0)))
		p.Metric, p.Definition, p.Service, p.Grain = metric, metrics.Find(metric), service, grain
		return p
	}
	write(t, d, Live,
		point("b", "pr_merged", "", metrics.Hour, 9), point("b", "pr_merged", "", metrics.Hour, 8), point("b", "pr_merged", "api", metrics.Hour, 9),
		point("a", "pr_merged", "", metrics.Hour, 9), point("a", "deploy_frequency", "", metrics.Hour, 9), point("a", "pr_merged", "", metrics.Day, 9),
	)
	hours := metrics.Query{Grain: metrics.Hour, From: at(0, 0), To: at(23, 0)}
	with := func(change func(*metrics.Query)) metrics.Query {
		q := hours
		change(&q)
		return q
	}
	for _, c := range []struct {
		name string
		q    metrics.Query
		want []string
	}{
		{"totals", hours, []string{"a deploy_frequency  9", "a pr_merged  9", "b pr_merged  8", "b pr_merged  9"}},
		{"all services", with(func(q *metrics.Query) { q.Service, q.Teams = metrics.AllServices, []string{"b"} }),
			[]string{"b pr_merged  8", "b pr_merged  9", "b pr_merged api 9"}},
		{"a service", with(func(q *metrics.Query) { q.Service = "api" }), []string{"b pr_merged api 9"}},
		{"a metric", with(func(q *metrics.Query) { q.Metric = "deploy_frequency" }), []string{"a deploy_frequency  9"}},
		{"no team", with(func(q *metrics.Query) { q.Teams = []string{} }), nil},
		{"days", with(func(q *metrics.Query) { q.Grain = metrics.Day }), []string{"a pr_merged  9"}},
		{"from is in", with(func(q *metrics.Query) { q.From = at(9, 0); q.Teams = []string{"b"} }), []string{"b pr_merged  9"}},
		{"to is not", with(func(q *metrics.Query) { q.To = at(9, 0) }), []string{"b pr_merged  8"}},
	} {
		points, err := r.Points(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range points {
			got = append(got, fmt.Sprintf("%s %s %s %d", p.Team, p.Metric, p.Service, (p.Start-at(0, 0))/timeline.Hour))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}

	write(t, d, Live, thirtyDays("a", ""), thirtyDays("b", ""), thirtyDays("b", "api"))
	teams, err := r.Teams(t.Context())
	if err != nil || !slices.Equal(teams, []string{"a", "b"}) {
		t.Errorf("teams: %q, %v", teams, err)
	}
	services, err := r.Services(t.Context(), "b")
	if err != nil || !slices.Equal(services, []string{"api"}) {
		t.Errorf("services of b: %q, %v", services, err)
	}
}

// thirtyDays is a running point, which everything has that has a point.
func thirtyDays(team, service string) *metrics.Point {
	p := merged(team, at(0, 0), 1, version(1, at(12, 0)))
	p.Grain, p.Service, p.End = metrics.Day30, service, p.Start+30*timeline.Day
	return p
}

// A metric that an older or a later program wrote is given as it is stored.
func TestPointOfAnUnknownMetric(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	p := merged("web", at(9, 0), 2, version(1, at(12, 0)))
	p.Metric = "from_the_future"
	write(t, d, Live, p)
	got, err := d.NewReader().Points(t.Context(), everything(metrics.Hour))
	if err != nil || len(got) != 1 || got[0].Definition != nil || got[0].N() != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Facts are as old as they are: one insert may touch more months than
// ClickHouse takes by default, which would block writing for ever.
func TestOneInsertOfManyMonths(t *testing.T) {
	d, _ := open(t, nil)
	var rows []metrics.Row
	for month := range 150 {
		rows = append(rows, merged("web", at(9, 0)-timeline.Millis(month)*31*timeline.Day, 1, version(1, at(12, 0))))
	}
	write(t, d, Live, rows...)
	is(t, "rows", count(t, d, "SELECT count() FROM points_live"), 150)
	is(t, "months", count(t, d, "SELECT uniqExact(toYYYYMM(start)) FROM points_live"), 150)
}
