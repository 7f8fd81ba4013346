package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"meridian/web/views"
)

// handler answers, or returns an error before it has written anything.
type handler func(w http.ResponseWriter, r *http.Request) error

// answer is the one place where errors become answers.
func (s *Server) answer(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

// Problem is an RFC 9457 problem document.
type Problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail,omitempty"`
	RequestID string `json:"request_id,omitempty"`
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var e *Error
	switch {
	case r.Context().Err() != nil:
		return // nobody is there to read an answer
	case errors.As(err, &e):
	case errors.Is(err, context.DeadlineExceeded):
		e = unavailable(err)
	default:
		e = &Error{Status: http.StatusInternalServerError, Title: "Something went wrong", Detail: "This is a fault of Meridian's, and the log says which.", Cause: err}
	}
	id, level := requestID(r), slog.LevelError
	if e.Status == http.StatusServiceUnavailable && s.config.Starting != nil && s.config.Starting() {
		level = slog.LevelInfo
		e = &Error{Status: e.Status, Title: "The server is starting", Detail: "Its tables are being made. Webhooks are taken already; ask again in a moment.", Cause: e}
	}
	if e.Status >= 500 {
		s.log.LogAttrs(r.Context(), level, "a request failed",
			slog.String("request", id), slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", e.Status), slog.String("error", err.Error()))
	}
	h := w.Header()
	for _, name := range []string{"ETag", "Content-Length", "Content-Encoding"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	if e.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
	if e.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="meridian"`)
	}
	if wantsPage(r) {
		p := views.Problem{
			Page:   views.Page{Title: e.Title, Site: s.site(r)},
			Status: strconv.Itoa(e.Status), Title: e.Title, Detail: e.Detail,
		}
		if e.Status >= 500 {
			p.RequestID = id
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(e.Status)
		_ = p.Render().Render(r.Context(), w) // the reader has gone
		return
	}
	h.Set("Content-Type", "application/problem+json")
	w.WriteHeader(e.Status)
	_ = json.NewEncoder(w).Encode(Problem{Type: "about:blank", Title: e.Title, Status: e.Status, Detail: e.Detail, RequestID: id})
}

// wantsPage tells a browser from a program. The API always answers programs.
func wantsPage(r *http.Request) bool {
	return !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
}
