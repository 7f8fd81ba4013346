package storage

import (
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// generationOf is the first column of every table.
func generationOf(v streaming.Version) uint32 { return uint32(v.Generation()) }

const (
	grainKind  = "Enum8('hour' = 1, 'day' = 2, 'day30' = 3)"
	statusKind = "Enum8('provisional' = 1, 'final' = 2, 'revised' = 3)"
)

var pointsTable = &table[*metrics.Point]{
	name: "points",
	keys: 6,
	columns: []columnOf[*metrics.Point]{
		uint32s("generation", func(p *metrics.Point) uint32 { return generationOf(p.Version) }),
		texts("team", func(p *metrics.Point) string { return p.Team }),
		fewTexts("metric", func(p *metrics.Point) string { return string(p.Metric) }),
		constants("grain", grainKind, grainNumber),
		texts("service", func(p *metrics.Point) string { return p.Service }),
		instants("start", func(p *metrics.Point) timeline.Millis { return p.Start }),

		instants("end", func(p *metrics.Point) timeline.Millis { return p.End }),
		fewTexts("zone", func(p *metrics.Point) string { return p.Zone }),
		constants("status", statusKind, statusNumber),
		bools("withdrawn", func(p *metrics.Point) bool { return p.Withdrawn }),
		int64s("n", (*metrics.Point).N),
		maybeNumbers("value", (*metrics.Point).Value),
		fewTexts("unit", (*metrics.Point).Unit),
		maybeNumbers("p50", func(p *metrics.Point) (metrics.Number, bool) { n, _, _, ok := p.Quantiles(); return n, ok }),
		maybeNumbers("p75", func(p *metrics.Point) (metrics.Number, bool) { _, n, _, ok := p.Quantiles(); return n, ok }),
		maybeNumbers("p90", func(p *metrics.Point) (metrics.Number, bool) { _, _, n, ok := p.Quantiles(); return n, ok }),
		maybeNumbers("sum", (*metrics.Point).Sum),
		maybeInt64s("numerator", func(p *metrics.Point) (int64, bool) { n, _, ok := p.Fraction(); return n, ok }),
		maybeInt64s("denominator", func(p *metrics.Point) (int64, bool) { _, n, ok := p.Fraction(); return n, ok }),
		fewTexts("missing", func(p *metrics.Point) string { return string(p.Missing) }),
		int64s("late_accepted", func(p *metrics.Point) int64 { return p.LateAccepted }),
		int64s("late_dropped", func(p *metrics.Point) int64 { return p.LateDropped }),
		int64s("duplicates", func(p *metrics.Point) int64 { return p.Duplicates }),
		int64s("quarantined", func(p *metrics.Point) int64 { return p.Quarantined }),
		maybeInt64s("given_n", givenN),
		maybeNumbers("given_value", givenValue),
		int32s("covered_days", func(p *metrics.Point) int32 { return p.CoveredDays }),
		states("state", appendState),
		uint64s("version", func(p *metrics.Point) uint64 { return uint64(p.Version) }),
	},
}

func grainNumber(p *metrics.Point) int8 {
	switch p.Grain {
	case metrics.Hour:
		return 1
	case metrics.Day:
		return 2
	case metrics.Day30:
		return 3
	}
	return 0 // merged at read, and never stored
}

func statusNumber(p *metrics.Point) int8 {
	switch p.Status {
	case metrics.Provisional:
		return 1
	case metrics.Final:
		return 2
	case metrics.Revised:
		return 3
	}
	return 0
}

func appendState(b []byte, p *metrics.Point) []byte {
	a := p.Aggregate
	if a == nil {
		a = new(metrics.Aggregate)
	}
	return a.AppendBytes(b)
}
