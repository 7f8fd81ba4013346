package web

import (
	"context"
	"net/http"
	"slices"

	"meridian/metrics"
	"meridian/web/views"
)

func (s *Server) team(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p := newParams(r.URL.Query(), "grain")
	grain := p.grain(metrics.Day30, metrics.Day, metrics.Hour)
	if p.err != nil {
		return p.err
	}
	name := r.PathValue("team")
	as, err := s.guard.AsOf(ctx)
	if err != nil {
		return err
	}
	if err := s.exists(r, name); err != nil {
		return err
	}
	t := s.directory.Team(name)
	zone := zoneOf(t)
	page := s.page(r, name, "overview", as)
	here := page.Site.Path("teams", name)
	v := views.Team{
		Page: page, Name: name, Group: t.Group, Zone: zone.Name(), Period: periodText(zone, lastDays(zone, as.Clock, 30), as.Clock), Feed: here + "/feed.atom",
		Note: teamNotes[grain],
	}
	for _, g := range []metrics.Grain{metrics.Day30, metrics.Day, metrics.Hour} {
		to := here
		if g != metrics.Day30 {
			to += "?grain=" + string(g)
		}
		i := slices.IndexFunc(grainTitles, func(t grainTitle) bool { return t.grain == g })
		v.Grains = append(v.Grains, views.Link{ID: "grain-" + string(g), Text: grainTitles[i].title, Href: to, Current: g == grain})
	}
	latest, err := s.guard.Latest(ctx, as, []string{name}, slidingDays)
	if err != nil {
		return err
	}
	recent := latest[name]
	of := recent
	v.Stages = s.stages(page.Site, name, recent)
	usual, err := s.usuals(ctx, as, name, grain)
	if err != nil {
		return err
	}
	if grain != metrics.Day30 {
		if of, err = s.guard.Recent(ctx, as, name, grain, false); err != nil {
			return err
		}
	} else if v.Compared = as.Clock > 0; v.Compared {
		// What 30 days are made of does not change within minutes, and costs a read for each.
		v.Moves, err = remember(&s.past, coarse(as), "moved "+name, func() ([]views.Move, error) { return s.moved(ctx, page.Site, as, name, recent) })
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
			f.Note = "shown where at least " + views.Plural(int64(s.config.MinPeople), "person was", "people were") + " active, and never person by person"
		}
		st := tileOf(d, grain, zone, of[d.Name], usual[d.Name], as.Clock, page.Site.Path("teams", name, string(d.Name)))
		if why := s.guard.tooFine(d, grain); why != "" {
			st.Value.Reason = why
		}
		if st.Value.Reason != "" {
			f.None = append(f.None, st)
		} else {
			f.Stats = append(f.Stats, st)
		}
		if points := recent[d.Name]; d.Statistic == metrics.Heat && len(points) > 0 {
			v.Heat = heatOf(points[newestShown(d, points)])
		}
	}
	return s.render(w, r, http.StatusOK, v.Render())
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
