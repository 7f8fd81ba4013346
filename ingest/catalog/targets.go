package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"meridian/streaming/timeline"
)

// Target is what a team has set itself for a metric. Charts show it as a band;
// nothing else follows from it, and no number is judged by it.
//
// One value is a threshold: the band reaches from it to whatever side is the
// better one for the metric. Two, 2h..8h, are the band's ends.
type Target struct {
	Metric    string
	Low, High float64 // equal for a threshold; in the metric's own unit: seconds, a share of 1, a number
	Text      string  // as it is written: 4h
}

// teamTarget is a target with its dates.
type teamTarget struct {
	metric string
	place  place
	values dated[targetValue]
}

type targetValue struct {
	low, high float64
	text      string
}

// readTargets reads {pr_pickup_time: 4h, change_failure_rate: [{value: "15%", to: 2026-03-31}, {value: "10%", from: 2026-04-01}]}.
// Which metrics there are is not known here; who shows them looks.
func (r *reader) readTargets(n *yaml.Node) (list []teamTarget) {
	r.pairs(n, "targets", func(key, value *yaml.Node) {
		if absent(value) {
			return
		}
		values := readDated(r, value, "the target of "+key.Value, r.target)
		if len(values) > 0 {
			list = append(list, teamTarget{strings.TrimSpace(key.Value), r.at(key), values})
		}
	})
	slices.SortFunc(list, func(a, b teamTarget) int { return strings.Compare(a.metric, b.metric) })
	return list
}

func (r *reader) target(n *yaml.Node) (v targetValue, ok bool) {
	text, ok := r.text(n, "a target")
	if !ok {
		return v, false
	}
	low, high, isBand := strings.Cut(text, "..")
	v.text = text
	if v.low, ok = targetNumber(low); ok && isBand {
		v.high, ok = targetNumber(high)
	} else {
		v.high = v.low
	}
	switch {
	case !ok:
		r.problem(real(n), "%q is no target; write a length (4h, 1d12h), a share (15%%), a number (20), or two of them as 2h..8h", text)
	case v.high < v.low:
		r.problem(real(n), "the target %q ends below where it begins", text)
		ok = false
	}
	return v, ok
}

// targetNumber reads a length as seconds, a percentage as a share, or a number.
func targetNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if share, isShare := strings.CutSuffix(s, "%"); isShare {
		v, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
		return v / 100, err == nil && v >= 0 && v <= 100
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v, v >= 0 && v < 1e15
	}
	length, err := timeline.ParseLength(s)
	return float64(length) / float64(timeline.Second), err == nil
}

// Targets returns a team's targets at an instant, by metric. The slice is the
// caller's. A team that the catalog does not name has none.
func (c *Catalog) Targets(team string, at timeline.Millis) []Target {
	for _, t := range c.content.teams {
		if t.name == team {
			return t.targetsOn(c.TeamZone(team, at).Date(at))
		}
	}
	return nil
}

func (t *team) targetsOn(d timeline.Date) (list []Target) {
	for _, target := range t.targets {
		if v, ok := target.values.on(d); ok {
			list = append(list, Target{target.metric, v.low, v.high, v.text})
		}
	}
	return list
}

// unknownTargets reports each target of a metric that is not among those that there
// are: whoever knows them asks. A catalog with such a target still loads, for a metric
// may be declared later or elsewhere.
func (c *content) unknownTargets(metrics []string, problems *collector) {
	for _, t := range c.teams {
		for _, target := range t.targets {
			if slices.Contains(metrics, target.metric) {
				continue
			}
			hint := "`meridian metrics list` names them all"
			if best := Nearest(target.metric, metrics); best != "" {
				hint = "did you mean " + best + "?"
			}
			problems.add(target.place, "no metric is called %q; %s", target.metric, hint)
		}
	}
}

func targetsText(b *strings.Builder, targets []teamTarget) {
	for _, t := range targets {
		writeDated(b, fmt.Sprintf("target %q", t.metric), t.values, func(v targetValue) string { return fmt.Sprint(v.low, " ", v.high) })
	}
}
