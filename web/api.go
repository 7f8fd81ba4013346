package web

import (
	"encoding/json"
	"fmt"
	"net/http"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// apiMost is how many points an answer holds at most.
const apiMost = 20_000

// AsOfJSON names the computation of an answer.
type AsOfJSON struct {
	Generation uint32  `json:"generation"`
	Clock      *string `json:"clock"` // null before the first tick
}

func asOfJSON(as metrics.AsOf) AsOfJSON {
	return AsOfJSON{uint32(as.Generation), timeOrNull(as.Clock)}
}

// List is the answer of everything that lists items.
type List[T any] struct {
	Items []T      `json:"items"`
	AsOf  AsOfJSON `json:"as_of"`
	Next  *string  `json:"next"`
}

func list[T any](items []T, as metrics.AsOf, next string) List[T] {
	l := List[T]{Items: items, AsOf: asOfJSON(as)}
	if l.Items == nil {
		l.Items = []T{}
	}
	if next != "" {
		l.Next = &next
	}
	return l
}

func writeJSON(w http.ResponseWriter, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("web: write an answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	_, _ = w.Write(append(b, '\n')) // an error means that the reader has gone
	return nil
}

func (s *Server) apiMetrics(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "format")
	if p.format(); p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	if s.unchanged(w, r, as) {
		return nil
	}
	var items []metrics.Explanation
	for _, d := range s.guard.definitions {
		items = append(items, d.Explanation())
	}
	return writeList(w, r, items, as, "")
}

// readScope reads scope= or its short form team=. Without either, each is true:
// every team on its own.
func (s *Server) readScope(r *http.Request, p *params) (scope Scope, teams []string, each bool, err error) {
	text, team := p.text("scope"), p.text("team")
	switch {
	case text != "" && team != "":
		p.fail("Parameters scope and team say the same: send one of them.")
	case team != "":
		text = "team:" + team
	}
	if p.err != nil {
		return scope, nil, false, p.err
	}
	if teams, err = s.guard.Teams(r.Context()); err != nil {
		return scope, nil, false, err
	}
	if text == "" {
		return Scope{Zone: s.directory.Zone()}, teams, true, nil
	}
	scope, err = s.guard.scope(r.Context(), text, teams)
	return scope, teams, false, err
}

// readMetrics reads metric=; without it, all are meant.
func (s *Server) readMetrics(p *params) []*metrics.Definition {
	name := p.text("metric")
	if name == "" {
		return s.guard.definitions
	}
	d := s.guard.definition(name)
	if d == nil {
		p.fail("There is no metric %q; /api/v1/metrics lists them.", name)
		return nil
	}
	return []*metrics.Definition{d}
}

// lastThirty are the windows of the last 30 days; of sliding ones, those that
// end in them.
func lastThirty(z *timeline.Zone, as metrics.AsOf, grain metrics.Grain) timeline.Window {
	days := 30
	if grain == metrics.Day30 {
		days = 59
	}
	w := lastDays(z, as.Clock, days)
	return timeline.Window{Start: max(w.Start, earliest), End: as.Clock + 1}
}
