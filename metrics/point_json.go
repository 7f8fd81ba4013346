package metrics

import "meridian/streaming/timeline"

// PointJSON is a point as `replay --print` and the API write it, one object a
// line. Programs rely on it: it changes only by addition. A nil pointer is null.
type PointJSON struct {
	Metric       string           `json:"metric"`
	Team         string           `json:"team"`
	Service      string           `json:"service"`
	Grain        string           `json:"grain"`
	Start        string           `json:"start"`
	End          string           `json:"end"`
	Zone         string           `json:"zone"`
	N            int64            `json:"n"`
	Value        *Number          `json:"value"`
	Unit         string           `json:"unit"`
	P50          *Number          `json:"p50"`
	P75          *Number          `json:"p75"`
	P90          *Number          `json:"p90"`
	Sum          *Number          `json:"sum"`
	Numerator    *int64           `json:"numerator"`
	Denominator  *int64           `json:"denominator"`
	Status       string           `json:"status"`
	Missing      string           `json:"missing"`
	Excluded     map[string]int64 `json:"excluded"`
	Ignored      map[string]int64 `json:"ignored"`
	LateAccepted int64            `json:"late_accepted"`
	LateDropped  int64            `json:"late_dropped"`
	Duplicates   int64            `json:"duplicates"`
	Quarantined  int64            `json:"quarantined,omitempty"` // events set aside beside it; left out where there are none
	Zones        *ZonesJSON       `json:"zones"`
	Classes      *ClassesJSON     `json:"classes,omitempty"`
	Heatmap      *[7][24]int64    `json:"heatmap,omitempty"` // from Monday
	Generation   uint32           `json:"generation"`
	Version      string           `json:"version"`
	Basis        map[string]int64 `json:"basis"`
	CoveredDays  *int32           `json:"covered_days"`
}

// ZonesJSON says how many of a point's people have a zone that is known how.
type ZonesJSON struct {
	Configured int64 `json:"configured"`
	Inferred   int64 `json:"inferred"`
	Assumed    int64 `json:"assumed"`
}

// ClassesJSON counts acts by class.
type ClassesJSON struct {
	Working int64 `json:"working"`
	Evening int64 `json:"evening"`
	Weekend int64 `json:"weekend"`
	Holiday int64 `json:"holiday"`
}

// JSON returns the point as it is shown.
func (p *Point) JSON() PointJSON {
	a := p.Aggregate
	if a == nil {
		a = new(Aggregate)
	}
	j := PointJSON{
		Metric: string(p.Metric), Team: p.Team, Service: p.Service, Grain: string(p.Grain),
		Start: p.Start.String(), End: p.End.String(), Zone: p.Zone,
		N: p.N(), Value: numberOrNull(p.Value()), Unit: p.Unit(), Sum: numberOrNull(p.Sum()),
		Status: string(p.Status), Missing: string(p.Missing),
		Excluded: a.All.Excluded.Map(), Ignored: a.All.Ignored.Map(),
		LateAccepted: p.LateAccepted, LateDropped: p.LateDropped, Duplicates: p.Duplicates, Quarantined: p.Quarantined,
		Generation: uint32(p.generation()), Version: p.Version.String(),
	}
	if p50, p75, p90, ok := p.Quantiles(); ok {
		j.P50, j.P75, j.P90 = &p50, &p75, &p90
	}
	if n, d, ok := p.Fraction(); ok {
		j.Numerator, j.Denominator = &n, &d
	}
	if p.Definition != nil && p.Definition.Zones {
		z := a.Zones()
		j.Zones = &z
	}
	if p.Definition != nil && p.Definition.Classes {
		c := a.All.Classes
		j.Classes = &ClassesJSON{
			Working: c[timeline.Working], Evening: c[timeline.Evening], Weekend: c[timeline.WeekendClass], Holiday: c[timeline.HolidayClass],
		}
	}
	if p.statistic() == Heat {
		t := a.All.Heat.Table()
		j.Heatmap = &t
	}
	if len(a.All.Basis) > 0 {
		j.Basis = a.All.Basis.Map()
	}
	if p.CoveredDays >= 0 {
		days := p.CoveredDays
		j.CoveredDays = &days
	}
	return j
}
