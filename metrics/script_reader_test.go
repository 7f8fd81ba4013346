package metrics_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// gauges are those among the metrics of a case at the instants that it asks for,
// from the rows that were emitted: what a reader of the tables has.
func (r *run) gauges() (out []string) {
	type gauge struct{ team, service string }
	for _, at := range r.instants {
		for _, name := range r.show {
			if r.find(name).Statistic != metrics.Gauge {
				continue
			}
			of := map[gauge][]metrics.Interval{}
			for _, o := range r.intervals {
				if o.Metric == name && !o.Deleted && (r.team == "" || r.team == o.Team) {
					of[gauge{o.Team, ""}] = append(of[gauge{o.Team, ""}], o.Observation.Interval())
					if o.Service != "" {
						of[gauge{o.Team, o.Service}] = append(of[gauge{o.Team, o.Service}], o.Observation.Interval())
					}
				}
			}
			keys := slices.SortedFunc(maps.Keys(of), func(a, b gauge) int { return strings.Compare(a.team+"|"+a.service, b.team+"|"+b.service) })
			for _, g := range keys {
				n, ages := metrics.GaugeAt(of[g], at)
				if g.service != "" {
					g.team += " of " + g.service
				}
				text := fmt.Sprintf("%s %s at %s%s n=%d", name, g.team, at.String()[len("2026-"):len("2026-03-02T")], clockOf(at, timeline.UTC()), n)
				for _, age := range ages {
					text += " " + timeline.FormatLength(timeline.Millis(age))
				}
				out = append(out, text)
			}
		}
	}
	return out
}

// organisation is the days of all teams, merged as a reader merges them.
func (r *run) organisation() (out []string) {
	for _, name := range r.show {
		days := map[timeline.Millis][]*metrics.Point{}
		for p := range r.stage.engine.Final() {
			if p.Metric == name && p.Grain == metrics.Day && p.Service == "" {
				days[p.Start] = append(days[p.Start], p)
			}
		}
		for _, start := range slices.Sorted(maps.Keys(days)) {
			first := days[start][0]
			p, err := metrics.Merge(r.find(name), metrics.Frame{
				Team: "org", Several: true, Grain: metrics.Day, Window: timeline.Window{Start: first.Start, End: first.End},
				Zone: first.Zone, Clock: r.tick,
			}, days[start])
			if err != nil {
				r.fail("%v", err)
			}
			out = append(out, describePoint(p))
		}
	}
	return out
}

// find returns a metric of the case: a built-in one, or a variation.
func (r *run) find(name metrics.Name) *metrics.Definition {
	for _, d := range r.definitions {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// vary reads the words of a variation.
func (r *run) vary(words []string) {
	v := metrics.Variation{Name: metrics.Name(words[0])}
	for i := 1; i+1 < len(words); i += 2 {
		switch words[i] {
		case "of":
			v.Of = metrics.Name(words[i+1])
		case "start":
			v.Start = metrics.StartFact(words[i+1])
		case "environment":
			v.Environments = append(v.Environments, words[i+1])
		case "people":
			v.People = metrics.Whose(words[i+1])
		}
	}
	r.variations = append(r.variations, v)
}
