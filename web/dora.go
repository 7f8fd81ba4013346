package web

import (
	"context"
	"net/http"
	"net/url"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// doraPage shows DORA's five with what each was made of, and what is missing to
// compute the rest.
func (s *Server) doraPage(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p := newParams(r.URL.Query(), "team", "to")
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
	say := language.Of(ctx)
	page := s.page(r, say.DORA.DORA, "dora", as)
	here := page.Site.Path("dora")
	v := views.DORA{Page: page}
	scope := s.guard.organisation(teams)
	if team != "" {
		if err := s.exists(r, team); err != nil {
			return err
		}
		scope = s.guard.teamScope(team)
	}
	until, rest := p.until(scope.Zone, as.Clock), url.Values{}
	if p.err != nil {
		return p.err
	}
	if until.chosen {
		rest.Set("to", until.date.String())
	}
	v.Teams = teamLinks(say, here, rest, teams, team)
	rest.Del("to")
	if team != "" {
		rest.Set("team", team)
	}
	v.UpTo = s.upTo(until, here, rest, scope.Zone, as)
	v.Period = periodText(scope.Zone, until.days(scope.Zone, as.Clock, 30), as.Clock)
	v.Zone = scope.Zone.Name()
	if len(scope.Teams) > 0 && as.Clock > 0 {
		v.Five, err = lately(ctx, s.minute, as, "five "+say.Tag+until.key()+team+" "+ReaderOf(ctx).teams(), func(ctx context.Context) ([]views.DORAMetric, error) {
			return s.five(r.WithContext(ctx), page.Site, as, scope, team, until)
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
func (s *Server) five(r *http.Request, site views.Site, as metrics.AsOf, scope Scope, team string, until until) (out []views.DORAMetric, err error) {
	say := language.Of(r.Context())
	last, today := []*metrics.Point(nil), until.in(scope.Zone, as.Clock)
	covered, err := s.guard.coverage(r.Context())
	if err != nil {
		return nil, err
	}
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
		coverage[name] = covered.of(d, scope.Teams)
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
		m := views.DORAMetric{ID: string(d.Name), Question: d.Passport.Question, Stat: stat(say, d, totals[use.Metric], href)}
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
		if team != "" || ReaderOf(r.Context()).AllowsAll() { // else the organisation is refused there
			m.Exports = exported(say, m.ID, s.fiveCall(d, scope, team, today), say.Common.CSV)
		}
		out = append(out, m)
	}
	return out, nil
}

// fiveCall is the call that gives one of the five, each service apart.
func (s *Server) fiveCall(d *metrics.Definition, scope Scope, team string, last timeline.Date) string {
	z := scope.Zone
	q := url.Values{
		"metric": {string(d.Name)}, "grain": {string(metrics.Day30)}, "service": {metrics.AllServices}, "scope": {"org"},
		"from": {max(z.Midnight(last.AddDays(-29-slidingDays)), 0).String()}, "to": {(z.Midnight(last-29) + 1).String()},
	}
	if team != "" {
		q.Set("scope", "team:"+team)
	}
	return s.base + "/api/v1/points?" + q.Encode()
}
