package web

import (
	"context"
	"slices"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// suppress takes the values out of the points of a person metric that are about
// too few people, or that together with others would tell of too few.
func (g *Guard) suppress(ctx context.Context, q *SeriesQuery, points []*metrics.Point) error {
	if q.Definition.Sensitivity != metrics.PersonData || len(points) == 0 {
		return nil
	}
	shown, err := g.shown(ctx, q, points)
	if err != nil {
		return err
	}
	for i, p := range points {
		if p.Given != nil { // what it said before differs by what one of them did
			now := *p
			now.Given = nil
			p, points[i] = &now, &now
		}
		if p.Missing != "" && p.Missing != metrics.NothingObserved || g.people(p) >= g.minPeople && shown(p) {
			continue
		}
		blank := *p
		blank.Aggregate, blank.Missing = new(metrics.Aggregate), metrics.BelowMinPeople
		points[i] = &blank
	}
	return nil
}

// shown decides which points of a series are whole blocks (blocks.go).
func (g *Guard) shown(ctx context.Context, q *SeriesQuery, points []*metrics.Point) (func(*metrics.Point) bool, error) {
	never := func(*metrics.Point) bool { return false }
	switch current, err := g.results.AsOf(ctx); {
	case err != nil:
		return nil, readError(err)
	case current.Generation != q.Generation:
		return never, nil // two runs differ by what a catalog or a fix changed for one person
	case q.Grain == metrics.Hour:
		return func(*metrics.Point) bool { return !g.shared }, nil // one's own machine, which has every delivery
	}
	z := q.Scope.Zone
	first, last := z.Date(points[0].Start), z.Date(points[0].Start)
	for _, p := range points {
		first, last = min(first, z.Date(p.Start)), max(last, z.Date(p.End-1))
	}
	cut, err := g.partitions(ctx, q, periodOf(first), periodOf(last))
	if err != nil {
		return nil, err
	}
	mine := map[string]bool{}
	for _, t := range q.Scope.Teams {
		mine[t] = true
	}
	in := func(s strand) bool { return mine[s.team] && !(q.Scope.Several && s.second) }
	return func(p *metrics.Point) bool {
		if p.Service != "" || p.End > q.Clock {
			return false // what runs on changes with each act
		}
		from, to := z.Date(p.Start), z.Date(p.End-1)+1
		if q.Definition.Statistic == metrics.Heat && g.shared && !wholeWeeks(q.Grain, to) {
			return false
		}
		for period := periodOf(from); period <= periodOf(to-1); period++ {
			start := periodStart(period)
			lo, hi := max(from, start)-start, min(to, start+periodDays)-start
			c := cut[period]
			if c == nil || c.unsure && q.Scope.Several || !c.whole(in, int(lo), int(hi)) {
				return false
			}
		}
		return true
	}, nil
}

// wholeWeeks picks the windows of 30 days that end with a period. A week by hours
// is finer than a day, and of two that overlap by 29 days the difference would be
// a day by its hours; of those that are left, no two overlap by more than two days.
func wholeWeeks(grain metrics.Grain, to timeline.Date) bool {
	return grain == metrics.Day30 && (to-firstMonday)%periodDays == 0
}

// judged is a partition and what is doubted of it.
type judged struct {
	*partition
	unsure bool
}

// cutEvery is how long blocks stand before days are read again: they are of days
// that are over, and change with a midnight or with what comes late. At every
// clock it would cost as much as all else on the overview.
const cutEvery = 10 * timeline.Minute

// partitions cuts periods [from, to] of a metric. They are of all teams, whoever
// asks: what is shown to one must not depend on what is shown to another.
func (g *Guard) partitions(ctx context.Context, q *SeriesQuery, from, to int) (map[int]*judged, error) {
	as := metrics.AsOf{Generation: q.Generation, Clock: q.Clock - q.Clock%cutEvery}
	out, missing := g.cuts.known(as, q.Definition.Name, from, to)
	if len(missing) == 0 {
		return out, nil
	}
	first, last := slices.Min(missing), slices.Max(missing)
	counted, over, err := g.census(ctx, q.Definition.Name, as, first-1, last)
	if err != nil {
		return nil, err
	}
	for _, period := range missing {
		now, before := counted[period], counted[period-1]
		days := min(max(int(over-periodStart(period)), 0), periodDays)
		out[period] = &judged{newPartition(now, before, g.minPeople, days, g.shared), now.unsure}
	}
	g.cuts.keep(as, q.Definition.Name, out)
	return out, nil
}

// census reads who was active in periods [from, to], and the date that is not
// over yet somewhere.
func (g *Guard) census(ctx context.Context, metric metrics.Name, as metrics.AsOf, from, to int) (map[int]*census, timeline.Date, error) {
	teams, err := g.allTeams(ctx)
	if err != nil {
		return nil, 0, err
	}
	groups, today := map[string]string{}, g.directory.Zone().Date(as.Clock)
	for _, t := range g.directory.Teams() {
		groups[t.Name] = t.Group
		today = min(today, zoneOf(t).Date(as.Clock))
	}
	counted := map[int]*census{}
	for period := from; period <= to; period++ {
		counted[period] = &census{strands: map[strand]*activity{}, groups: groups}
	}
	if len(teams) == 0 {
		return counted, today, nil
	}
	utc := timeline.UTC()
	rows, err := g.results.Points(ctx, metrics.Query{
		Generation: as.Generation, Metric: metric, Teams: teams, Grain: metrics.Day,
		From: utc.Midnight(periodStart(from)) - timeline.Day, To: utc.Midnight(periodStart(to+1)) + timeline.Day,
	})
	if err != nil {
		return nil, 0, readError(err)
	}
	for _, p := range rows {
		z, err := timeline.ParseZone(p.Zone)
		if err != nil {
			z = utc // as merge does
		}
		today = min(today, z.Date(as.Clock))
		d := z.Date(p.Start)
		c := counted[periodOf(d)]
		if c == nil || p.Aggregate == nil || p.Service != "" {
			continue
		}
		c.count(p, int(d-periodStart(periodOf(d))), g.active(p), func(id event.PersonID) bool {
			return g.primary != nil && !slices.Contains([]string{"", p.Team}, g.primary(id, p.Start))
		})
	}
	return counted, today, nil
}

// count notes who was active on a team's day, apart by whether it is their first
// team. A row knows whether it holds acts that do not count in the organisation,
// and not whose: where the catalog names nobody, it has changed since.
func (c *census) count(p *metrics.Point, day int, people []event.PersonID, second func(event.PersonID) bool) {
	put := func(s strand, id event.PersonID) {
		a := c.strands[s]
		if a == nil {
			a = new(activity)
			c.strands[s] = a
		}
		if a[day] == nil {
			a[day] = map[event.PersonID]bool{}
		}
		a[day][id] = true
	}
	seconds := 0
	for _, id := range people {
		s := strand{p.Team, second(id)}
		if s.second {
			seconds++
		}
		put(s, id)
	}
	if p.Aggregate.Primary != nil && seconds == 0 {
		c.unsure = true
	}
}

// active are the people of the catalog that a point counts.
func (g *Guard) active(p *metrics.Point) (ids []event.PersonID) {
	if p.Aggregate == nil {
		return nil
	}
	for i := range p.Aggregate.People {
		if c := &p.Aggregate.People[i]; c.N > 0 && (g.known == nil || g.known(c.ID)) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func (g *Guard) people(p *metrics.Point) int { return len(g.active(p)) }
