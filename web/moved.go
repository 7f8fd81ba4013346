package web

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

const (
	movedMost   = 6    // moves that a page names
	movedLeast  = 15   // per cent from which a number without a better or worse is worth a line
	movedItems  = 3    // contributors of each
	movedLooked = 1000 // items that are looked at for them, the newest
)

// movement is a series that moved, with how far.
type movement struct {
	d           *metrics.Definition
	team        string
	before, now *metrics.Point
	change      views.Change
	size        float64
}

// movementOf compares the last window of 30 days with the one before it; ok is
// false where they are the same but for noise.
func movementOf(say *language.Words, d *metrics.Definition, team string, points []*metrics.Point) (m movement, ok bool) {
	if len(points) < 2 {
		return m, false
	}
	m = movement{d: d, team: team, before: points[0], now: points[len(points)-1]}
	few := m.before.N() < fewBelow || m.now.N() < fewBelow
	if m.before.CoveredDays >= 0 && m.before.CoveredDays < 30 {
		return m, false // it grew because it is known for longer
	}
	a, ok1 := m.before.Value()
	b, ok2 := m.now.Value()
	if !ok1 || !ok2 || few || a == 0 {
		return m, false
	}
	m.change = change(say, d, m.before, m.now, few)
	m.size = math.Abs(math.Log(math.Max(float64(b), 1e-9) / float64(a))) // halved is as far as doubled
	if b == 0 {
		m.size = math.MaxFloat64
	}
	quiet := d.Passport.Better == "" && math.Abs(float64(b-a))/float64(a)*100 < movedLeast
	return m, !quiet && (m.change.Mood != "" || d.Passport.Better == "")
}

// largest keeps the movements that a page names, the furthest first.
func largest(list []movement) []movement {
	slices.SortStableFunc(list, func(a, b movement) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.team, b.team), cmp.Compare(a.d.Name, b.d.Name))
	})
	return list[:min(len(list), movedMost)]
}

// changed are the headlines of all teams that moved.
func (s *Server) changed(say *language.Words, site views.Site, teams []string, defs []*metrics.Definition, latest map[string]map[metrics.Name][]*metrics.Point) (out []views.Move) {
	var list []movement
	for _, team := range teams {
		for _, d := range defs {
			if m, ok := movementOf(say, d, team, latest[team][d.Name]); ok {
				list = append(list, m)
			}
		}
	}
	for _, m := range largest(list) {
		v := m.view(site)
		v.Team = m.team
		out = append(out, v)
	}
	return out
}

func (m movement) view(site views.Site) views.Move {
	return views.Move{
		ID: views.ID("moved", m.team, string(m.d.Name)), Title: m.d.Passport.Title, Href: site.Path("teams", m.team, string(m.d.Name)) + "?compare=previous",
		Now: valueOf(m.now), Before: valueOf(m.before), Change: m.change,
	}
}

// moved are a team's numbers that moved, each with the items that it is most made
// of. A median has no contributors in a strict sense: the longest items are what
// people look at first, and of one that fell, those that it had before.
func (s *Server) moved(ctx context.Context, site views.Site, as metrics.AsOf, team string, latest map[metrics.Name][]*metrics.Point) (out []views.Move, err error) {
	var list []movement
	for _, d := range s.guard.definitions {
		if m, ok := movementOf(language.Of(ctx), d, team, latest[d.Name]); ok && d.Statistic != metrics.Heat {
			list = append(list, m)
		}
	}
	for _, m := range largest(list) {
		v := m.view(site)
		if m.d.Sensitivity != metrics.PersonData && !isGauge(m.d) {
			if err := s.contributors(ctx, as, m, &v); err != nil {
				return nil, err
			}
		}
		out = append(out, v)
	}
	return out, nil
}

func (s *Server) contributors(ctx context.Context, as metrics.AsOf, m movement, v *views.Move) error {
	items := func(p *metrics.Point) ([]metrics.ObservationRow, error) {
		rows, _, err := s.guard.everyItem(ctx, as, m.d, []string{m.team}, "", timeline.Window{Start: p.Start, End: p.End}, movedLooked)
		return slices.DeleteFunc(rows, func(o metrics.ObservationRow) bool { return o.Outcome != metrics.Observed }), err
	}
	a, _ := m.before.Value()
	b, _ := m.now.Value()
	shown := m.now
	if distribution(m.d) && b < a {
		shown = m.before
	}
	now, err := items(shown)
	if err != nil {
		return err
	}
	switch {
	case distribution(m.d):
		say := &language.Of(ctx).Team
		v.Why = say.Longest
		if b < a {
			v.Why = say.LongestBefore
		}
		if m.d.Statistic == metrics.MedianLines {
			v.Why = say.Largest
			if b < a {
				v.Why = say.LargestBefore
			}
		}
		sortItems(now, "longest")
		for i, o := range now[:min(len(now), movedItems)] {
			v.Items = append(v.Items, views.MoveItem{ID: fmt.Sprintf("%s-%d", v.ID, i), Label: cmp.Or(o.Label, string(o.Entity)), URL: webAddress(o.URL), Text: itemValue(language.Of(ctx), m.d, o.Observation).Text})
		}
	case m.d.Statistic == metrics.Share:
		v.Why = language.Of(ctx).Team.NewestCounted
		for _, o := range now {
			if o.Hit && len(v.Items) < movedItems {
				v.Items = append(v.Items, views.MoveItem{ID: fmt.Sprintf("%s-%d", v.ID, len(v.Items)), Label: cmp.Or(o.Label, string(o.Entity)), URL: webAddress(o.URL)})
			}
		}
	default:
		before, err := items(m.before)
		if err != nil {
			return err
		}
		say := language.Of(ctx)
		v.Why, v.Items = say.Team.MostBy, byPlace(say, v.ID, before, now)
	}
	return nil
}

// byPlace counts items by service, or by the repository or project that their
// labels begin with, and names those that changed most.
func byPlace(say *language.Words, id string, before, now []metrics.ObservationRow) (out []views.MoveItem) {
	type counts struct {
		name     string
		was, are int64
	}
	var list []*counts
	at := func(o *metrics.ObservationRow) *counts {
		name := o.Service
		if name == "" {
			name = o.Label
			if i := strings.LastIndexAny(name, "#-"); i > 0 {
				name = name[:i]
			}
		}
		if i := slices.IndexFunc(list, func(c *counts) bool { return c.name == name }); i >= 0 {
			return list[i]
		}
		list = append(list, &counts{name: name})
		return list[len(list)-1]
	}
	for i := range before {
		at(&before[i]).was++
	}
	for i := range now {
		at(&now[i]).are++
	}
	slices.SortStableFunc(list, func(a, b *counts) int {
		size := func(c *counts) int64 { return max(c.are-c.was, c.was-c.are) }
		return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a.name, b.name))
	})
	for i, c := range list[:min(len(list), movedItems)] {
		out = append(out, views.MoveItem{ID: fmt.Sprintf("%s-%d", id, i), Label: c.name, Text: say.Team.Was(views.Int(c.are), views.Int(c.was))})
	}
	return out
}
