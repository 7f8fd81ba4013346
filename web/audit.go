package web

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"meridian/metrics"
)

// AuditEntry says who did or looked at what. It holds no secret, no body and no
// number: only what was asked for.
type AuditEntry struct {
	Time    time.Time `json:"time"`
	Who     string    `json:"who"`  // Reader.ID, or command:<user> of one over the admin socket
	Name    string    `json:"name"` // as pages called them; proves nothing
	Verb    string    `json:"verb"` // what was asked for: look at, sign in, make, revoke, promote, drop, ...
	Subject string    `json:"subject"`
	Detail  string    `json:"detail,omitempty"`
	Request string    `json:"request,omitempty"` // its id, which the log has too
}

// Audit keeps entries for as long as the instance lives. Record returns when the
// entry is on disk. Safe for concurrent use.
type Audit interface {
	Record(AuditEntry) error

	// Recent returns entries, the newest first, at most limit, older than the
	// given position ("": the newest); next is "" at the end.
	Recent(limit int, before string) (entries []AuditEntry, next string, err error)
}

// record writes down what a reader does. What cannot be written down is not
// done: an audit log with holes says nothing.
func (s *Server) record(ctx context.Context, reader *Reader, verb, subject, detail string) error {
	if s.config.Audit == nil {
		return nil
	}
	e := AuditEntry{Time: s.now().UTC(), Who: reader.ID, Name: reader.Name, Verb: verb, Subject: subject, Detail: detail}
	e.Request, _ = ctx.Value(requestIDKey{}).(string)
	if err := s.config.Audit.Record(e); err != nil {
		s.log.Error("the audit log cannot be written", "error", err)
		return &Error{Status: 503, Title: "This cannot be written down", Detail: "What is asked for goes into the audit log first, and that cannot be written just now. Whoever runs this server finds the reason in its log.", Cause: err}
	}
	return nil
}

// looks remembers who was written down for looking at what, so that a page that
// refreshes itself at every tick is one line an hour.
type looks struct {
	mu   sync.Mutex
	hour time.Time
	seen map[[2]string]bool
}

func (l *looks) first(now time.Time, who, what string) bool {
	hour, key := now.Truncate(time.Hour), [2]string{who, what}
	l.mu.Lock()
	defer l.mu.Unlock()
	if hour != l.hour || l.seen == nil {
		l.hour, l.seen = hour, map[[2]string]bool{}
	}
	first := !l.seen[key]
	l.seen[key] = true
	return first
}

func (l *looks) forget(who, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seen, [2]string{who, what})
}

// looked writes down that a request's reader looks at the evidence of a metric,
// once an hour. It is called when there is an answer, and before it is given.
func (s *Server) looked(ctx context.Context, d *metrics.Definition, scope Scope, each bool) error {
	subject := string(d.Name) + " of " + scope.Label
	if each {
		subject = string(d.Name) + " of each team"
	}
	reader := ReaderOf(ctx)
	if !s.looks.first(s.now(), reader.ID, subject) {
		return nil
	}
	if err := s.record(ctx, reader, "look at", subject, ""); err != nil {
		s.looks.forget(reader.ID, subject)
		return err
	}
	return nil
}

// AuditWords says in words what a request asks for that changes something: the
// last part of its address is the verb, the rest what it is about.
func AuditWords(method, path string) (verb, subject string) {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/api/v1"), "/")
	rest, last, ok := cutLast(path)
	switch {
	case method == http.MethodDelete:
		return "delete", path
	case ok:
		return last, rest
	case path == "catalog":
		return "apply", path
	case path == "erase":
		return path, "a person" // whose name must not outlive them here
	}
	return path, ""
}

func cutLast(path string) (rest, last string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// audited writes down what a route that changes something is asked for, so that no
// handler can forget to. Tokens are written down where they are made, with more.
func (s *Server) audited(rt *route, reader *Reader, r *http.Request) error {
	if !rt.changes() || strings.HasPrefix(rt.Pattern, "/tokens") {
		return nil
	}
	verb, subject := AuditWords(r.Method, r.URL.Path)
	return s.record(r.Context(), reader, verb, subject, "")
}
