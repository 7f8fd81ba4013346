package metrics_test

import (
	"fmt"
	"slices"
	"strings"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// describePoint is a point on one line: what it says and nothing that it does
// not.
func describePoint(p *metrics.Point) string {
	j := p.JSON()
	zone, err := timeline.ParseZone(p.Zone)
	if err != nil {
		panic(err)
	}
	parts := []string{j.Metric, j.Team}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if p.Service != "" {
		parts[1] += " of " + p.Service
	}
	first, last := zone.Date(p.Start), zone.Date(p.End-1)
	switch {
	case p.Grain == metrics.Hour:
		add("[%s,%s)", clockOf(p.Start, zone), clockOf(p.End, zone))
		if first != timeline.MakeDate(2026, 3, 2) {
			parts[2] = first.String()[len("2026-"):] + parts[2]
		}
	case p.Grain == metrics.Day:
		add("%s", first)
	default:
		add("%s..%s", first, last)
	}
	add("n=%d", j.N)
	unit := map[string]string{"seconds": "s", "per_day": "/day"}[j.Unit]
	switch {
	case j.Missing != "":
		add("missing=%s", j.Missing)
	case j.P50 != nil:
		add("p50=%s%s", j.P50, unit)
	case j.Denominator != nil:
		add("value=%.4g%s (%d/%d)", float64(*j.Value), unit, *j.Numerator, *j.Denominator)
	case *j.Value != metrics.Number(j.N):
		add("value=%s%s", j.Value, unit)
	}
	if j.P50 == nil && j.Sum != nil {
		add("sum=%s%s", j.Sum, "s")
	}
	if j.Heatmap != nil {
		for day, hours := range j.Heatmap {
			for hour, n := range hours {
				if n != 0 {
					add("%s%02d=%d", [...]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}[day], hour, n)
				}
			}
		}
	}
	tally := func(name string, counts map[string]int64) {
		if len(counts) == 0 {
			return
		}
		var list []string
		for k, n := range counts {
			list = append(list, fmt.Sprintf("%s=%d", k, n))
		}
		slices.Sort(list)
		add("%s %s", name, strings.Join(list, " "))
	}
	tally("excluded", j.Excluded)
	tally("ignored", j.Ignored)
	tally("basis", j.Basis)
	beside := func(name string, n int64) {
		if n != 0 {
			add("%s=%d", name, n)
		}
	}
	if c := j.Classes; c != nil {
		beside("working", c.Working)
		beside("evening", c.Evening)
		beside("weekend", c.Weekend)
		beside("holiday", c.Holiday)
	}
	if z := j.Zones; z != nil && *z != (metrics.ZonesJSON{}) {
		add("zones")
		beside("configured", z.Configured)
		beside("inferred", z.Inferred)
		beside("assumed", z.Assumed)
	}
	beside("late_accepted", j.LateAccepted)
	beside("late_dropped", j.LateDropped)
	beside("duplicates", j.Duplicates)
	beside("quarantined", j.Quarantined)
	if j.CoveredDays != nil {
		add("covered=%d", *j.CoveredDays)
	}
	if j.Status != string(metrics.Final) {
		add("%s", j.Status)
	}
	return strings.Join(parts, " ")
}

// clockOf is the time of day in a zone, with its offset unless that is UTC.
func clockOf(t timeline.Millis, zone *timeline.Zone) string {
	minute := zone.MinuteOfDay(t)
	s := fmt.Sprintf("%02d:%02d", minute/60, minute%60)
	if zone == timeline.UTC() {
		return s
	}
	offset, sign := zone.Offset(t)/timeline.Minute, "+"
	if offset < 0 {
		offset, sign = -offset, "-"
	}
	return fmt.Sprintf("%s%s%02d:%02d", s, sign, offset/60, offset%60)
}
