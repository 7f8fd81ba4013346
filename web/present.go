package web

import (
	"fmt"
	"math"
	"strings"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// A change is worth a colour where enough was observed, and where it is more
// than the noise of two months: else a page would be full of colours that mean
// nothing.
const (
	fewBelow      = 5
	quietPercent  = 5
	quietPerPoint = 2 // of shares, in percentage points
)

// valueOf is one of three answers: a value, a zero, or no data with a reason.
func valueOf(p *metrics.Point) views.Value {
	v, ok := p.Value()
	if !ok {
		return views.Value{Reason: p.Missing.Sentence()}
	}
	return number(float64(v), p.Unit())
}

func number(v float64, unit string) views.Value {
	return views.Value{Text: views.Number(v, unit), Exact: views.Exact(v, unit)}
}

func count(n int64) views.Value {
	return views.Value{Text: views.Int(n), Exact: views.Exact(float64(n), "count")}
}

// distribution reports whether a metric has quantiles.
func distribution(d *metrics.Definition) bool {
	return d.Statistic == metrics.MedianDuration || d.Statistic == metrics.MedianLines
}

// stat is the headline of a series of sliding windows: its last point, against
// the first, whose 30 days end where the last one's begin.
func stat(say *language.Words, d *metrics.Definition, points []*metrics.Point, href string) views.Stat {
	s := views.Stat{Metric: string(d.Name), Title: d.Passport.Title, Question: d.Passport.Question, Href: href}
	if len(points) == 0 {
		s.Value.Reason = metrics.NoSource.Sentence()
		s.Spark = views.NewSpark(say.Number.NoData, nil)
		return s
	}
	newest := newestShown(d, points)
	last := points[newest]
	s.Value = valueOf(last)
	s.N = nText(say, last)
	if newest != len(points)-1 {
		s.N += ", " + untilText(say, last)
	}
	s.Status = string(last.Status)
	if last.Missing != "" {
		s.Status = ""
	}
	s.Few = s.Value.Reason == "" && last.N() < fewBelow && (distribution(d) || d.Statistic == metrics.Share)
	if len(points) > 1 && newest == len(points)-1 {
		s.Change = change(say, d, points[0], last, last.N() < fewBelow)
	}
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = nanWithout(p.Value())
	}
	s.Spark = views.NewSpark(sparkText(say, d, points), values)
	return s
}

// newestShown is the place of the point that stands for a series: the last, and
// of a number about people the last that may be shown, for what runs is withheld
// until it is of enough people.
func newestShown(d *metrics.Definition, points []*metrics.Point) int {
	last := len(points) - 1
	if d.Sensitivity == metrics.PersonData {
		for i := last; i >= 0; i-- {
			if points[i].Missing == "" {
				return i
			}
		}
	}
	return last
}

// untilText says with which day a window ends.
func untilText(say *language.Words, p *metrics.Point) string {
	z, err := timeline.ParseZone(p.Zone)
	if err != nil {
		z = timeline.UTC()
	}
	d := z.Date(p.End - 1)
	return say.Number.DaysTo(dayText(d, d))
}

// nText is what a value is made of, in words: 42 observed, 3 of 40.
func nText(say *language.Words, p *metrics.Point) string {
	if p.Missing != "" {
		return ""
	}
	if p.CoveredDays >= 0 && p.CoveredDays < 30 {
		return say.Number.Covers(views.Int(p.N()), int(p.CoveredDays))
	}
	return say.Number.N(views.Int(p.N()))
}

func sparkText(say *language.Words, d *metrics.Definition, points []*metrics.Point) string {
	first, last := valueOf(points[0]), valueOf(points[len(points)-1])
	word := func(v views.Value) string {
		if v.Text == "" {
			return say.Number.NoData
		}
		return v.Text
	}
	return say.Number.Spark(d.Passport.Title, word(first), word(last))
}

