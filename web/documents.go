package web

import (
	"net/http"

	"meridian/docs/sources"
)

// sourceGuide is a page of docs/sources: as it stands in the repository for a
// program, in the layout of all pages for a browser.
func (s *Server) sourceGuide(w http.ResponseWriter, r *http.Request) error {
	return s.sourceNamed(w, r, r.PathValue("page"))
}

func (s *Server) sourceNamed(w http.ResponseWriter, r *http.Request, name string) error {
	page, ok := sources.Page(name)
	if !ok {
		return notFound("There is no such page of the documentation; /docs/sources has all of them.")
	}
	if wantsPage(r) {
		return s.sourceDocument(w, r, name, page)
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Add("Vary", "Accept")
	_, _ = w.Write(page) // an error means that the reader has gone
	return nil
}

// schema is a JSON Schema, for editors, which send no session.
func (s *Server) schema(w http.ResponseWriter, r *http.Request) error {
	text, ok := s.config.Schemas[r.PathValue("name")]
	if !ok {
		return notFound("There is no such schema.")
	}
	h := w.Header()
	h.Set("Content-Type", "application/schema+json")
	h.Set("Access-Control-Allow-Origin", "*") // editors in browsers
	h.Set("Cache-Control", "no-cache")
	_, _ = w.Write(text) // an error means that the reader has gone
	return nil
}
