package web

import (
	"iter"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// windows returns the windows of any grain that start in [from, to). A range
// is one: the days that start in it.
func windows(z *timeline.Zone, grain metrics.Grain, from, to timeline.Millis) iter.Seq[timeline.Window] {
	if isStored(grain) {
		return metrics.Windows(z, grain, from, to)
	}
	return func(yield func(timeline.Window) bool) {
		if from >= to {
			return
		}
		first := z.Date(from)
		if z.Midnight(first) < from {
			first++
		}
		if grain == metrics.Range {
			if last := z.Date(to - 1); first <= last {
				yield(timeline.Window{Start: z.Midnight(first), End: z.Midnight(last + 1)})
			}
			return
		}
		start := beginning(grain, first)
		if start < first {
			start = following(grain, start)
		}
		for z.Midnight(start) < to {
			next := following(grain, start)
			if !yield(timeline.Window{Start: z.Midnight(start), End: z.Midnight(next)}) {
				return
			}
			start = next
		}
	}
}

// beginning is the first date of the week (from Monday), month or quarter of d.
func beginning(grain metrics.Grain, d timeline.Date) timeline.Date {
	year, month, _ := d.Civil()
	switch grain {
	case metrics.Month:
		return timeline.MakeDate(year, month, 1)
	case metrics.Quarter:
		return timeline.MakeDate(year, month-(month-1)%3, 1)
	}
	return d.AddDays(-(int(d.Weekday()) + 6) % 7)
}

func following(grain metrics.Grain, d timeline.Date) timeline.Date {
	year, month, _ := d.Civil()
	switch grain {
	case metrics.Month:
		return timeline.MakeDate(year, month+1, 1)
	case metrics.Quarter:
		return timeline.MakeDate(year, month+3, 1)
	}
	return d.AddDays(7)
}