// change compares two windows. Shares differ in points, all else in per cent.
func change(say *language.Words, d *metrics.Definition, before, now *metrics.Point, few bool) views.Change {
	a, ok1 := before.Value()
	b, ok2 := now.Value()
	if !ok1 || !ok2 {
		return views.Change{}
	}
	c := views.Change{Title: say.Number.Before(valueOf(before).Text)}
	rise, quiet := float64(b-a), few
	var size string
	switch {
	case d.Statistic == metrics.Share:
		points := math.Round(math.Abs(rise) * 100)
		if points == 0 {
			rise = 0
		}
		quiet = quiet || points < quietPerPoint
		size = views.Int(int64(points)) + "\u202fpp"
	case a == 0 && b != 0:
		return views.Change{Text: say.Number.New, Title: c.Title}
	case a == 0:
		rise = 0
	default:
		percent := math.Round(math.Abs(rise) / float64(a) * 100)
		if percent == 0 {
			rise = 0
		}
		quiet = quiet || percent < quietPercent
		size = views.Int(int64(percent)) + "\u202f%"
		if percent >= 1000 {
			size = views.Int(int64(math.Round(float64(b)/float64(a)))) + "\u202f×"
		}
	}
	switch {
	case rise == 0:
		c.Text = say.Number.Unchanged
		return c
	case rise > 0:
		c.Text = "↑\u202f" + size
	default:
		c.Text = "↓\u202f" + size
	}
	if !quiet && d.Passport.Better != "" {
		c.Mood = "worse"
		if (rise > 0) == (d.Passport.Better == "higher") {
			c.Mood = "better"
		}
	}
	return c
}

func nanWithout(v metrics.Number, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return float64(v)
}

// given is what a point said when it was final and was revised since, with its n.
func given(p *metrics.Point) (was views.Value, n string, ok bool) {
	if p.Given == nil || p.Status != metrics.Revised {
		return was, "", false
	}
	return number(float64(p.Given.Value), p.Unit()), views.Int(p.Given.N), true
}

func statusWord(say *language.Words, s metrics.Status) string {
	switch s {
	case metrics.Provisional:
		return say.Frame.Provisional
	case metrics.Revised:
		return say.Frame.Revised
	}
	return say.Frame.Final
}

// plot is a series as a chart.
func plot(say *language.Words, q SeriesQuery, points []*metrics.Point, w timeline.Window, now timeline.Millis) views.Plot {
	d, z := q.Definition, q.Scope.Zone
	p := views.Plot{
		ID: "chart", Unit: d.Statistic.Unit(q.Grain), From: int64(w.Start), To: int64(w.End),
		Bars:   q.Grain != metrics.Day30 && (d.Statistic == metrics.Count || d.Statistic == metrics.PerDay || d.Statistic == metrics.People),
		XTicks: ticks(z, w, now),
	}
	for _, pt := range points {
		m := views.Mark{
			Start: int64(pt.Start), End: int64(pt.End), At: int64(pt.Start+pt.End) / 2,
			Y: nanWithout(pt.Value()), P75: math.NaN(), P90: math.NaN(), Was: math.NaN(),
			Provisional: pt.Status == metrics.Provisional, Revised: pt.Status == metrics.Revised,
		}
		if q.Grain == metrics.Day30 { // it is drawn where it ends
			m.At = min(int64(pt.End), p.To)
			m.Start = int64(z.Midnight(z.Date(pt.End - 1)))
		}
		// Those of a gauge are ages, and its line is a number of things.
		if _, p75, p90, ok := pt.Quantiles(); ok && pt.Missing == "" && !isGauge(d) {
			m.P75, m.P90 = float64(p75), float64(p90)
		}
		name := windowText(say, z, q.Grain, timeline.Window{Start: pt.Start, End: pt.End}, now)
		if v := valueOf(pt); v.Text != "" {
			m.Title = say.Number.Mark(name, v.Text, views.Int(pt.N()))
			if pt.Status != metrics.Final {
				m.Title += ", " + statusWord(say, pt.Status)
			}
			if was, n, ok := given(pt); ok {
				m.Was = float64(pt.Given.Value)
				m.Title += say.Number.MarkWas(was.Text, n)
			}
		} else {
			m.Reason, m.Title = v.Reason, say.Number.MarkNone(name, v.Reason)
			m.Gap = gapText(say, pt.Missing)
		}
		p.Marks = append(p.Marks, m)
	}
	if !q.Scope.Several && q.Target != nil {
		p.Goal = goal(say, d, q.Target)
	}
	p.Label = say.Number.ChartLabel(d.Passport.Title, periodText(z, w, now))
	return p
}

