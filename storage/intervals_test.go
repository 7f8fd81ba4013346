package storage

import (
	"slices"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// gaugeRow is an interval of a gauge that begins at an hour; 0 hours are one
// that is still open.
func gaugeRow(team string, metric metrics.Name, entity string, begins, hours int, round int) *metrics.ObservationRow {
	length := int64(timeline.Millis(hours) * timeline.Hour)
	if hours == 0 {
		length = metrics.StillOpen
	}
	return &metrics.ObservationRow{Version: version(1, at(round, 0)), Team: team, Observation: metrics.Observation{
		Metric: metric, Entity: event.EntityID(entity), Start: at(begins, 0), At: at(begins, 0), Value: length, Outcome: metrics.Observed, Primary: true,
	}}
}

func TestIntervals(t *testing.T) {
	gauges := slices.DeleteFunc(metrics.Definitions(), func(d *metrics.Definition) bool { return d.Statistic != metrics.Gauge })
	if len(gauges) == 0 {
		t.Fatal("no metric is a gauge")
	}
	gauge := gauges[0].Name
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	write(t, d, Live,
		gaugeRow("a", gauge, "closed early", 1, 2, 12), // [1, 3)
		gaugeRow("a", gauge, "open", 2, 0, 12),
		gaugeRow("a", gauge, "begins later", 9, 0, 12),
		gaugeRow("b", gauge, "of b", 1, 20, 12),
		gaugeRow("a", "pr_merged", "no gauge", 2, 1, 12),
	)
	r := d.NewReader()
	ask := func(q metrics.Query) string {
		rows, err := r.Intervals(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, o := range rows {
			names = append(names, string(o.Entity))
		}
		return strings.Join(names, ", ")
	}
	for _, c := range []struct {
		name     string
		q        metrics.Query
		from, to int
		want     string
	}{
		{"overlapping", metrics.Query{Metric: gauge, Teams: []string{"a"}}, 3, 9, "open"},
		{"from is in", metrics.Query{Metric: gauge, Teams: []string{"a"}}, 2, 3, "closed early, open"},
		{"to is not", metrics.Query{Metric: gauge, Teams: []string{"a"}}, 8, 10, "open, begins later"},
		{"all teams, all gauges", metrics.Query{}, 3, 9, "open, of b"},
	} {
		c.q.From, c.q.To = at(c.from, 0), at(c.to, 0)
		is(t, c.name, ask(c.q), c.want)
	}

	// It closes: the same key, a later version, another length.
	write(t, d, Live, gaugeRow("a", gauge, "open", 2, 3, 13))
	is(t, "closed", ask(metrics.Query{Metric: gauge, Teams: []string{"a"}, From: at(6, 0), To: at(20, 0)}), "begins later")
	is(t, "before", ask(metrics.Query{Metric: gauge, Teams: []string{"a"}, From: at(4, 0), To: at(5, 0)}), "open")
}
