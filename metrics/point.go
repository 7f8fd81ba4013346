package metrics

import "meridian/streaming"

// missing says why a point has no value, or "" when it has one.
func (p *Point) missing() Reason {
	a := p.Aggregate
	if p.Withdrawn {
		return NothingObserved
	}
	switch s := p.statistic(); {
	case a.All.N > 0 || s.zero():
		return ""
	}
	if p.Definition != nil {
		for _, r := range p.Definition.Missing {
			if a.All.Excluded.Of(string(r)) > 0 {
				return r
			}
		}
	}
	return NothingObserved
}

// zero reports whether no observations are a value, and it is zero.
func (s Statistic) zero() bool {
	switch s {
	case Count, PerDay, People, Gauge, Heat, CountLength:
		return true
	}
	return false
}

func (p *Point) statistic() Statistic {
	if p.Definition == nil {
		return Count
	}
	return p.Definition.Statistic
}

// N returns how many observations the point is made of.
func (p *Point) N() int64 {
	if p.Aggregate == nil {
		return 0
	}
	return p.Aggregate.All.N
}

// Value returns the headline statistic in the point's unit, and false exactly
// where Missing holds a reason.
func (p *Point) Value() (Number, bool) {
	if p.Missing != "" || p.Aggregate == nil {
		return 0, false
	}
	a := p.Aggregate
	switch p.statistic() {
	case MedianDuration, MedianLines:
		return p.quantile(0)
	case Share:
		return Number(float64(a.All.Hits) / float64(a.All.N)), a.All.N > 0
	case People:
		return Number(len(a.People)), true
	case PerDay:
		if p.Grain == Day30 {
			return Number(float64(a.All.N) / daysOfDay30), true
		}
	}
	return Number(a.All.N), true
}

// Unit returns the unit of the value and the quantiles.
func (p *Point) Unit() string { return p.statistic().Unit(p.Grain) }

// generation returns the computation that the point is of, also where no row is
// stored.
func (p *Point) generation() streaming.Generation {
	if p.Version == 0 {
		return p.Generation
	}
	return p.Version.Generation()
}

const daysOfDay30 = 30

// Quantiles returns p50, p75 and p90 in the point's unit, and false where the
// metric is no distribution or nothing was observed.
func (p *Point) Quantiles() (p50, p75, p90 Number, ok bool) {
	p50, ok = p.quantile(0)
	p75, _ = p.quantile(1)
	p90, _ = p.quantile(2)
	return p50, p75, p90, ok
}

func (p *Point) quantile(i int) (Number, bool) {
	if p.Aggregate == nil || !p.statistic().exact() {
		return 0, false
	}
	q, ok := p.Aggregate.quantile(i)
	return Number(float64(q) / float64(quantileDenominator*p.scale())), ok
}

// scale is how many of the units of observations make one of the point's:
// durations are kept in milliseconds and shown in seconds.
func (p *Point) scale() int64 {
	switch p.statistic() {
	case MedianDuration, Gauge, CountLength:
		return 1000
	}
	return 1
}

// Sum returns the sum of a distribution's values in the point's unit; of ages
// and lengths, in seconds.
func (p *Point) Sum() (Number, bool) {
	if s := p.statistic(); p.N() == 0 || !s.exact() && s != CountLength {
		return 0, false
	}
	return Number(float64(p.Aggregate.All.Sum) / float64(p.scale())), true
}

// Fraction returns the numerator and denominator of a value that is a
// quotient: a share, or a count per day.
func (p *Point) Fraction() (numerator, denominator int64, ok bool) {
	if p.Missing != "" || p.Aggregate == nil {
		return 0, 0, false
	}
	switch s := p.statistic(); {
	case s == Share:
		return p.Aggregate.All.Hits, p.Aggregate.All.N, true
	case s == PerDay && p.Grain == Day30:
		return p.Aggregate.All.N, daysOfDay30, true
	}
	return 0, 0, false
}
