package web

import (
	"net/http"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/views"
)

// doraPage shows DORA's five with what each was made of, and what is missing to
// compute the rest.
func (s *Server) doraPage(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p := newParams(r.URL.Query(), "team")
	team := p.text("team")
	if p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(ctx)
	if err != nil {
		return err
	}
	teams, err := s.guard.Teams(ctx)
	if err != nil {
		return err
	}
	page := s.page(r, "DORA", "dora", as)
	here := page.Site.Path("dora")
	v := views.DORA{Page: page}
	v.Teams = teamLinks(here, teams, team)
	scope := s.guard.organisation(teams)
	if team != "" {
		if err := s.exists(r, team); err != nil {
			return err
		}
		scope = s.guard.teamScope(team)
	}
	v.Period = periodText(scope.Zone, lastDays(scope.Zone, as.Clock, 30), as.Clock)
	v.Zone = scope.Zone.Name()
	if len(scope.Teams) > 0 && as.Clock > 0 {
		v.Five, err = remember(&s.minute, within(as, timeline.Minute), "five "+team+" "+ReaderOf(ctx).teams(), func() ([]views.DORAMetric, error) {
			return s.five(r, page.Site, as, scope, team)
		})
		if err != nil {
			return err
		}
	}
	return s.render(w, r, http.StatusOK, v.Render())
}

// byDefinition are the reasons for which something is rightly not counted: nobody
// has to do anything about them.
var byDefinition = map[metrics.Reason]bool{metrics.NotProduction: true, metrics.NeverSucceeded: true, metrics.NoBaseline: true}

// five are the metrics of a scope, each with its facts.
func (s *Server) five(r *http.Request, site views.Site, as metrics.AsOf, scope Scope, team string) (out []views.DORAMetric, err error) {
	today := scope.Zone.Date(as.Clock)
	rows, err := s.guard.covered(r.Context())
	if err != nil {
		return nil, err
	}
	var last []*metrics.Point
	totals, coverage := map[metrics.Name][]*metrics.Point{}, map[metrics.Name]metrics.Coverage{}
	for _, name := range metrics.DORA {
		d := s.guard.definition(string(name))
		if d == nil {
			continue
		}
		q := SeriesQuery{
			Generation: as.Generation, Clock: as.Clock, Definition: d, Scope: scope, Grain: metrics.Day30, Service: metrics.AllServices,
			From: scope.Zone.Midnight(today - 29 - slidingDays), To: scope.Zone.Midnight(today-29) + 1,
		}
		points, err := s.guard.Sparse(r.Context(), q, 3)
		if err != nil {
			return nil, err
		}
		coverage[name] = q.coverage(rows)
		for i, p := range points {
			if p.Service == "" {
				totals[name] = append(totals[name], p)
			}
			if i == len(points)-1 || points[i+1].Service != p.Service {
				last = append(last, p)
			}
		}
	}
	for _, use := range metrics.DORAFacts(last, coverage) {
		d := s.guard.definition(string(use.Metric))
		if d == nil {
			continue
		}
		href := ""
		if team != "" {
			href = site.Path("teams", team, string(d.Name))
		}
		m := views.DORAMetric{ID: string(d.Name), Question: d.Passport.Question, Stat: stat(d, totals[use.Metric], href)}
		for _, u := range use.Used {
			m.Used = append(m.Used, u.Text)
		}
		for _, l := range use.Lacks {
			if byDefinition[l.Reason] {
				m.LeftOut = append(m.LeftOut, l.Text)
				continue
			}
			m.Lacks = append(m.Lacks, views.DORALack{Text: l.Text, Todo: l.Todo})
		}
		out = append(out, m)
	}
	return out, nil
}
