package web

import (
	"context"
	"math"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// graph is one metric over a range as a metric page has it: its points, and those
// that they are compared with, which lie beside them window by window.
type graph struct {
	query  SeriesQuery
	points []*metrics.Point
	kept   timeline.Millis // windows that start before are of generation 0; 0: none
	axis   timeline.Window
	other  string           // what the points are compared with, "": nothing
	beside []*metrics.Point // in the order of points; where they are fewer, the rest has none
}

// graph reads what an address asks for.
func (s *Server) graph(ctx context.Context, d *metrics.Definition, as metrics.AsOf, scope Scope, v view) (g graph, err error) {
	g.axis, g.kept = v.window, as.HistoryFrom
	if v.run != 0 {
		g.kept = 0 // a run has computed all that it shows
	}
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
	p := plot(language.Of(ctx), g.query, g.points, g.axis, now)
	g.border(ctx, &p)
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

// border marks where what is computed begins, if that is inside the chart: before
// it stand numbers that generation 0 has kept.
func (g *graph) border(ctx context.Context, p *views.Plot) {
	at := g.kept
	if g.query.Grain == metrics.Day30 { // a sliding window is drawn where it ends
		z := g.query.Scope.Zone
		at = z.Midnight(z.Date(at) + 29)
	}
	if g.kept > 0 && at > g.axis.Start && at < g.axis.End {
		p.Border, p.BorderText = int64(at), language.Of(ctx).Chart.Border
	}
}

func (g *graph) rows(ctx context.Context, now timeline.Millis) []views.Row {
	list := rows(language.Of(ctx), g.query, g.points, now)
	for i := range list { // newest first
		if k := len(g.points) - 1 - i; g.other != "" && k < len(g.beside) {
			list[i].Other = valueOf(g.beside[k])
		}
	}
	return list
}
