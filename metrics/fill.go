package metrics

import (
	"iter"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Coverage says for which time a scope has data of a metric's sources, as
// readers need it to tell a zero from "no data".
type Coverage struct {
	From timeline.Millis   // where it begins; 0: no source has sent anything
	Had  []timeline.Window // the times, as a set; nil: all from From on
	Gaps []timeline.Window // of which deliveries of any of its sources may be missing all the same

	// Days are counted in what any of the sources has without a gap of its own: a
	// team that deploys through one system misses nothing in the other's gap.
	whole []timeline.Window

	// Silent says that nothing has come from a source that always sends its
	// items: what there is may say nothing about what is counted here. A row in
	// the frame says that it does, see [Fill].
	Silent bool
}

// CoverageOf works out a metric's coverage from stored rows of the teams in
// its scope: all that any of its sources has of any of them.
func CoverageOf(d *Definition, rows []CoverageRow) Coverage {
	c := Coverage{Silent: true}
	senders := d.senders()
	for i := range rows {
		r := &rows[i]
		had := open(r.Covered, r.From)
		if len(had) == 0 || !slices.Contains(d.Sources, r.Source) {
			continue
		}
		c.Had, c.Gaps, c.whole = union(c.Had, had), union(c.Gaps, r.Gaps), union(c.whole, without(had, r.Gaps))
		c.Silent = c.Silent && !slices.Contains(senders, r.Source)
	}
	if len(c.Had) > 0 {
		c.From = c.Had[0].Start
	}
	return c
}

func (c Coverage) had() []timeline.Window {
	if c.Had == nil {
		return open(nil, c.From)
	}
	return c.Had
}

// senders are the sources whose data says that a metric's items would have been
// sent, too. Others may send some: GitHub issues with a label that the catalog
// names, deploy systems the incidents that they know of. That they sent pull
// requests and deployments does not say that they do.
func (d *Definition) senders() []event.Source {
	if d.Subject == SubjectIssue {
		return []event.Source{event.Jira}
	}
	return d.Sources
}

// Days counts the local dates from first to last that lie in coverage up to
// the clock; a day counts when any of it does. It is covered_days of a window of
// 30 days.
func (c Coverage) Days(z *timeline.Zone, first, last timeline.Date, clock timeline.Millis) (n int32) {
	if c.From == 0 {
		return 0
	}
	first, last = max(first, z.Date(c.From)), min(last, z.Date(clock))
	had := c.covered()
	for d := first; d <= last; d++ {
		if meets(had, timeline.Window{Start: z.Midnight(d), End: z.Midnight(d + 1)}) {
			n++
		}
	}
	return n
}

func (c Coverage) covered() []timeline.Window {
	if c.Had == nil {
		return without(c.had(), c.Gaps)
	}
	return c.whole
}

// dayCounter answers what Days does for windows that slide, and looks at each date
// once: thirty windows of thirty days have sixty.
type dayCounter struct {
	zone    *timeline.Zone
	had     []timeline.Window
	from    timeline.Date // of the first date with coverage
	to      timeline.Date // of the clock
	first   timeline.Date // that has been counted
	counted []int32       // covered dates from first to before first + i
}

func (c Coverage) counter(z *timeline.Zone, clock timeline.Millis) *dayCounter {
	k := &dayCounter{zone: z, to: z.Date(clock)}
	if k.from = k.to + 1; c.From != 0 {
		k.from, k.had = z.Date(c.From), c.covered()
	}
	return k
}

// days is Coverage.Days. first must not go back.
func (k *dayCounter) days(first, last timeline.Date) int32 {
	first, last = max(first, k.from), min(last, k.to)
	if first > last {
		return 0
	}
	if k.counted == nil {
		k.first, k.counted = first, []int32{0}
	}
	for d := k.first + timeline.Date(len(k.counted)) - 1; d <= last; d++ {
		n := k.counted[len(k.counted)-1]
		if meets(k.had, timeline.Window{Start: k.zone.Midnight(d), End: k.zone.Midnight(d + 1)}) {
			n++
		}
		k.counted = append(k.counted, n)
	}
	return k.counted[last+1-k.first] - k.counted[first-k.first]
}

// Fill returns one point for each window that has begun at the frame's clock:
// the given one that starts there, or one that the engine has no row for,
// which is zero where the metric counts and its sources were covered from the
// window's start to its end, and null with the reason anywhere else. points
// are of one scope and service, in order; f.Window is not read. A point with a row
// behind it shows that somebody sends items, whichever source it is; its
// covered_days are those of today, since an import changes them without a new row.
func Fill(d *Definition, f Frame, windows iter.Seq[timeline.Window], points []*Point, c Coverage) []*Point {
	var out []*Point
	zone, err := timeline.ParseZone(f.Zone)
	if err != nil {
		zone = timeline.UTC() // a name that has left the zone data
	}
	if slices.ContainsFunc(points, func(p *Point) bool { return p.Missing != NoSource && p.Missing != BeforeCoverage }) {
		c.Silent = false
	}
	covered := c.counter(zone, f.Clock)
	for w := range windows {
		if w.Start > f.Clock {
			break
		}
		for len(points) > 0 && points[0].Start < w.Start {
			points = points[1:]
		}
		if len(points) > 0 && points[0].Start == w.Start {
			p := points[0]
			if f.Grain == Day30 && p.CoveredDays >= 0 {
				now := *p
				now.CoveredDays = covered.days(zone.Date(w.Start), zone.Date(w.End-1))
				p = &now
			}
			out = append(out, p)
			continue
		}
		f.Window = w
		p := f.point(d)
		p.Generation = f.Generation
		p.Status = Final
		if w.End > f.Clock {
			p.Status = Provisional
		}
		p.Missing = c.missing(p)
		if f.Grain == Day30 {
			p.CoveredDays = covered.days(zone.Date(w.Start), zone.Date(w.End-1))
		}
		out = append(out, p)
	}
	return out
}

// missing says why a window without a row has no value, or "" for a zero.
func (c Coverage) missing(p *Point) Reason {
	w := timeline.Window{Start: p.Start, End: p.End}
	switch {
	case c.From == 0 || c.Silent:
		return NoSource
	case w.End <= c.From:
		return BeforeCoverage
	}
	if meets(c.Gaps, w) || w.Start >= c.From && !holds(c.had(), w) {
		return GapReason
	}
	reason := p.missing()
	if reason == "" && w.Start < c.From {
		return BeforeCoverage // the part that nobody saw could hold something
	}
	return reason
}
