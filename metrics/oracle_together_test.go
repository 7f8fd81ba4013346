package metrics_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// What Merge makes of all teams' days is the organisation's: each item and act
// once, people united, medians of all values and not of medians; on each date,
// and over 30 of them. Gauges add up over the teams at every instant.
//
// The batch counts over everything that happened and never adds up teams. A date
// is that of the team which an observation is of, in its own zone.
func TestOrganisationAgainstOracle(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 13))
		entities := make([]uint64, 12+r.IntN(24))
		for i := range entities {
			entities[i] = r.Uint64()
		}
		order := r.Uint64()
		if wrong := compareTogether(t, entities, order, seen); len(wrong) > 0 {
			failSmall(t, seed, entities, wrong, func(fewer []uint64) []string {
				return compareTogether(t, fewer, order, map[string]int{})
			})
		}
	}
	for _, d := range metrics.Definitions() {
		if n := seen[string(d.Name)]; n < 20 {
			t.Errorf("%s: only %d points or instants were compared", d.Name, n)
		}
	}
	for _, what := range []string{"secondary", "secondary in ops", "primary in ops", "dates of several teams"} {
		if seen[what] < 100 {
			t.Errorf("only %d were %s", seen[what], what)
		}
	}
}

func compareTogether(t *testing.T, entities []uint64, order uint64, seen map[string]int) (wrong []string) {
	s := runOrganisation(t, entities, order)
	want := newOracle(s.catalog, s.events, s.happened)
	want.together, want.gauges = true, map[string][]metrics.Interval{}
	want.work()

	days := map[string][]*metrics.Point{} // by metric, service and date
	months := map[string][]*metrics.Point{}
	for p := range s.engine.Final() {
		if p.Grain != metrics.Day {
			continue
		}
		zone, err := timeline.ParseZone(p.Zone)
		if err != nil {
			t.Fatal(err)
		}
		series := string(p.Metric) + " | " + p.Service
		key := series + " | " + zone.Date(p.Start).String()
		if days[key] = append(days[key], p); len(days[key]) > 1 {
			seen["dates of several teams"]++
		}
		months[series] = append(months[series], p)
	}
	differ := func(key string, got *metrics.Point, want *expected) {
		if want == nil {
			want = newExpected()
		}
		seen[string(got.Metric)]++
		if h := held(got); h.String() != want.String() {
			wrong = append(wrong, key+"\n    got  "+h.String()+"\n    want "+want.String())
		}
		wrong = append(wrong, wrongValue(key, got, want)...)
	}
	merged := map[string][]*metrics.Point{}
	wanted := map[string]*expected{} // over all dates
	for key, w := range want.points {
		series := key[:strings.LastIndex(key, " | ")]
		if wanted[series] == nil {
			wanted[series] = newExpected()
		}
		wanted[series].merge(w)
		if days[key] == nil {
			wrong = append(wrong, key+"\n    got  nothing\n    want "+w.String())
		}
	}
	for _, key := range slices.Sorted(maps.Keys(days)) {
		p := together(t, metrics.Day, true, days[key])
		differ(key, p, want.points[key])
		series := key[:strings.LastIndex(key, " | ")]
		merged[series] = append(merged[series], p)
	}
	// All that happens, happens within 30 days: a window over them is made of the
	// teams' days at once, or of the organisation's.
	for series, points := range months {
		differ(series+" | 30 days of teams", together(t, metrics.Day30, true, points), wanted[series])
		differ(series+" | 30 days", together(t, metrics.Day30, false, merged[series]), wanted[series])
	}
	wrong = append(wrong, wrongGauges(s, want, seen)...)
	for _, r := range s.rows.rows {
		switch {
		case r.Deleted || r.Outcome != metrics.Observed:
		case !r.Primary:
			seen["secondary"]++
			seen["secondary in "+r.Team]++
		default:
			seen["primary in "+r.Team]++
		}
	}
	slices.Sort(wrong)
	return wrong
}

