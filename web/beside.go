package web

import (
	"slices"

	"meridian/metrics"
	"meridian/web/language"
	"meridian/web/views"
)

// beside adds up what was counted beside the points. Windows of 30 days
// overlap, so of these it is the last one alone.
func beside(say *language.Words, grain metrics.Grain, points []*metrics.Point) []views.Figure {
	if grain == metrics.Day30 && len(points) > 1 {
		points = points[len(points)-1:]
	}
	var late, dropped, duplicates, aside int64
	var sum metrics.Aggregate
	for _, p := range points {
		late, dropped, duplicates = late+p.LateAccepted, dropped+p.LateDropped, duplicates+p.Duplicates
		aside += p.Quarantined
		if p.Aggregate != nil {
			sum.All.Excluded = addTally(sum.All.Excluded, p.Aggregate.All.Excluded)
			sum.All.Ignored = addTally(sum.All.Ignored, p.Aggregate.All.Ignored)
		}
	}
	m := &say.Metric
	figures := []views.Figure{
		{Name: m.LateName, Value: count(late), Title: m.LateNote},
		{Name: m.TooLate, Value: count(dropped), Title: m.TooLateNote},
		{Name: m.DuplicatesName, Value: count(duplicates), Title: m.DuplicatesNote},
	}
	if aside > 0 {
		figures = append(figures, views.Figure{Name: m.SetAside, Value: count(aside), Title: m.SetAsideNote})
	}
	for _, c := range sum.All.Excluded {
		figures = append(figures, views.Figure{Name: m.LeftOutBy(spaced(c.Name)), Value: count(c.N), Title: metrics.Reason(c.Name).Sentence()})
	}
	for _, c := range sum.All.Ignored {
		figures = append(figures, views.Figure{Name: m.IgnoredBy(spaced(c.Name)), Value: count(c.N), Title: metrics.Reason(c.Name).Sentence()})
	}
	return figures
}

// addTally returns the sum of two, sorted by name.
func addTally(a, b metrics.Tally) metrics.Tally {
	out := slices.Clone(a)
	for _, c := range b {
		i, ok := slices.BinarySearchFunc(out, c, func(x, y metrics.Counted) int {
			switch {
			case x.Name < y.Name:
				return -1
			case x.Name > y.Name:
				return 1
			}
			return 0
		})
		if ok {
			out[i].N += c.N
		} else {
			out = slices.Insert(out, i, c)
		}
	}
	return out
}
