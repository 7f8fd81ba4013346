package web

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// SeriesQuery asks for one metric's points over a range.
type SeriesQuery struct {
	Generation streaming.Generation // of AsOf, or a replay run
	Clock      timeline.Millis      // of AsOf
	Definition *metrics.Definition
	Scope      Scope
	Service    string // "": the total; metrics.AllServices: every one
	Grain      metrics.Grain
	From, To   timeline.Millis // windows that start in [From, To)

	Target *Target // that a chart of it shows; nil: none

	step int // of sliding windows only each step-th, counted from the last; 0: all
}

// Series returns every window of the range that has begun, by service and
// start: stored points, merged ones, and zero or null ones where nothing is
// stored, all behind the guard.
func (g *Guard) Series(ctx context.Context, q SeriesQuery) ([]*metrics.Point, error) {
	return g.read(ctx, q, []Scope{q.Scope})
}

// EachTeam returns the series of each of the teams, in their order, in one read.
func (g *Guard) EachTeam(ctx context.Context, q SeriesQuery, teams []string) ([]*metrics.Point, error) {
	scopes := make([]Scope, len(teams))
	for i, name := range teams {
		scopes[i] = g.teamScope(name)
	}
	return g.read(ctx, q, scopes)
}

func (g *Guard) read(ctx context.Context, q SeriesQuery, scopes []Scope) ([]*metrics.Point, error) {
	if why := g.tooFine(q.Definition, q.Grain); why != "" {
		return nil, withheld(why)
	}
	for _, s := range scopes {
		if err := g.allow(ctx, s.Teams...); err != nil {
			return nil, err
		}
	}
	if isGauge(q.Definition) {
		return g.readGauge(ctx, q, scopes)
	}
	ask := metrics.Query{
		Generation: q.Generation, Metric: q.Definition.Name, Service: q.Service, Grain: metrics.Day, From: q.From, To: q.To,
	}
	for _, s := range scopes {
		q.Scope = s
		ask.Teams = append(ask.Teams, s.Teams...)
		if q.stored() {
			ask.Grain = q.Grain
			continue
		}
		from, to := q.days()
		ask.From, ask.To = min(ask.From, from), max(ask.To, to)
	}
	if len(ask.Teams) == 0 {
		return nil, nil
	}
	rows, err := g.results.Points(ctx, ask)
	if err != nil {
		return nil, readError(err)
	}
	covered, err := g.coverage(ctx)
	if err != nil {
		return nil, err
	}
	var out []*metrics.Point
	for _, s := range scopes {
		q.Scope = s
		points, err := q.fill(rows, covered)
		if err != nil {
			return nil, err
		}
		if err := g.suppress(ctx, &q, points); err != nil {
			return nil, err
		}
		out = append(out, points...)
	}
	return out, nil
}

// fill works out the windows of one scope from the rows of several, which come by
// team. The rows stay as they are: others read them too.
func (q *SeriesQuery) fill(rows []*metrics.Point, covered *covered) (out []*metrics.Point, err error) {
	mine := ofTeams(rows, q.Scope.Teams)
	coverage := covered.of(q.Definition, q.Scope.Teams)
	for _, service := range q.services(mine) {
		points := ofService(mine, service)
		if !q.stored() {
			if points, err = q.merge(service, points, coverage); err != nil {
				return nil, err
			}
		}
		out = append(out, metrics.Fill(q.Definition, q.frame(service), q.windows(), points, coverage)...)
	}
	for i, p := range out {
		if p.Definition != q.Definition {
			known := *p
			known.Definition = q.Definition
			out[i] = &known
		}
	}
	return out, nil
}

// ofTeams are the rows of some teams, of rows that come by team.
func ofTeams(rows []*metrics.Point, teams []string) []*metrics.Point {
	if len(teams) == 1 {
		byTeam := func(p *metrics.Point, team string) int { return cmp.Compare(p.Team, team) }
		from, _ := slices.BinarySearchFunc(rows, teams[0], byTeam)
		to, _ := slices.BinarySearchFunc(rows[from:], teams[0]+"\x00", byTeam)
		return rows[from : from+to]
	}
	mine := make(map[string]bool, len(teams))
	for _, t := range teams {
		mine[t] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(p *metrics.Point) bool { return !mine[p.Team] })
}

// stored reports whether the windows asked for are rows, or merged from days.
func (q *SeriesQuery) stored() bool { return !q.Scope.Several && isStored(q.Grain) }

