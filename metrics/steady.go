package metrics

import (
	"math"

	"meridian/streaming/timeline"
)

// steady is a span of time about which a team's clock does nothing odd: it has one
// zone and one offset, from two days before it until two days behind it. In it an
// hour and a date are one division each, where they are else some look-ups in the
// catalog and in the zone, ten for the point of an hour.
type steady struct {
	timeline.Window
	zone   *timeline.Zone
	offset timeline.Millis
}

// steadyMargin is longer than any local day and any offset together, so that whatever
// touches an instant of the span lies in the same zone and offset as a whole.
const steadyMargin = 2 * timeline.Day

// steadyAt returns the steady span that holds t, or nil where the clock changes about
// then: that is four or five days of a change.
func (c *calendar) steadyAt(t timeline.Millis) *steady {
	if c.near.Contains(t) {
		return &c.near
	}
	if c.odd.Contains(t) {
		return nil
	}
	zone, w := c.catalog.TeamZoneAround(c.team, t)
	offset, run := zone.Steady(t)
	w = w.Intersect(run)
	calm := w
	if calm.Start != math.MinInt64 {
		calm.Start += steadyMargin
	}
	if calm.End != math.MaxInt64 {
		calm.End -= steadyMargin
	}
	switch {
	case calm.Contains(t):
		c.near = steady{calm, zone, offset}
		return &c.near
	case t < calm.Start:
		c.odd = timeline.Window{Start: w.Start, End: min(calm.Start, w.End)}
	default:
		c.odd = timeline.Window{Start: max(calm.End, w.Start), End: w.End}
	}
	return nil
}

// hour is the local hour of an instant of the span.
func (s *steady) hour(t timeline.Millis) timeline.Window {
	local := t + s.offset
	start := local - floorMod(local, timeline.Hour) - s.offset
	return timeline.Window{Start: start, End: start + timeline.Hour}
}

// date is the local date of an instant of the span.
func (s *steady) date(t timeline.Millis) timeline.Date {
	local := t + s.offset
	return timeline.Date((local - floorMod(local, timeline.Day)) / timeline.Day)
}

// day is a local date whose midnight of UTC lies in the span.
func (s *steady) day(d timeline.Date) timeline.Window {
	start := timeline.Millis(d)*timeline.Day - s.offset
	return timeline.Window{Start: start, End: start + timeline.Day}
}

func floorMod(m, by timeline.Millis) timeline.Millis {
	r := m % by
	if r < 0 {
		r += by
	}
	return r
}
