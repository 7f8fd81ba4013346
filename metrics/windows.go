package metrics

import (
	"iter"

	"meridian/ingest/catalog"
	"meridian/streaming/timeline"
)

// calendar cuts time into a team's local hours and days. A team's zone may
// change on a date; every cell belongs to exactly one hour and one day all the
// same: a window ends where its zone does.
type calendar struct {
	catalog *catalog.Catalog
	team    string
	days    map[timeline.Date]timeline.Window // of those about which the clock changes

	near steady          // the last that was asked for
	odd  timeline.Window // the last span that is not steady
}

func newCalendar(c *catalog.Catalog, team string) *calendar {
	return &calendar{catalog: c, team: team, days: map[timeline.Date]timeline.Window{}}
}

func (c *calendar) zone(t timeline.Millis) *timeline.Zone {
	if s := c.steadyAt(t); s != nil {
		return s.zone
	}
	return c.catalog.TeamZone(c.team, t)
}

// hour returns the local hour of t.
func (c *calendar) hour(t timeline.Millis) timeline.Window {
	if s := c.steadyAt(t); s != nil {
		return s.hour(t)
	}
	z := c.zone(t)
	w := z.Hour(t)
	if c.zone(w.Start) != z {
		for s := timeline.CellOf(t); s.Start() > w.Start; s-- {
			if c.zone(s.Start()-1) != z {
				w.Start = s.Start()
				break
			}
		}
	}
	if c.zone(w.End-1) != z {
		for s := timeline.CellOf(t); s.End() < w.End; s++ {
			if c.zone(s.End()) != z {
				w.End = s.End()
				break
			}
		}
	}
	return w
}

// midnight returns the first instant of local date d: the first of a day that
// is d or later.
func (c *calendar) midnight(d timeline.Date) timeline.Millis {
	utc := timeline.UTC().Midnight(d)
	early, late := utc-18*timeline.Hour, utc+18*timeline.Hour // no offset is larger
	if z := c.zone(early); z == c.zone(late) {
		return z.Midnight(d)
	}
	// The zone changes about then. Dates do not go back over a change, except
	// by hours that the later day keeps.
	low, high := timeline.CellOf(early), timeline.CellOf(late)
	for low < high {
		mid := low + (high-low)/2
		if c.zone(mid.Start()).Date(mid.Start()) >= d {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low.Start()
}

// day returns local date d as a window.
func (c *calendar) day(d timeline.Date) timeline.Window {
	if s := c.steadyAt(timeline.Millis(d) * timeline.Day); s != nil {
		return s.day(d)
	}
	w, ok := c.days[d]
	if !ok {
		if len(c.days) > 1000 {
			clear(c.days)
		}
		w = timeline.Window{Start: c.midnight(d), End: c.midnight(d + 1)}
		c.days[d] = w
	}
	return w
}

// date returns the local day that holds t. On the few days whose first minutes
// are repeated it is not what the clock shows: days must not overlap.
func (c *calendar) date(t timeline.Millis) timeline.Date {
	if s := c.steadyAt(t); s != nil {
		return s.date(t)
	}
	d := c.zone(t).Date(t)
	for t >= c.day(d).End {
		d++
	}
	for t < c.day(d).Start {
		d--
	}
	return d
}

// days30 returns the 30 local dates that end with d.
func (c *calendar) days30(d timeline.Date) timeline.Window {
	return timeline.Window{Start: c.day(d - 29).Start, End: c.day(d).End}
}

// window returns the window of a grain by its key: an hour's start, a day's
// date, the last date of 30 days.
func (c *calendar) window(g grainIndex, key int64) timeline.Window {
	switch g {
	case hourGrain:
		return c.hour(timeline.Millis(key))
	case dayGrain:
		return c.day(timeline.Date(key))
	}
	return c.days30(timeline.Date(key))
}

// cellsOf returns the cells [from, to) that begin inside w. Where a zone's
// borders cut a cell (three old offsets do), it belongs to where it begins.
func cellsOf(w timeline.Window) (from, to timeline.Cell) {
	return timeline.CellOf(w.Start + timeline.CellLength - 1), timeline.CellOf(w.End + timeline.CellLength - 1)
}

// Windows returns the windows of a grain (Hour, Day or Day30) in zone z that
// start in [from, to), in order, without empty ones.
func Windows(z *timeline.Zone, g Grain, from, to timeline.Millis) iter.Seq[timeline.Window] {
	return func(yield func(timeline.Window) bool) {
		if g == Hour {
			for w := z.Hour(from); w.Start < to; w = z.Hour(w.End) {
				if w.Start >= from && !yield(w) {
					return
				}
			}
			return
		}
		for d := z.Date(from) - 1; ; d++ {
			w := z.Day(d)
			if w.Start >= to {
				return
			}
			if w.Start < from || w.Empty() {
				continue
			}
			if g == Day30 {
				w = z.Days30(d + 29)
			}
			if !yield(w) {
				return
			}
		}
	}
}