// Latest returns stored points of 30 days of some metrics at once, filled in, by
// team and metric: what the overview shows, in one read. Each series has the window
// that ends with the day chosen, and the days before it.
func (g *Guard) Latest(ctx context.Context, as metrics.AsOf, teams []string, defs []*metrics.Definition, days int, until until) (map[string]map[metrics.Name][]*metrics.Point, error) {
	if err := g.allow(ctx, teams...); err != nil {
		return nil, err
	}
	series := make([]SeriesQuery, len(teams)) // without a metric
	read := metrics.Query{Generation: as.Generation, Grain: metrics.Day30, Teams: teams, Metrics: []metrics.Name{}, From: as.Clock}
	for i, team := range teams {
		scope := g.teamScope(team)
		today := until.in(scope.Zone, as.Clock)
		series[i] = SeriesQuery{
			Generation: as.Generation, Clock: as.Clock, Scope: scope, Grain: metrics.Day30,
			From: scope.Zone.Midnight(today - 29 - timeline.Date(days)), To: scope.Zone.Midnight(today-29) + 1,
		}
		read.From, read.To = min(read.From, series[i].From), max(read.To, series[i].To)
	}
	gauges := false
	for _, d := range defs {
		if isGauge(d) {
			gauges = true
		} else {
			read.Metrics = append(read.Metrics, d.Name)
		}
	}
	rows, err := g.results.Points(ctx, read)
	if err != nil {
		return nil, readError(err)
	}
	covered, err := g.coverage(ctx)
	if err != nil {
		return nil, err
	}
	intervals := map[string][]metrics.ObservationRow{}
	if gauges {
		all, err := g.results.Intervals(ctx, metrics.Query{Generation: as.Generation, Teams: teams, From: read.From, To: as.Clock + 1})
		if err != nil {
			return nil, readError(err)
		}
		for _, o := range all {
			intervals[o.Team] = append(intervals[o.Team], o)
		}
	}
	type key struct {
		team   string
		metric metrics.Name
	}
	bySeries := map[key][]*metrics.Point{}
	for _, p := range rows {
		k := key{p.Team, p.Metric}
		bySeries[k] = append(bySeries[k], p)
	}
	out := make(map[string]map[metrics.Name][]*metrics.Point, len(teams))
	for i, team := range teams {
		out[team] = make(map[metrics.Name][]*metrics.Point, len(defs))
		for _, d := range defs {
			q := series[i]
			q.Definition = d
			if isGauge(d) {
				out[team][d.Name] = q.gauge(intervals[team], covered.of(d, q.Scope.Teams))
				continue
			}
			points, err := q.fill(bySeries[key{team, d.Name}], covered)
			if err != nil {
				return nil, err
			}
			if err := g.suppress(ctx, &q, points); err != nil {
				return nil, err
			}
			out[team][d.Name] = points
		}
	}
	return out, nil
}

func isStored(g metrics.Grain) bool {
	return g == metrics.Hour || g == metrics.Day || g == metrics.Day30
}

// services are the series of an answer: the one asked for, or those with rows.
func (q *SeriesQuery) services(rows []*metrics.Point) []string {
	if q.Service != metrics.AllServices {
		return []string{q.Service}
	}
	names := []string{""}
	for _, p := range rows {
		names = append(names, p.Service)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func ofService(rows []*metrics.Point, service string) (points []*metrics.Point) {
	for _, p := range rows {
		if p.Service == service {
			points = append(points, p)
		}
	}
	slices.SortStableFunc(points, func(a, b *metrics.Point) int { return cmp.Compare(a.Start, b.Start) })
	return points
}

func (q *SeriesQuery) frame(service string) metrics.Frame {
	return metrics.Frame{
		Team: q.Scope.Label, Several: q.Scope.Several, Service: service, Grain: q.Grain,
		Zone: q.Scope.Zone.Name(), Clock: q.Clock, Generation: q.Generation,
	}
}

// windows are those of the range, on the scope's calendar. Of sliding ones the
// last is the one that ends with the clock's day: a later one would only be
// less of the same.
func (q *SeriesQuery) windows() iter.Seq[timeline.Window] {
	to := q.To
	if z := q.Scope.Zone; q.Grain == metrics.Day30 {
		to = min(to, z.Midnight(z.Date(q.Clock)-29)+1)
	}
	all := windows(q.Scope.Zone, q.Grain, q.From, to)
	if q.step <= 1 {
		return all
	}
	list := slices.Collect(all)
	return func(yield func(timeline.Window) bool) {
		for i, w := range list {
			if (len(list)-1-i)%q.step == 0 && !yield(w) {
				return
			}
		}
	}
}

// Sparse is Series, of which only every step-th window is worked out, counted
// from the last: windows of 30 days of many teams are costly to merge.
func (g *Guard) Sparse(ctx context.Context, q SeriesQuery, step int) ([]*metrics.Point, error) {
	q.step = step
	return g.Series(ctx, q)
}
