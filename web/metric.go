package web

import (
	"fmt"
	"net/http"
	"slices"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

func (s *Server) metric(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	d, scope, as, v, err := s.readMetric(r)
	if err != nil {
		return err
	}
	say := language.Of(ctx)
	name := scope.Label
	page := s.page(r, d.Passport.Title+", "+name, "overview", as)
	if v.run != 0 {
		page.Notices = append(page.Notices, views.Notice{Kind: "info", Text: say.Metric.OfRun(fmt.Sprint(v.run))})
	}
	here := page.Site.Path("teams", name, string(d.Name))
	m := views.Metric{
		Page: page, Team: views.Link{Text: name, Href: page.Site.Path("teams", name)}, Zone: scope.Zone.Name(),
		Title: d.Passport.Title, Question: d.Passport.Question, Quantiles: distribution(d),
		Period: periodText(scope.Zone, v.window, as.Clock),
		Custom: views.Custom{Action: here, From: scope.Zone.Date(v.window.Start).String(), To: scope.Zone.Date(v.window.End - 1).String(), Rest: v.hidden("from", "to", "range", "cursor")},
	}
	for _, f := range d.Facts() {
		m.Passport = append(m.Passport, views.Fact(f))
	}
	s.metricLinks(say, &m, v, here)
	if d.Services {
		if m.Services, err = s.serviceLinks(r, name, v, here); err != nil {
			return err
		}
	}
	if err := s.metricHeadline(r, &m, d, as, scope, v); err != nil {
		return err
	}
	if m.Withheld = s.guard.tooFine(d, v.grain); m.Withheld == "" {
		g, err := s.graph(ctx, d, as, scope, v)
		if err != nil {
			return err
		}
		m.Page.Chart = true
		m.Chart = views.NewChart(say, g.plot(ctx, as.Clock))
		m.Rows, m.Other = g.rows(ctx, as.Clock), g.other
		if !isGauge(d) { // no window of it keeps such counts; a zero would claim them
			m.Beside = beside(say, v.grain, g.points)
		}
		m.API = page.Site.Path("api", "v1", "points") + "?" + apiQuery(g.query, v.run).Encode()
		m.CSV = m.API + "&format=csv"
		m.SVG = here + "/chart.svg" + suffix(v)
		if slices.ContainsFunc(g.points, func(p *metrics.Point) bool { return p.Missing == metrics.BelowMinPeople }) {
			m.Withholds = say.Metric.Withholds(s.config.MinPeople)
		}
		if m.Spread, err = s.spread(ctx, d, as, scope, v, g.points); err != nil {
			return err
		}
	}
	if m.Compare, err = s.comparisons(ctx, name, v, here); err != nil {
		return err
	}
	if m.Evidence, err = s.evidence(r, d, as, scope, v, here); err != nil {
		return err
	}
	return s.render(w, r, http.StatusOK, m.Render())
}

// grains are those that a page offers, from the finest.
var grains = []metrics.Grain{metrics.Hour, metrics.Day, metrics.Day30}

func grainTitle(say *language.Words, g metrics.Grain) string {
	switch g {
	case metrics.Hour:
		return say.Team.Hours
	case metrics.Day:
		return say.Team.Days
	}
	return say.Team.Days30
}

func (s *Server) metricLinks(say *language.Words, m *views.Metric, v view, here string) {
	for _, g := range grains {
		to := v
		to.grain, to.days, to.cursor = g, spans[g][0], ""
		m.Grains = append(m.Grains, views.Link{ID: "grain-" + string(g), Text: grainTitle(say, g), Href: to.href(here), Current: g == v.grain})
	}
	offered := slices.Clone(spans[v.grain])
	slices.Sort(offered)
	for _, n := range offered {
		to := v
		to.days, to.cursor = n, ""
		text := say.Common.Days(n)
		if n == 1 {
			text = say.Common.Today
		}
		m.Ranges = append(m.Ranges, views.Link{ID: fmt.Sprintf("range-%d", n), Text: text, Href: to.href(here), Current: n == v.days})
	}
}

func (s *Server) serviceLinks(r *http.Request, team string, v view, here string) (links []views.Link, err error) {
	names, err := s.guard.Services(r.Context(), team)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	for _, name := range append([]string{""}, names...) {
		to := v
		to.service, to.cursor = name, ""
		text := name
		if name == "" {
			text = language.Of(r.Context()).Metric.AllServices
		}
		links = append(links, views.Link{ID: views.ID("service", name), Text: text, Href: to.href(here), Current: name == v.service})
	}
	return links, nil
}

// metricHeadline fills what stands above the chart: the last 30 days.
func (s *Server) metricHeadline(r *http.Request, m *views.Metric, d *metrics.Definition, as metrics.AsOf, scope Scope, v view) error {
	today := scope.Zone.Date(as.Clock)
	points, err := s.guard.Series(r.Context(), SeriesQuery{
		Generation: as.Generation, Clock: as.Clock, Definition: d, Scope: scope, Service: v.service, Grain: metrics.Day30,
		From: scope.Zone.Midnight(today - 29 - slidingDays), To: scope.Zone.Midnight(today-29) + 1,
	})
	if err != nil {
		return err
	}
	say := language.Of(r.Context())
	m.Stat = stat(say, d, points, "")
	if len(points) == 0 {
		return nil
	}
	last := points[newestShown(d, points)]
	if d.Statistic == metrics.Heat {
		m.Heat = heatOf(say, last)
	}
	add := func(name string, value views.Value, title string) {
		m.Figures = append(m.Figures, views.Figure{Name: name, Value: value, Title: title})
	}
	if last.Missing != "" {
		return nil
	}
	unit := last.Unit()
	if isGauge(d) {
		gaugeFigures(say, last, add)
	} else if _, p75, p90, ok := last.Quantiles(); ok {
		add(say.Metric.P75, number(float64(p75), unit), say.Metric.P75Title)
		add(say.Metric.P90, number(float64(p90), unit), say.Metric.P90Title)
	}
	if n, of, ok := last.Fraction(); ok && d.Statistic == metrics.Share {
		add(say.Metric.Fraction, views.Value{Text: say.Number.OfThese(views.Int(n), views.Int(of)), Exact: fmt.Sprintf("%d/%d", n, of)}, say.Metric.FractionTitle)
	} else if ok {
		add(say.Metric.InDays, count(n), say.Metric.InDaysTitle)
	}
	if d.Classes {
		c := last.Aggregate.All.Classes
		add(say.Metric.Evenings, count(c[timeline.Evening]), say.Metric.EveningsTitle)
		add(say.Metric.Weekends, count(c[timeline.WeekendClass]), say.Metric.WeekendsTitle)
		add(say.Metric.Holidays, count(c[timeline.HolidayClass]), say.Metric.HolidaysTitle)
	}
	if d.Zones {
		z := last.Aggregate.Zones()
		add(say.Metric.ZonesKnown, views.Value{Text: say.Number.OfThese(views.Int(int64(z.Configured)), views.Int(int64(z.Configured+z.Inferred+z.Assumed))), Exact: fmt.Sprintf("%d configured, %d inferred, %d assumed", z.Configured, z.Inferred, z.Assumed)},
			say.Metric.ZonesKnownTitle)
	}
	return nil
}
