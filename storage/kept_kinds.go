package storage

import (
	"cmp"

	"meridian/metrics"
)

var keptPoints = keptKind[*metrics.Point]{
	most: 48 << 20,
	compare: func(a, b *metrics.Point) int {
		return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Service, b.Service), cmp.Compare(a.Start, b.Start))
	},
	newer: func(a, b *metrics.Point) bool { return a.Version > b.Version },
	gone:  func(*metrics.Point) bool { return false },
	size: func(p *metrics.Point) int64 {
		a := &p.Aggregate.All
		n := len(a.Values) + len(a.Heat) + len(p.Aggregate.Quantiles) + 8*len(p.Aggregate.People) + 4*(len(a.Excluded)+len(a.Ignored)+len(a.Basis))
		if p.Aggregate.Primary != nil {
			n += 40 + len(p.Aggregate.Primary.Values) + len(p.Aggregate.Primary.Heat)
		}
		return int64(600 + 8*n)
	},
}

var keptIntervals = keptKind[metrics.ObservationRow]{
	most: 16 << 20,
	compare: func(a, b metrics.ObservationRow) int {
		return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.At, b.At), cmp.Compare(a.Service, b.Service),
			cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Item, b.Item), cmp.Compare(a.Reason, b.Reason))
	},
	newer: func(a, b metrics.ObservationRow) bool { return a.Version > b.Version },
	gone:  func(o metrics.ObservationRow) bool { return o.Deleted },
	size: func(o metrics.ObservationRow) int64 {
		return int64(400 + len(o.Entity) + len(o.Item) + len(o.URL) + len(o.Label))
	},
}

var keptCoverage = keptKind[metrics.CoverageRow]{
	most: 4 << 20,
	size: func(c metrics.CoverageRow) int64 { return int64(200 + 16*(len(c.Covered)+len(c.Gaps))) },
}

var keptNames = keptKind[string]{
	most:    1 << 20,
	compare: cmp.Compare[string],
	newer:   func(a, b string) bool { return false },
	gone:    func(string) bool { return false },
	size:    func(s string) int64 { return int64(16 + len(s)) },
}

var keptEvidence = keptKind[evidencePage]{
	most: 8 << 20,
	size: func(p evidencePage) (n int64) {
		for _, o := range p.rows {
			n += keptIntervals.size(o)
		}
		return n
	},
}
