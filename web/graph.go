package web

import (
	"context"
	"math"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/views"
)

// graph is one metric over a range as a metric page has it: its points, and those
// that they are compared with, which lie beside them window by window.
type graph struct {
	query  SeriesQuery
	points []*metrics.Point
	axis   timeline.Window
	other  string           // what the points are compared with, "": nothing
	beside []*metrics.Point // in the order of points; where they are fewer, the rest has none
}

// graph reads what an address asks for.
func (s *Server) graph(ctx context.Context, d *metrics.Definition, as metrics.AsOf, scope Scope, v view) (g graph, err error) {
	g.axis = v.window
	g.query = seriesOf(d, as, scope, v)
	g.query.Target = s.directory.Target(scope.Label, d.Name, as.Clock)
	if g.points, err = s.guard.Series(ctx, g.query); err != nil {
		return g, err
	}
	other, text, err := s.compared(ctx, d, as, scope, v)
	if err != nil || other == nil {
		return g, err
	}
	g.other = text
	g.beside, err = s.guard.Series(ctx, *other)
	return g, err
}

// seriesOf is the query of a view.
func seriesOf(d *metrics.Definition, as metrics.AsOf, scope Scope, v view) SeriesQuery {
	q := SeriesQuery{
		Generation: as.Generation, Clock: as.Clock, Definition: d, Scope: scope, Service: v.service,
		Grain: v.grain, From: v.window.Start, To: v.window.End,
	}
	if v.grain == metrics.Day30 { // a sliding window is shown where it ends
		last := scope.Zone.Date(v.window.End - 1)
		q.From = scope.Zone.Midnight(scope.Zone.Date(v.window.Start) - 29)
		q.To = scope.Zone.Midnight(last-29) + 1
	}
	return q
}

func (g *graph) plot(ctx context.Context, now timeline.Millis) views.Plot {
	p := plot(g.query, g.points, g.axis, now)
	for i := range p.Marks {
		p.Marks[i].Title = views.Local(ctx, p.Marks[i].Title)
	}
	if g.other == "" {
		return p
	}
	p.Other = g.other
	for i := range p.Marks {
		p.Marks[i].Other = math.NaN()
		if i < len(g.beside) {
			p.Marks[i].Other = nanWithout(g.beside[i].Value())
		}
	}
	return p
}

func (g *graph) rows(now timeline.Millis) []views.Row {
	list := rows(g.query, g.points, now)
	for i := range list { // newest first
		if k := len(g.points) - 1 - i; g.other != "" && k < len(g.beside) {
			list[i].Other = valueOf(g.beside[k])
		}
	}
	return list
}
