package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"meridian/metrics"
	"meridian/web/language"
	"meridian/web/views"
)

// behindAfter is longer than a healthy clock ever stands: ticks come at least
// every five minutes.
const behindAfter = 6 * time.Minute

// site is what is the same on all pages.
func (s *Server) site(r *http.Request) views.Site {
	return views.Site{
		Base:    s.base,
		Style:   s.assets.address(s.base, "style.css"),
		Script:  s.assets.address(s.base, "meridian.js"),
		Live:    s.assets.address(s.base, "vendor/live.js"),
		UPlot:   s.assets.address(s.base, "vendor/chart.js"),
		UPlotUI: s.assets.address(s.base, "vendor/uPlot.min.css"),
		Icon:    s.assets.address(s.base, "mark.svg"),
		SignOut: s.config.Mode != ModeNone && s.hasSession(r),
		Hidden:  s.hidden(r),
		Tokens:  s.config.Tokens != "",
		Audit:   s.config.Audit != nil && ReaderOf(r.Context()).May(Admin),
	}
}

// hidden are the entries of the navigation that lead the reader nowhere: what their
// roles do not open, and what this server does not have. Whoever has not signed in
// is shown what people see, and asked to.
func (s *Server) hidden(r *http.Request) (names []string) {
	reader := ReaderOf(r.Context())
	for _, rt := range s.table {
		name, ok := strings.CutPrefix(rt.Pattern, "/")
		if !ok || rt.Method != http.MethodGet || strings.ContainsAny(name, "/{") {
			continue
		}
		missing := name == "replays" && s.config.Runs == nil || name == "catalog" && s.config.Catalog == nil
		if missing || !rt.permits(reader) && (reader.ID != "" || rt.Access != ForViewers) {
			names = append(names, name)
		}
	}
	return names
}

// page is a page's frame with the foot that names its numbers.
func (s *Server) page(r *http.Request, title, nav string, as metrics.AsOf) views.Page {
	p := views.Page{
		Title: title, Nav: nav, Site: s.site(r), Live: true,
		Self: s.base + self(r),
	}
	e, say := s.status.Engine(), language.Of(r.Context())
	p.Foot = views.Foot{
		Shown: true, Generation: fmt.Sprint(as.Generation), Logic: e.Logic, Catalog: e.Catalog, Zones: e.Zones,
		Clock: views.Time{Text: say.Frame.NothingYet},
	}
	if s.config.Runs != nil {
		t := s.config.Runs.Turn()
		p.Foot.Coming, p.Foot.Runs = s.local(t.Coming), s.base+"/replays"
		if t.Changed != "" {
			p.Foot.Changed, p.Foot.Diff = s.local(t.Changed), fmt.Sprintf("%s/replays/%d?with=%d", s.base, t.Run, t.Before)
		}
	}
	if e.Importing != "" {
		p.Notices = append(p.Notices, views.Notice{Kind: "info", Text: say.Frame.Importing(e.Importing)})
	}
	if as.Clock <= 0 {
		return p
	}
	p.Foot.Clock = s.moment(as.Clock)
	if as.HistoryFrom > 0 {
		z := s.directory.Zone()
		p.Foot.Kept = say.Frame.Kept(dayText(z.Date(as.HistoryFrom), z.Date(as.Clock)))
	}
	behind := s.now().Sub(as.Clock.Time())
	switch doubt := s.doubt(r.Context(), behind); {
	case doubt != "":
		p.Foot.Stands = true
		p.Notices = append(p.Notices, views.Notice{Kind: "warn", Text: doubt})
	case behind > behindAfter:
		p.Foot.Behind = views.Duration(behind.Truncate(time.Minute).Seconds())
		p.Notices = append(p.Notices, views.Notice{Kind: "warn", Text: say.Frame.EngineBehind(p.Foot.Behind)})
	}
	if e.Generation != 0 && uint32(as.Generation) != e.Generation {
		p.Notices = append(p.Notices, views.Notice{Kind: "info", Text: say.Frame.BeingComputed(fmt.Sprint(e.Generation), fmt.Sprint(as.Generation))})
	}
	return p
}

// self is the address of a request, written anew: the bytes of a query come from
// anywhere.
func self(r *http.Request) string {
	if q := r.URL.Query().Encode(); q != "" {
		return r.URL.EscapedPath() + "?" + q
	}
	return r.URL.EscapedPath()
}

// trust is what ends a wrong doubt of the clock.
const trust = "meridian clock trust"

// doubt says why the clock stands still, where that is why numbers are not up
// to date: nothing is catching up then, and somebody has to do something.
// Parts are asked only when the clock is not where it should be.
func (s *Server) doubt(ctx context.Context, behind time.Duration) string {
	if behind <= behindAfter && behind >= -time.Minute {
		return ""
	}
	for _, h := range s.status.Health(ctx) {
		if h.Name != "clock" || h.OK {
			continue
		}
		text := language.Of(ctx).Frame.ClockStands(s.local(strings.TrimSuffix(h.Detail, ".")))
		if !strings.Contains(text, trust) {
			text += " " + language.Of(ctx).Frame.TrustClock
		}
		return text
	}
	return ""
}

// render draws a component in memory first: an error is then a clean answer
// and not half a page.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	var b bytes.Buffer
	if err := c.Render(r.Context(), &b); err != nil {
		return fmt.Errorf("web: draw %s: %w", r.URL.Path, err)
	}
	h := w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "text/html; charset=utf-8")
	}
	h.Add("Vary", "Accept-Language")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "private, no-cache")
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // an error means that the reader has gone
	return nil
}
