package web

import (
	"net/http"
	"net/url"
	"time"

	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

const auditPage = 100

// auditedPage shows who looked at what and who did what, the newest first.
func (s *Server) auditedPage(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "before")
	before := p.text("before")
	if p.err != nil {
		return p.err
	}
	if s.config.Audit == nil {
		return notFound("This server has no audit log.")
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	entries, next, err := s.config.Audit.Recent(auditPage, before)
	if err != nil {
		return err
	}
	v := views.Audit{Page: s.page(r, language.Of(r.Context()).Common.AuditLog, "audit", as)}
	v.Page.Live = false
	for _, e := range entries {
		v.Entries = append(v.Entries, views.AuditEntry{Time: s.moment(timeline.FromTime(e.Time)), Who: e.Who, Name: e.Name, Verb: e.Verb, Subject: e.Subject, Detail: e.Detail})
	}
	if next != "" {
		v.Older = s.base + "/audit?" + url.Values{"before": {next}}.Encode()
	}
	return s.render(w, r, http.StatusOK, v.Render())
}

// AuditJSON is one entry of the audit log.
type AuditJSON struct {
	Time    string `json:"time"`
	Who     string `json:"who"`
	Name    string `json:"name"`
	Verb    string `json:"verb"`
	Subject string `json:"subject"`
	Detail  string `json:"detail"`
	Request string `json:"request"`
}

func (s *Server) apiAudit(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "limit", "cursor", "format")
	p.format()
	limit, cursor := p.limit(100, 1000), p.text("cursor")
	if p.err != nil {
		return p.err
	}
	if s.config.Audit == nil {
		return notFound("This server has no audit log.")
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	entries, next, err := s.config.Audit.Recent(limit, cursor)
	if err != nil {
		return err
	}
	var items []AuditJSON
	for _, e := range entries {
		items = append(items, AuditJSON{e.Time.UTC().Format(time.RFC3339Nano), e.Who, e.Name, e.Verb, e.Subject, e.Detail, e.Request})
	}
	return writeList(w, r, items, as, next)
}
