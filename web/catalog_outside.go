package web

import (
	"net/http"
	"slices"

	"meridian/metrics"
	"meridian/web/language"
	"meridian/web/views"
)

// outside fills in what the numbers know and the catalog does not: repositories and
// projects that are a team of their own because nobody owns them, and from where
// the time zones of each team's people are known. The latter is a number about
// people, so it is there where the week may be shown.
func (s *Server) outside(r *http.Request, v *views.Catalog, as metrics.AsOf, c CatalogView) error {
	names, err := s.guard.Teams(r.Context())
	if err != nil {
		return err
	}
	site := s.site(r)
	listed := func(name string) bool {
		return slices.ContainsFunc(c.Teams, func(t CatalogTeam) bool { return t.Name == name })
	}
	for _, name := range names {
		if !listed(name) {
			v.Unassigned = append(v.Unassigned, views.Link{ID: views.ID("unassigned", name), Text: name, Href: site.Path("teams", name)})
		}
	}
	d := s.guard.definition("work_heatmap")
	if d == nil || as.Clock <= 0 {
		return nil
	}
	latest, err := s.latest(r.Context(), as, names, []*metrics.Definition{d}, until{})
	if err != nil {
		return err
	}
	for i := range v.Teams {
		points := latest[v.Teams[i].Name][d.Name]
		if len(points) == 0 {
			continue
		}
		if p := points[newestShown(d, points)]; p.Missing != "" {
			v.Teams[i].Zones = p.Missing.Sentence()
		} else {
			z := p.Aggregate.Zones()
			v.Teams[i].Zones = language.Of(r.Context()).Catalog.ZonesOf(z.Configured, z.Inferred, z.Assumed)
			if n := s.guard.strangers(p); n > 0 {
				v.Teams[i].Unknown = views.Int(int64(n))
			}
		}
	}
	return nil
}

// strangers are the accounts that a point counts and the catalog does not name.
func (g *Guard) strangers(p *metrics.Point) (n int) {
	if g.known == nil || p.Aggregate == nil {
		return 0
	}
	for i := range p.Aggregate.People {
		if c := &p.Aggregate.People[i]; c.N > 0 && !g.known(c.ID) {
			n++
		}
	}
	return n
}
