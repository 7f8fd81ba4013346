package web

import (
	_ "embed" // for openapi.json
	"net/http"
)

// description is written by hand, because it is read by people; a test holds
// it against the table of routes and against real answers.
//
//go:embed openapi.json
var description []byte

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "private, no-cache")
	_, _ = w.Write(description) // an error means that the reader has gone
	return nil
}
