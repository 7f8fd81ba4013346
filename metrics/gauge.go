package metrics

import (
	"slices"

	"meridian/streaming/timeline"
)

// A metric whose statistic is Gauge says how many things are open at an
// instant, and for how long: pull requests that wait, issues in progress. Its
// observations are intervals. Start and At are when one begins (so that its
// stored key stays when it ends), Value is its length in milliseconds, or
// StillOpen. They are stored as evidence and are in no cell: windows and points
// are worked out when they are read, from the intervals alone. So a gauge adds
// up over teams, and over time the last instant counts.
//
// An interval is dated by its end, as every observation is: while it is open,
// however old its start, it is not too old to change.

// StillOpen is the Value of a gauge's interval that has not ended.
const StillOpen int64 = -1

// Interval is when something was open: from Start on, and before End.
type Interval struct {
	Start, End timeline.Millis // End is the largest instant there is while it is open
	Primary    bool            // counts in scopes of several teams
}

// Interval returns the interval that an observation of a gauge stands for.
func (o *Observation) Interval() Interval {
	return Interval{Start: o.At, End: gaugeEnd(o.At, o.Value), Primary: o.Primary}
}

func gaugeEnd(at timeline.Millis, value int64) timeline.Millis {
	if value == StillOpen {
		return never
	}
	return at + timeline.Millis(value)
}

// Open reports whether it has not ended.
func (i Interval) Open() bool { return i.End == never }

// GaugeAt returns how many intervals hold the instant, and how old each of them
// then is in milliseconds, in ascending order.
func GaugeAt(intervals []Interval, at timeline.Millis) (n int64, ages []int64) {
	for _, i := range intervals {
		if i.Start <= at && at < i.End {
			n++
			ages = append(ages, int64(at-i.Start))
		}
	}
	slices.Sort(ages)
	return n, ages
}

// GaugePoint returns a gauge's point of a frame's window: as it stands at the
// window's end, or at the frame's clock where that comes first. Value and n are
// how many were open; quantiles and sum are of their ages, in seconds. Of
// several teams the primary intervals count. A zero needs coverage at that
// instant; a window that has not begun has no value.
func GaugePoint(d *Definition, f Frame, intervals []Interval, c Coverage) *Point {
	p := f.point(d)
	p.Generation = f.Generation
	at := min(f.Window.End, f.Clock)
	if f.Several {
		intervals = slices.DeleteFunc(slices.Clone(intervals), func(i Interval) bool { return !i.Primary })
	}
	p.Status = Final
	if f.Window.End > f.Clock {
		p.Status = Provisional
	}
	switch {
	case f.Window.Start > f.Clock:
		p.Missing = NothingObserved
		return p
	case c.From == 0 || c.Silent:
		p.Missing = NoSource
		return p
	case at < c.From:
		p.Missing = BeforeCoverage
		return p
	}
	a := &p.Aggregate.All
	a.N, a.Values = GaugeAt(intervals, at)
	for _, age := range a.Values {
		a.Sum += age
	}
	return p
}