// together merges points as a scope's reader does.
func together(t *testing.T, grain metrics.Grain, several bool, points []*metrics.Point) *metrics.Point {
	f := metrics.Frame{Team: "org", Several: several, Service: points[0].Service, Grain: grain, Zone: "UTC"}
	f.Window = timeline.Window{Start: points[0].Start, End: points[0].End}
	for _, p := range points {
		f.Window.Start, f.Window.End = min(f.Window.Start, p.Start), max(f.Window.End, p.End)
	}
	f.Clock = f.Window.End + timeline.Day
	p, err := metrics.Merge(points[0].Definition, f, points)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wrongValue compares what a reader is shown: quantiles of all values, people
// and not visits, one quotient of sums.
func wrongValue(key string, p *metrics.Point, want *expected) (wrong []string) {
	n := len(want.values)
	var value float64
	switch p.Definition.Statistic {
	case metrics.MedianDuration, metrics.MedianLines:
		scale := map[metrics.Statistic]float64{metrics.MedianDuration: 1000, metrics.MedianLines: 1}[p.Definition.Statistic]
		sorted := slices.Sorted(slices.Values(want.values))
		p50, p75, p90, ok := p.Quantiles()
		for i, q := range []metrics.Number{p50, p75, p90} {
			if ok != (n > 0) || ok && !near(float64(q), between(sorted, []float64{0.5, 0.75, 0.9}[i])/scale) {
				wrong = append(wrong, fmt.Sprintf("%s: quantile %d is %v of %v", key, i, q, sorted))
			}
		}
		if n > 0 {
			value = between(sorted, 0.5) / scale
		}
	case metrics.Share:
		value = float64(want.hits) / max(1, float64(n))
	case metrics.People:
		value = float64(len(want.people))
	case metrics.PerDay:
		if value = float64(n); p.Grain == metrics.Day30 {
			value /= 30
		}
	default:
		value = float64(n)
	}
	if got, ok := p.Value(); ok && !near(float64(got), value) || !ok && value != 0 {
		wrong = append(wrong, fmt.Sprintf("%s: the value is %v (%v), not %v", key, got, ok, value))
	}
	return wrong
}

// wrongGauges adds up the teams' gauges every six hours.
func wrongGauges(s *ran, want *oracle, seen map[string]int) (wrong []string) {
	teams := map[string]map[string][]metrics.Interval{} // of a metric
	for _, r := range s.rows.rows {
		if name := string(r.Metric); !r.Deleted && want.definition[name].Statistic == metrics.Gauge {
			if teams[name] == nil {
				teams[name] = map[string][]metrics.Interval{}
			}
			teams[name][r.Team] = append(teams[name][r.Team], r.Interval())
		}
	}
	start := timeline.UTC().Midnight(monday)
	for _, d := range metrics.Definitions() {
		if d.Statistic != metrics.Gauge {
			continue
		}
		for at := start; at < start+14*timeline.Day; at += 6 * timeline.Hour {
			var n int64
			var ages []int64
			for _, intervals := range teams[string(d.Name)] {
				f := metrics.Frame{Several: true, Grain: metrics.Day, Window: timeline.Window{Start: at - timeline.Day, End: at}, Clock: at}
				p := metrics.GaugePoint(d, f, intervals, metrics.Coverage{From: 1})
				n, ages = n+p.N(), append(ages, p.Aggregate.All.Values...)
			}
			slices.Sort(ages)
			var old []int64
			for _, i := range want.gauges[string(d.Name)] {
				if i.Start <= at && at < i.End {
					old = append(old, int64(at-i.Start))
				}
			}
			if slices.Sort(old); n != int64(len(old)) || !slices.Equal(ages, old) {
				wrong = append(wrong, fmt.Sprintf("%s at %s: %d open, of ages %v, not %v", d.Name, at, n, ages, old))
			}
			if n > 0 {
				seen[string(d.Name)]++
			}
		}
	}
	return wrong
}
