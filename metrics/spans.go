package metrics

import (
	"slices"

	"meridian/streaming/timeline"
)

// Spans are a set of instants: windows that are sorted, not empty, and neither
// overlap nor touch. So a set has one form, however it came together.

// addSpan returns the set with a window in it. It may change the set's memory.
func addSpan(set []timeline.Window, w timeline.Window) []timeline.Window {
	if w.Empty() {
		return set
	}
	first, last := 0, 0 // what it overlaps or touches
	for first < len(set) && set[first].End < w.Start {
		first++
	}
	for last = first; last < len(set) && set[last].Start <= w.End; last++ {
		w.Start, w.End = min(w.Start, set[last].Start), max(w.End, set[last].End)
	}
	return slices.Replace(set, first, last, w)
}

// union returns the instants of either set, in memory of its own.
func union(a, b []timeline.Window) []timeline.Window {
	set := slices.Clone(a)
	for _, w := range b {
		set = addSpan(set, w)
	}
	return set
}

// without returns the instants of a that are not in b, in memory of its own.
func without(a, b []timeline.Window) (set []timeline.Window) {
	for _, w := range a {
		for _, cut := range b {
			if cut.End <= w.Start {
				continue
			}
			if cut.Start >= w.End {
				break
			}
			if cut.Start > w.Start {
				set = append(set, timeline.Window{Start: w.Start, End: cut.Start})
			}
			w.Start = cut.End
		}
		if !w.Empty() {
			set = append(set, w)
		}
	}
	return set
}

// common returns the instants of both sets.
func common(a, b []timeline.Window) []timeline.Window { return without(a, without(a, b)) }

// meets reports whether any instant of w is in the set.
func meets(set []timeline.Window, w timeline.Window) bool {
	return slices.ContainsFunc(set, func(s timeline.Window) bool { return !s.Intersect(w).Empty() })
}

// holds reports whether all instants of w are in the set.
func holds(set []timeline.Window, w timeline.Window) bool {
	return slices.ContainsFunc(set, func(s timeline.Window) bool { return s.Start <= w.Start && w.End <= s.End })
}
