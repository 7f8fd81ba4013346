package web

import (
	"context"
	"fmt"
	"math"

	"meridian/metrics"
	"meridian/web/language"
	"meridian/web/views"
)

// The steps of a distribution: what people say, and not equal ones. A wait of two
// minutes and one of two weeks stand in one picture only so.
var (
	durationEdges = []int64{0, 15 * 60, 30 * 60, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 86400, 2 * 86400, 4 * 86400, 7 * 86400, 14 * 86400, 28 * 86400}
	lineEdges     = []int64{0, 10, 25, 50, 100, 200, 400, 800, 1600, 3200}
)

// spread is the distribution of all values of a range, nil where the metric has
// none or nothing was observed.
func (s *Server) spread(ctx context.Context, d *metrics.Definition, as metrics.AsOf, scope Scope, v view, points []*metrics.Point) (*views.Spread, error) {
	if !distribution(d) {
		return nil, nil
	}
	if v.grain == metrics.Day30 { // whose rows have quantiles and no values
		v.grain = metrics.Day
		var err error
		if points, err = s.guard.Series(ctx, seriesOf(d, as, scope, v)); err != nil {
			return nil, err
		}
	}
	edges, scale, unit := durationEdges, int64(1000), "seconds"
	if d.Statistic == metrics.MedianLines {
		edges, scale, unit = lineEdges, 1, "lines"
	}
	counts := make([]int64, len(edges))
	var n int64
	first, last := len(edges), 0
	for _, p := range points {
		if p.Aggregate == nil || p.Missing != "" {
			continue
		}
		for _, value := range p.Aggregate.All.Values {
			i := len(edges) - 1
			for i > 0 && value < edges[i]*scale {
				i--
			}
			counts[i]++
			n++
			first, last = min(first, i), max(last, i)
		}
	}
	if n == 0 {
		return nil, nil
	}
	var most int64
	for _, c := range counts {
		most = max(most, c)
	}
	say := language.Of(ctx)
	out := &views.Spread{N: views.Int(n)}
	var below int64
	for i := first; i <= last; i++ {
		below += counts[i]
		step := views.Step{N: views.Int(counts[i]), Width: math.Round(float64(counts[i])/float64(most)*1000) / 10, Below: views.Share(float64(below) / float64(n))}
		switch {
		case i == len(edges)-1:
			step.Name = say.Number.AndMore(views.Number(float64(edges[i]), unit))
		case i == 0:
			step.Name = say.Number.Below(views.Number(float64(edges[1]), unit))
		default:
			step.Name = fmt.Sprintf("%s – %s", views.Number(float64(edges[i]), unit), views.Number(float64(edges[i+1]), unit))
		}
		out.Steps = append(out.Steps, step)
	}
	return out, nil
}