// gapText names a gap that is more than nothing having happened.
func gapText(say *language.Words, r metrics.Reason) string {
	switch r {
	case metrics.NothingObserved:
		return ""
	case metrics.NoSource, metrics.BeforeCoverage:
		return say.Number.NotCovered
	case metrics.BelowMinPeople:
		return say.Number.WithheldFew
	}
	return spaced(string(r))
}

// rows is a series as a table, newest first.
func rows(say *language.Words, q SeriesQuery, points []*metrics.Point, now timeline.Millis) (out []views.Row) {
	for i := len(points) - 1; i >= 0; i-- {
		p := points[i]
		r := views.Row{
			Window: views.Time{Text: windowText(say, q.Scope.Zone, q.Grain, timeline.Window{Start: p.Start, End: p.End}, now), Exact: p.Start.String()},
			Value:  valueOf(p), N: views.Int(p.N()), Status: string(p.Status),
			Late: lateText(say, p), Dup: zeroIsDash(p.Duplicates), Left: leftText(say, p),
		}
		if was, n, ok := given(p); ok {
			r.Was, r.WasN = was, n
		}
		if _, p75, p90, ok := p.Quantiles(); ok && p.Missing == "" && !isGauge(q.Definition) {
			u := p.Unit()
			r.P75, r.P90 = number(float64(p75), u), number(float64(p90), u)
		}
		out = append(out, r)
	}
	return out
}

func lateText(say *language.Words, p *metrics.Point) string {
	if p.LateDropped > 0 {
		return say.Number.TooLateBeside(views.Int(p.LateAccepted), views.Int(p.LateDropped))
	}
	return zeroIsDash(p.LateAccepted)
}

func zeroIsDash(n int64) string {
	if n == 0 {
		return "–"
	}
	return views.Int(n)
}

// leftText lists what was left out of a point or did not count, by reason.
func leftText(say *language.Words, p *metrics.Point) string {
	if p.Aggregate == nil {
		return ""
	}
	var parts []string
	for _, c := range p.Aggregate.All.Excluded {
		parts = append(parts, views.Int(c.N)+" "+spaced(c.Name))
	}
	for _, c := range p.Aggregate.All.Ignored {
		parts = append(parts, say.Number.Ignored(views.Int(c.N), spaced(c.Name)))
	}
	return strings.Join(parts, ", ")
}

// spaced makes a name readable: never_succeeded.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// detail says more of a point than its headline, where there is more.
func detail(say *language.Words, p *metrics.Point) string {
	if p.Missing != "" {
		return ""
	}
	if p.Definition != nil && isGauge(p.Definition) {
		if p50, _, p90, ok := p.Quantiles(); ok {
			return say.Number.Ages(views.Number(float64(p50), "seconds"), views.Number(float64(p90), "seconds"))
		}
		return ""
	}
	if _, p75, p90, ok := p.Quantiles(); ok {
		u := p.Unit()
		return fmt.Sprintf("p75 %s, p90 %s", views.Number(float64(p75), u), views.Number(float64(p90), u))
	}
	if n, of, ok := p.Fraction(); ok && p.Unit() == "per_day" {
		return say.Number.InDays(views.Int(n), of)
	} else if ok {
		return say.Number.OfThese(views.Int(n), views.Int(of))
	}
	return ""
}
