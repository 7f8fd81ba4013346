package web

import (
	"slices"

	"meridian/metrics"
	"meridian/web/views"
)

// beside adds up what was counted beside the points. Windows of 30 days
// overlap, so of these it is the last one alone.
func beside(grain metrics.Grain, points []*metrics.Point) []views.Figure {
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
	figures := []views.Figure{
		{Name: "late", Value: count(late), Title: "Events that came after the time by which they were expected. They are in the numbers."},
		{Name: "too late", Value: count(dropped), Title: "Events older than the horizon. They are not in the numbers until the next replay."},
		{Name: "duplicates", Value: count(duplicates), Title: "Copies of events that were there already. They changed nothing."},
	}
	if aside > 0 {
		figures = append(figures, views.Figure{Name: "set aside", Value: count(aside), Title: "Events that may not count as they are. The quality page says why."})
	}
	for _, c := range sum.All.Excluded {
		figures = append(figures, views.Figure{Name: "left out: " + words(c.Name), Value: count(c.N), Title: metrics.Reason(c.Name).Sentence()})
	}
	for _, c := range sum.All.Ignored {
		figures = append(figures, views.Figure{Name: "ignored: " + words(c.Name), Value: count(c.N), Title: metrics.Reason(c.Name).Sentence()})
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
