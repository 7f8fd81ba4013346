package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

func (s *Server) team(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p := newParams(r.URL.Query(), "grain", "to")
	grain := p.grain(metrics.Day30, metrics.Day, metrics.Hour)
	name := r.PathValue("team")
	as, err := s.guard.AsOf(ctx)
	if err != nil {
		return err
	}
	until := p.until(zoneOf(s.directory.Team(name)), as.Clock)
	if p.err != nil {
		return p.err
	}
	say := language.Of(ctx)
	if err := s.exists(r, name); err != nil {
		return err
	}
	t := s.directory.Team(name)
	zone := zoneOf(t)
	page := s.page(r, name, "overview", as)
	here := page.Site.Path("teams", name)
	v := views.Team{
		Page: page, Name: name, Group: t.Group, Zone: zone.Name(), Period: periodText(zone, until.days(zone, as.Clock, 30), as.Clock), Feed: here + "/feed.atom",
		Note: teamNote(say, grain),
	}
	rest := url.Values{}
	if grain != metrics.Day30 {
		rest.Set("grain", string(grain))
	}
	v.UpTo = s.upTo(until, here, rest, zone, as)
	for _, g := range []metrics.Grain{metrics.Day30, metrics.Day, metrics.Hour} {
		q := url.Values{}
		if g != metrics.Day30 {
			q.Set("grain", string(g))
		}
		if until.chosen {
			q.Set("to", until.date.String())
		}
		to := here
		if len(q) > 0 {
			to += "?" + q.Encode()
		}
		v.Grains = append(v.Grains, views.Link{ID: "grain-" + string(g), Text: grainTitle(say, g), Href: to, Current: g == grain})
	}
	// With the past that bands are of: it is kept, and one read instead of two.
	latest, err := s.guard.Latest(ctx, as, []string{name}, s.guard.definitions, slidingDays+pastDays, until)
	if err != nil {
		return err
	}
	long, recent := latest[name], map[metrics.Name][]*metrics.Point{}
	for metric, points := range long {
		recent[metric] = points[max(0, len(points)-slidingDays-1):]
	}
	of := recent
	v.Stages = s.stages(say, page.Site, name, recent)
	usual := bands(long, grain)
	if grain != metrics.Day30 {
		if usual, err = s.usuals(ctx, as, name, grain, until); err != nil {
			return err
		}
		if of, err = s.guard.Recent(ctx, as, name, grain, until, false); err != nil {
			return err
		}
	} else if v.Compared = as.Clock > 0; v.Compared {
		// What 30 days are made of does not change within minutes, and costs a read for each.
		v.Moves, err = lately(ctx, s.past, as, "moved "+say.Tag+until.key()+name, func(ctx context.Context) ([]views.Move, error) { return s.moved(ctx, page.Site, as, name, recent) })
		if err != nil {
			return err
		}
	}
	for _, d := range s.guard.definitions {
		i := slices.IndexFunc(v.Families, func(f views.Family) bool { return f.Title == string(d.Family) })
		if i < 0 {
			i = len(v.Families)
			v.Families = append(v.Families, views.Family{Title: string(d.Family)})
		}
		f := &v.Families[i]
		if d.Sensitivity == metrics.PersonData {
			f.Note = say.Team.PeopleNote(s.config.MinPeople)
		}
		st := tileOf(say, d, grain, zone, of[d.Name], usual[d.Name], as.Clock, page.Site.Path("teams", name, string(d.Name)))
		if why := s.guard.tooFine(d, grain); why != "" {
			st.Value.Reason = why
		}
		if st.Value.Reason != "" {
			f.None = append(f.None, st)
		} else {
			f.Stats = append(f.Stats, st)
		}
		if points := recent[d.Name]; d.Statistic == metrics.Heat && len(points) > 0 {
			v.Heat = heatOf(say, points[newestShown(d, points)])
		}
	}
	v.Exports = exported(say, "team", s.teamCall(name, zone, grain, until, as), say.Team.CSV)
	return s.render(w, r, http.StatusOK, v.Render())
}

// teamCall is the call that gives the numbers of a team's page.
func (s *Server) teamCall(team string, z *timeline.Zone, grain metrics.Grain, u until, as metrics.AsOf) string {
	last := u.in(z, as.Clock)
	from, to := z.Midnight(last.AddDays(1-shownWindows[metrics.Day])), u.end(z, as.Clock)
	switch grain {
	case metrics.Hour:
		from = z.Hour(to-1).Start - timeline.Millis(shownWindows[grain]-1)*timeline.Hour
	case metrics.Day30:
		from, to = z.Midnight(last.AddDays(-29-slidingDays)), z.Midnight(last-29)+1
	}
	return s.base + "/api/v1/points?" + url.Values{
		"team": {team}, "grain": {string(grain)}, "from": {max(from, 0).String()}, "to": {to.String()},
	}.Encode()
}

// exists fails for a team that neither the catalog nor a row knows.
func (s *Server) exists(r *http.Request, name string) error { return s.existsIn(r.Context(), name) }

func (s *Server) existsIn(ctx context.Context, name string) error {
	teams, err := s.guard.Teams(ctx)
	if err != nil {
		return err
	}
	if !slices.Contains(teams, name) {
		return notFound("No team is called %q: the catalog does not list it, and nothing came in for a repository or project of that name.", name)
	}
	return nil
}
