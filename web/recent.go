package web

import (
	"context"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// Recent returns the last windows of an hour or a day of all metrics of one team in
// one read; past, with those that their band is of.
func (g *Guard) Recent(ctx context.Context, as metrics.AsOf, team string, grain metrics.Grain, until until, past bool) (map[metrics.Name][]*metrics.Point, error) {
	if err := g.knows(ctx, team); err != nil {
		return nil, err
	}
	scope := g.teamScope(team)
	days, hours := shownWindows[metrics.Day], timeline.Millis(shownWindows[metrics.Hour]-1)*timeline.Hour
	if past {
		days, hours = days+pastDays, hours+pastHours
	}
	to := until.end(scope.Zone, as.Clock)
	from := scope.Zone.Midnight(scope.Zone.Date(to - 1).AddDays(1 - days))
	if grain == metrics.Hour {
		from = scope.Zone.Hour(to-1).Start - hours
	}
	q := metrics.Query{Generation: as.Generation, Grain: grain, Teams: scope.Teams, From: from, To: to}
	rows, err := g.results.Points(ctx, q)
	if err != nil {
		return nil, readError(err)
	}
	covered, err := g.coverage(ctx)
	if err != nil {
		return nil, err
	}
	intervals, err := g.results.Intervals(ctx, q)
	if err != nil {
		return nil, readError(err)
	}
	byMetric := map[metrics.Name][]*metrics.Point{}
	for _, p := range rows {
		byMetric[p.Metric] = append(byMetric[p.Metric], p)
	}
	out := map[metrics.Name][]*metrics.Point{}
	for _, d := range g.definitions {
		q := SeriesQuery{Generation: as.Generation, Clock: as.Clock, Definition: d, Scope: scope, Grain: grain, From: from, To: to}
		switch {
		case g.tooFine(d, grain) != "":
		case isGauge(d):
			out[d.Name] = q.gauge(intervals, covered.of(d, scope.Teams))
		default:
			points, err := q.fill(byMetric[d.Name], covered)
			if err != nil {
				return nil, err
			}
			if err := g.suppress(ctx, &q, points); err != nil {
				return nil, err
			}
			out[d.Name] = points
		}
	}
	return out, nil
}

// knows fails for a team that is not among those that the reader may see.
func (g *Guard) knows(ctx context.Context, team string) error {
	teams, err := g.Teams(ctx)
	if err != nil {
		return err
	}
	for _, name := range teams {
		if name == team {
			return nil
		}
	}
	return notFound("No team is called %q.", team)
}
