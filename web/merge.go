package web

import (
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// days is the range of the days that merged windows are made of. A day of
// another team's may begin earlier or later than the scope's by their offsets.
func (q *SeriesQuery) days() (from, to timeline.Millis) {
	from, to = q.From, q.From
	for w := range q.windows() {
		if w.Start > q.Clock {
			break
		}
		to = max(to, w.End)
	}
	if q.Scope.Several {
		from, to = from-timeline.Day, to+timeline.Day
	}
	return from, to
}

// merge makes the windows of the range out of days. A scope of several teams
// has a date's days of all of them, each in its own zone: they are merged by
// date first, so that nothing is merged more than 31 times.
func (q *SeriesQuery) merge(service string, days []*metrics.Point, c metrics.Coverage) ([]*metrics.Point, error) {
	byDate := map[timeline.Date][]*metrics.Point{}
	for _, p := range days {
		z, err := timeline.ParseZone(p.Zone)
		if err != nil {
			z = q.Scope.Zone // a name that left the zone data; the scope's is the best that is known
		}
		d := z.Date(p.Start)
		byDate[d] = append(byDate[d], p)
	}
	if q.Scope.Several {
		for d, points := range byDate {
			f := q.frame(service)
			f.Grain, f.Window = metrics.Day, hull(points)
			merged, err := metrics.Merge(q.Definition, f, points)
			if err != nil {
				return nil, err
			}
			byDate[d] = []*metrics.Point{merged}
		}
	}
	z := q.Scope.Zone
	var out []*metrics.Point
	for w := range q.windows() {
		first, last := z.Date(w.Start), z.Date(w.End-1)
		var parts []*metrics.Point
		for d := first; d <= last; d++ {
			parts = append(parts, byDate[d]...)
		}
		if len(parts) == 0 {
			continue
		}
		f := q.frame(service)
		f.Several = false // done above
		f.Window = hull(parts)
		f.Window.Start, f.Window.End = min(f.Window.Start, w.Start), max(f.Window.End, w.End)
		p, err := metrics.Merge(q.Definition, f, parts)
		if err != nil {
			return nil, err
		}
		p.Start, p.End = w.Start, w.End
		if q.Grain == metrics.Day30 {
			p.CoveredDays = c.Days(z, first, last, q.Clock)
		}
		out = append(out, p)
	}
	return out, nil
}

// hull is the smallest window around all points.
func hull(points []*metrics.Point) timeline.Window {
	w := timeline.Window{Start: points[0].Start, End: points[0].End}
	for _, p := range points {
		w.Start, w.End = min(w.Start, p.Start), max(w.End, p.End)
	}
	return w
}
