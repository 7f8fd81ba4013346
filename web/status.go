package web

import (
	"fmt"
	"net/http"
	"strings"

	"meridian/web/views"
)

func (s *Server) statusPage(w http.ResponseWriter, r *http.Request) error {
	// This page is where people look when something fails: it does without
	// the results where they cannot be read.
	as, err := s.guard.AsOf(r.Context())
	v := views.Status{Page: s.page(r, "Status", "status", as), OK: err == nil, Title: "Everything works."}
	for _, h := range s.status.Health(r.Context()) {
		v.Parts = append(v.Parts, views.Part{Name: h.Name, Detail: s.local(h.Detail), OK: h.OK})
		v.OK = v.OK && h.OK
	}
	if err != nil {
		v.Parts = append(v.Parts, views.Part{Name: "results", Detail: "The store of results does not answer."})
	}
	if !v.OK {
		v.Title = "Something needs attention."
	}
	e := s.status.Engine()
	fact := func(name, text string) {
		if text != "" {
			v.Engine = append(v.Engine, views.Fact{Name: name, Text: text})
		}
	}
	fact("Clock of the engine", s.moment(e.Clock).Text)
	fact("Clock of the numbers", v.Page.Foot.Clock.Text)
	fact("Generation", fmt.Sprint(e.Generation))
	fact("Logic", e.Logic)
	fact("Catalog", e.Catalog)
	fact("Zone data", e.Zones)
	fact("Importing", e.Importing)
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
