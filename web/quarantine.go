package web

import (
	"context"
	"net/http"
	"strings"

	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// Quarantine is what was set aside, and what can be done about it. Errors that
// whoever asked can act on are [*Error].
type Quarantine interface {
	// Open lists what is neither retried nor dropped, newest receipt first, at most
	// limit; more says that there is more.
	Open(ctx context.Context, limit int) (items []Aside, more bool, err error)

	// Show gives one delivery whole, with its body.
	Show(ctx context.Context, id string) (AsideDelivery, error)

	// Retry and Drop act on one, and say what they did.
	Retry(ctx context.Context, id, by string) (said string, err error)
	Drop(ctx context.Context, id, by string) (said string, err error)
}

// Aside is one delivery of which something was set aside.
type Aside struct {
	ID, Source string
	Since      timeline.Millis
	Reasons    []string
	Detail     string
	Kinds      []string
	Entities   []string
	State      string // open, retried, dropped
	By         string
	At         timeline.Millis // of what By did
}

// AsideDelivery is one with its body.
type AsideDelivery struct {
	Aside
	Type    string
	Sent    string      // the id that the sender was told
	Headers [][2]string // by name
	Body    string
	Kept    bool // its free text was removed
}

const (
	asidesShown = 50
	saidKey     = "said" // of a session: what was done, to be told once
	byPage      = "a signed-in page"
)

// asides fills in what the quality page has of the quarantine.
func (s *Server) asides(r *http.Request, v *views.Quality, now timeline.Millis) error {
	if s.config.Quarantine == nil {
		return nil
	}
	items, more, err := s.config.Quarantine.Open(r.Context(), asidesShown)
	if err != nil {
		return unavailable(err)
	}
	site := s.site(r)
	a := views.Asides{Shown: true, More: more, Admin: s.admin(r), Said: s.sessions.PopString(r.Context(), saidKey)}
	for _, x := range items {
		a.Items = append(a.Items, s.aside(x, now, site))
	}
	v.Asides = a
	return nil
}

func (s *Server) aside(x Aside, now timeline.Millis, site views.Site) views.Aside {
	v := views.Aside{
		ID: x.ID, Source: x.Source, Since: instant(s.directory.Zone(), x.Since, now), What: strings.Join(x.Entities, ", "), State: x.State,
		Detail: s.local(x.Detail), Href: site.Path("quarantine", x.ID), Retry: site.Path("quarantine", x.ID, "retry"), Drop: site.Path("quarantine", x.ID, "drop"),
	}
	for _, kind := range x.Kinds {
		v.Kinds = append(v.Kinds, spaced(kind))
	}
	for _, reason := range x.Reasons {
		v.Reasons = append(v.Reasons, spaced(reason))
	}
	if x.State != "open" {
		v.Done = x.State + " by " + x.By + ", " + s.moment(x.At).Text
	}
	return v
}

func (s *Server) asidePage(w http.ResponseWriter, r *http.Request) error {
	if s.config.Quarantine == nil {
		return notFound("This server sets nothing aside.")
	}
	d, err := s.config.Quarantine.Show(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	v := views.AsidePage{
		Page: s.page(r, language.Of(r.Context()).Asides.SetAside, "quality", as), Aside: s.aside(d.Aside, as.Clock, s.site(r)), Type: d.Type, Sent: d.Sent, Body: d.Body, Kept: d.Kept,
		Back: s.site(r).Path("quality"),
	}
	v.Page.Live = false // somebody reads a body
	for _, h := range d.Headers {
		v.Headers = append(v.Headers, views.Fact{Name: h[0], Text: h[1]})
	}
	return s.render(w, r, http.StatusOK, v.Render())
}

func (s *Server) retryAside(w http.ResponseWriter, r *http.Request) error {
	return s.actOnAside(w, r, func(q Quarantine, id string) (string, error) { return q.Retry(r.Context(), id, byPage) })
}

func (s *Server) dropAside(w http.ResponseWriter, r *http.Request) error {
	return s.actOnAside(w, r, func(q Quarantine, id string) (string, error) { return q.Drop(r.Context(), id, byPage) })
}

func (s *Server) actOnAside(w http.ResponseWriter, r *http.Request, act func(Quarantine, string) (string, error)) error {
	if s.config.Quarantine == nil {
		return notFound("This server sets nothing aside.")
	}
	said, err := act(s.config.Quarantine, r.PathValue("id"))
	if err != nil {
		return err
	}
	s.sessions.Put(r.Context(), saidKey, said)
	http.Redirect(w, r, s.site(r).Path("quality")+"#asides", http.StatusSeeOther)
	return nil
}
