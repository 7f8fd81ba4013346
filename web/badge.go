package web

import (
	"net/http"

	"meridian/metrics"
	"meridian/web/language"
	"meridian/web/views"
)

// badge is a metric's last 30 days for a README. It says what the metric page
// says, no data included, and nothing that the guard withholds.
func (s *Server) badge(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "service", "token")
	service := p.text("service")
	if p.err != nil {
		return p.err
	}
	name := r.PathValue("metric")
	d := s.guard.definition(name)
	if d == nil {
		return notFound("No metric is called %q.", name)
	}
	team := r.PathValue("team")
	if err := s.exists(r, team); err != nil {
		return err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	if s.unchanged(w, r, as) {
		return nil
	}
	scope := s.guard.teamScope(team)
	today := scope.Zone.Date(as.Clock)
	points, err := s.guard.Series(r.Context(), SeriesQuery{
		Generation: as.Generation, Clock: as.Clock, Definition: d, Scope: scope, Service: service, Grain: metrics.Day30,
		From: scope.Zone.Midnight(today - 29), To: scope.Zone.Midnight(today-29) + 1,
	})
	if err != nil {
		return err
	}
	say := language.Of(r.Context())
	st := stat(say, d, points, "")
	text := st.Value.Text
	if st.Value.Reason != "" {
		text = say.Number.NoData
	}
	return s.picture(w, r, views.NewBadge(d.Passport.Title, text, st.Value.Reason).Render())
}
