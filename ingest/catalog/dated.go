package catalog

import (
	"math"
	"slices"
	"sort"

	"meridian/streaming/timeline"
)

// The ends of time, where a value names no date.
const (
	always  timeline.Date   = math.MinInt32
	forever timeline.Date   = math.MaxInt32
	never   timeline.Millis = math.MinInt64
	endless timeline.Millis = math.MaxInt64
)

// entry is a value with the local dates between which it holds, both inclusive.
type entry[T any] struct {
	value    T
	from, to timeline.Date
}

func (e entry[T]) holds(d timeline.Date) bool { return e.from <= d && d <= e.to }

// dated is a value that may change over time. Its entries may overlap: then the
// one that began later holds, so a stay abroad can be written beside the rule
// that it interrupts. No two begin on the same day.
type dated[T any] []entry[T]

// on is the value on a date; false where none holds.
func (ds dated[T]) on(d timeline.Date) (value T, ok bool) {
	best := -1
	for i := range ds {
		if ds[i].holds(d) && (best < 0 || ds[i].from >= ds[best].from) {
			best = i
		}
	}
	if best < 0 {
		return value, false
	}
	return ds[best].value, true
}

// last is the value on the latest date on which there is one.
func (ds dated[T]) last() (value T, ok bool) {
	best := -1
	for i := range ds {
		if best < 0 || ds[i].to > ds[best].to || ds[i].to == ds[best].to && ds[i].from > ds[best].from {
			best = i
		}
	}
	if best < 0 {
		return value, false
	}
	return ds[best].value, true
}

// borders collects the dates on which something may change, beginning with the
// beginning of time.
type borders []timeline.Date

func addBorders[T any](b borders, ds []entry[T]) borders {
	for _, e := range ds {
		if e.from != always {
			b = append(b, e.from)
		}
		if e.to != forever {
			b = append(b, e.to+1)
		}
	}
	return b
}

func (b borders) sorted() []timeline.Date {
	b = append(b, always)
	slices.Sort(b)
	return slices.Compact(b)
}

// window is the instants of an entry whose dates are local to zone.
func (e entry[T]) window(zoneOn func(timeline.Date) *timeline.Zone) timeline.Window {
	w := timeline.Window{Start: never, End: endless}
	if e.from != always {
		w.Start = zoneOn(e.from).Midnight(e.from)
	}
	if e.to != forever {
		w.End = zoneOn(e.to + 1).Midnight(e.to + 1)
	}
	return w
}

// run is a value from an instant on, until the next run.
type run[T any] struct {
	start timeline.Millis
	value T
}

// runs are in order of their start; the first starts with time itself.
type runs[T any] []run[T]

func (rs runs[T]) at(t timeline.Millis) T {
	if len(rs) == 1 { // nearly always
		return rs[0].value
	}
	i := sort.Search(len(rs), func(i int) bool { return rs[i].start > t })
	return rs[max(i-1, 0)].value
}

// around is at, and the window around t in which it stays.
func (rs runs[T]) around(t timeline.Millis) (T, timeline.Window) {
	i := max(sort.Search(len(rs), func(i int) bool { return rs[i].start > t })-1, 0)
	w := timeline.Window{Start: never, End: endless}
	if i > 0 {
		w.Start = rs[i].start
	}
	if i+1 < len(rs) {
		w.End = rs[i+1].start
	}
	return rs[i].value, w
}
