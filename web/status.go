package web

import (
	"fmt"
	"net/http"
	"strings"

	"meridian/web/language"
	"meridian/web/views"
)

func (s *Server) statusPage(w http.ResponseWriter, r *http.Request) error {
	// This page is where people look when something fails: it does without
	// the results where they cannot be read.
	as, err := s.guard.AsOf(r.Context())
	say := language.Of(r.Context())
	v := views.Status{
		Page: s.page(r, say.Common.Status, "status", as), OK: err == nil, Title: say.Status.Well,
		Exports: []views.Link{{ID: "status-json", Text: say.Common.JSON, Href: s.base + "/api/v1/status"}},
	}
	for _, h := range s.status.Health(r.Context()) {
		v.Parts = append(v.Parts, views.Part{Name: h.Name, Detail: s.local(h.Detail), OK: h.OK})
		v.OK = v.OK && h.OK
	}
	if err != nil {
		v.Parts = append(v.Parts, views.Part{Name: "results", Detail: say.Status.ResultsAway})
	}
	if !v.OK {
		v.Title = say.Status.Unwell
	}
	e := s.status.Engine()
	fact := func(name, text string) {
		if text != "" {
			v.Engine = append(v.Engine, views.Fact{Name: name, Text: text})
		}
	}
	fact(say.Status.EngineClock, s.moment(e.Clock).Text)
	fact(say.Status.NumbersClock, v.Page.Foot.Clock.Text)
	fact(say.Frame.Generation, fmt.Sprint(e.Generation))
	fact(say.Frame.Logic, e.Logic)
	fact(say.Common.Catalog, e.Catalog)
	fact(say.Frame.ZoneData, e.Zones)
	fact(say.Status.ImportingFact, e.Importing)
	for _, line := range e.Shards {
		v.Shards = append(v.Shards, s.local(line))
	}
	return s.render(w, r, http.StatusOK, v.Render())
}

// livez says that the process answers.
func (s *Server) livez(w http.ResponseWriter, _ *http.Request) error {
	return writeText(w, http.StatusOK, "ok\n")
}

// readyz says whether the parts work: 200, or 503 with those that do not.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	var b strings.Builder
	code := http.StatusOK
	for _, h := range s.status.Health(r.Context()) {
		if !h.OK {
			code = http.StatusServiceUnavailable
			fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Detail)
		}
	}
	if code == http.StatusOK {
		b.WriteString("ok\n")
	}
	return writeText(w, code, b.String())
}

func writeText(w http.ResponseWriter, code int, text string) error {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text)) // an error means that the reader has gone
	return nil
}
