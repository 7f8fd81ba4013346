package web

import (
	"fmt"
	"net/http"

	"github.com/a-h/templ"

	"meridian/metrics"
	"meridian/web/language"
	"meridian/web/views"
)

// chartFile is a metric page's chart as a picture of its own: for a document, and
// for the page's script, which makes a PNG of it.
func (s *Server) chartFile(w http.ResponseWriter, r *http.Request) error {
	d, scope, as, v, err := s.readMetric(r)
	if err != nil {
		return err
	}
	if why := s.guard.tooFine(d, v.grain); why != "" {
		return withheld(why)
	}
	if s.unchanged(w, r, as) {
		return nil
	}
	g, err := s.graph(r.Context(), d, as, scope, v)
	if err != nil {
		return err
	}
	title := d.Passport.Title + ", " + scope.Label
	if v.service != "" {
		title += ", " + v.service
	}
	w.Header().Set("Content-Disposition", `inline; filename="`+string(d.Name)+`.svg"`)
	return s.picture(w, r, views.ChartFile{
		Title: title, Chart: views.NewChart(language.Of(r.Context()), g.plot(r.Context(), as.Clock)),
		Note: language.Of(r.Context()).Metric.FileNote(periodText(scope.Zone, v.window, as.Clock), scope.Zone.Name(), fmt.Sprint(as.Generation), s.moment(as.Clock).Text),
	}.Render())
}

// readMetric reads the address of a metric page and of what hangs on it.
func (s *Server) readMetric(r *http.Request) (d *metrics.Definition, scope Scope, as metrics.AsOf, v view, err error) {
	name := r.PathValue("metric")
	if d = s.guard.definition(name); d == nil {
		return d, scope, as, v, notFound("No metric is called %q.", name)
	}
	if err = s.exists(r, r.PathValue("team")); err != nil {
		return d, scope, as, v, err
	}
	if as, err = s.guard.AsOf(r.Context()); err != nil {
		return d, scope, as, v, err
	}
	scope = s.guard.teamScope(r.PathValue("team"))
	if v, err = readView(r.URL.Query(), scope.Zone, as.Clock); err != nil {
		return d, scope, as, v, err
	}
	if v.run != 0 {
		as.Generation = v.run
	}
	return d, scope, as, v, nil
}

func (s *Server) picture(w http.ResponseWriter, r *http.Request, c templ.Component) error {
	w.Header().Set("Content-Type", "image/svg+xml")
	return s.render(w, r, http.StatusOK, c)
}
