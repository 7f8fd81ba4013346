package web

import (
	"fmt"
	"net/http"
	"slices"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/views"
)

func (s *Server) metric(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	d, scope, as, v, err := s.readMetric(r)
	if err != nil {
		return err
	}
	name := scope.Label
	page := s.page(r, d.Passport.Title+", "+name, "overview", as)
	if v.run != 0 {
		page.Notices = append(page.Notices, views.Notice{Kind: "info", Text: fmt.Sprintf("These numbers are of run %d, which is not what readers see elsewhere.", v.run)})
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
	s.metricLinks(&m, v, here)
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
		m.Chart = views.NewChart(g.plot(ctx, as.Clock))
		m.Rows, m.Other = g.rows(as.Clock), g.other
		if !isGauge(d) { // no window of it keeps such counts; a zero would claim them
			m.Beside = beside(v.grain, g.points)
		}
		m.API = page.Site.Path("api", "v1", "points") + "?" + apiQuery(g.query, v.run).Encode()
		m.CSV = m.API + "&format=csv"
		m.SVG = here + "/chart.svg" + suffix(v)
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

type grainTitle struct {
	grain metrics.Grain
	title string
}

var grainTitles = []grainTitle{{metrics.Hour, "Hours"}, {metrics.Day, "Days"}, {metrics.Day30, "30 days"}}

func (s *Server) metricLinks(m *views.Metric, v view, here string) {
	for _, g := range grainTitles {
		to := v
		to.grain, to.days, to.cursor = g.grain, spans[g.grain][0], ""
		m.Grains = append(m.Grains, views.Link{ID: "grain-" + string(g.grain), Text: g.title, Href: to.href(here), Current: g.grain == v.grain})
	}
	offered := slices.Clone(spans[v.grain])
	slices.Sort(offered)
	for _, n := range offered {
		to := v
		to.days, to.cursor = n, ""
		text := fmt.Sprintf("%d days", n)
		if n == 1 {
			text = "Today"
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
			text = "All services"
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
	m.Stat = stat(d, points, "")
	if len(points) == 0 {
		return nil
	}
	last := points[newestShown(d, points)]
	if d.Statistic == metrics.Heat {
		m.Heat = heatOf(last)
	}
	add := func(name string, value views.Value, title string) {
		m.Figures = append(m.Figures, views.Figure{Name: name, Value: value, Title: title})
	}
	if last.Missing != "" {
		return nil
	}
	unit := last.Unit()
	if isGauge(d) {
		gaugeFigures(last, add)
	} else if _, p75, p90, ok := last.Quantiles(); ok {
		add("three in four within", number(float64(p75), unit), "p75")
		add("nine in ten within", number(float64(p90), unit), "p90")
	}
	if n, of, ok := last.Fraction(); ok && d.Statistic == metrics.Share {
		add("which is", views.Value{Text: views.Int(n) + " of " + views.Int(of), Exact: fmt.Sprintf("%d/%d", n, of)}, "numerator and denominator")
	} else if ok {
		add("in 30 days", count(n), "how many there were")
	}
	if d.Classes {
		c := last.Aggregate.All.Classes
		add("evenings", count(c[timeline.Evening]), "activities outside working hours on a workday")
		add("weekends", count(c[timeline.WeekendClass]), "activities on a weekend")
		add("holidays", count(c[timeline.HolidayClass]), "activities on a holiday")
	}
	if d.Zones {
		z := last.Aggregate.Zones()
		add("zones known", views.Value{Text: fmt.Sprintf("%d of %d", z.Configured, z.Configured+z.Inferred+z.Assumed), Exact: fmt.Sprintf("%d configured, %d inferred, %d assumed", z.Configured, z.Inferred, z.Assumed)},
			"people whose time zone the catalog names, of those active")
	}
	return nil
}
