package web

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
	"meridian/web/views"
)

// recent is how long a failure counts as the present state of a source.
const recent = time.Hour

// severalUnsigned is from how many wrong signatures on a source that works is
// told of them: a few are a scanner's, and nothing to look after.
const severalUnsigned = 3

func (s *Server) sourcesPage(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "secret")
	asked := p.text("secret")
	if p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	heard, err := s.guard.Heard(r.Context())
	if err != nil {
		return err
	}
	v := views.Sources{Page: s.page(r, "Sources", "sources", as)}
	v.Page.Notices = append(v.Page.Notices, s.troubles(r.Context())...)
	v.Said = s.sessions.PopString(r.Context(), saidKey)
	if v.Jobs = s.jobs(r); v.Jobs != nil {
		v.Page.Poll = v.Jobs.Running
	}
	for i, src := range s.sources.Sources() {
		x := s.source(i, src, heard[src.Source], asked)
		if _, can := s.sources.(Tried); can && s.admin(r) {
			x.Test, x.Path = s.site(r).Path("sources", "test"), src.Path
		}
		v.Sources = append(v.Sources, x)
	}
	return s.render(w, r, http.StatusOK, v.Render())
}

// troubles are what keeps rows from the tables: deliveries are taken and counted
// above, and do not reach the numbers.
func (s *Server) troubles(ctx context.Context) (notices []views.Notice) {
	for _, h := range s.status.Health(ctx) {
		if !h.OK && (h.Name == "clickhouse" || h.Name == "rows") {
			notices = append(notices, views.Notice{Kind: "warn", Text: "Deliveries are taken, and their numbers do not reach the tables: " + h.Detail})
		}
	}
	return notices
}

// source shows one source. heard is the last receipt of its family that the
// numbers hold: it outlives the process, the counts of the receiver do not.
func (s *Server) source(i int, src SourceStatus, heard timeline.Millis, asked string) views.Source {
	now := s.now()
	var lastHour int64
	for _, n := range src.PerMinute {
		lastHour += n
	}
	guide := fmt.Sprintf("guide-%d", i)
	v := views.Source{
		ID: fmt.Sprintf("source-%d", i), Provider: providers[src.Provider].name, Name: src.Name, URL: s.public(src.Path),
		Last: s.moment(src.Last), LastType: src.LastType,
		Rate:  views.NewBars(fmt.Sprintf("%d deliveries in the last hour, by minute", lastHour), src.PerMinute),
		Total: views.Plural(lastHour, "delivery", "deliveries") + " in the last hour",
		Guide: s.guideTo(guide, src, heard, asked == guide),
	}
	if v.Provider == "" {
		v.Provider = src.Provider
	}
	if last := max(src.Last, 0); last > 0 {
		v.Ago = agoText(now.Sub(last.Time()))
	} else if heard > 0 {
		v.Last, v.Ago, v.LastType = s.moment(heard), agoText(now.Sub(heard.Time())), "before this process started"
	}
	v.State, v.Sentence = stateOf(src, heard, now)
	v.Error, v.ErrorAt = src.Why, s.moment(src.Trouble)
	if src.LastError != "" && src.LastFailed != src.Trouble {
		v.Refusal, v.RefusalAt = src.LastError, s.moment(src.LastFailed)
	}
	if n := src.Unsigned; n >= severalUnsigned || n > 0 && !src.connected(heard) {
		v.Hint = views.Plural(n, "request has", "requests have") + " come without the right signature since the last delivery. If the source sent them, it signs with another secret; if strangers did, there is nothing to do."
	}
	for _, g := range src.Gaps {
		v.Gaps = append(v.Gaps, fmt.Sprintf("Deliveries may be missing between %s and %s.", s.moment(g.Start).Text, s.moment(g.End).Text))
	}
	figure := func(name string, n int64, title string) {
		v.Counts = append(v.Counts, views.Figure{Name: name, Value: count(n), Title: title})
	}
	figure("accepted", src.Accepted, "Durable on the log, duplicates included")
	figure("ignored", src.Ignored, "Of a type that no metric reads")
	v.Unread = unreadTypes(src.Unread)
	if src.Pings > 0 {
		figure("pings", src.Pings, "The system's own test of the connection")
	}
	if src.Undecoded > 0 {
		figure("could not be read", src.Undecoded, "Kept with the reason, for a later version that can read them")
	}
	codes := make([]int, 0, len(src.Refused))
	for code := range src.Refused {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		figure(fmt.Sprintf("refused, %d", code), src.Refused[code], refusals[code])
	}
	return v
}

// trySource sends a source a test delivery, and tells on the page what came of it.
func (s *Server) trySource(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	tried, can := s.sources.(Tried)
	if !can {
		return notFound("This server takes no deliveries.")
	}
	path := r.PostFormValue("path")
	said, _ := tried.Try(r.Context(), path)
	s.sessions.Put(r.Context(), saidKey, path+": "+said)
	http.Redirect(w, r, s.site(r).Path("sources"), http.StatusSeeOther)
	return nil
}

// mostUnread is how many types of ignored deliveries the page names.
const mostUnread = 8

// unreadTypes lists types by how often they came.
func unreadTypes(of map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
	})
	var said []string
	for _, name := range names[:min(len(names), mostUnread)] {
		said = append(said, fmt.Sprintf("%s %d", name, of[name]))
	}
	if more := len(names) - len(said); more > 0 {
		said = append(said, "and "+views.Plural(int64(more), "more type", "more types"))
	}
	return strings.Join(said, ", ")
}

// refusals say what an answer to a webhook means (contract section 7).
var refusals = map[int]string{
	400: "The body was not what its content type said",
	401: "The signature or token was missing or wrong",
	404: "No such source",
	405: "Not a POST",
	413: "Larger than the source's limit",
	415: "Neither JSON nor a form",
	429: "Too many failures from one address",
	503: "Could not be stored; the sender was told to try again",
}

// public is the address of a source as other systems reach it.
func (s *Server) public(path string) string {
	return strings.TrimRight(cmp.Or(s.config.WebhookURL, s.config.BaseURL), "/") + path
}

// connect is the first page of an instance that nothing has come to.
func (s *Server) connect(heard map[event.Source]timeline.Millis) *views.Connect {
	c := &views.Connect{}
	for i, src := range s.sources.Sources() {
		c.Steps = append(c.Steps, s.guideTo(fmt.Sprintf("guide-%d", i), src, heard[src.Source], false))
	}
	return c
}

// connected reports whether a delivery that counts has ever come; a ping does
// not: whoever set it up still has to choose events.
func (src SourceStatus) connected(heard timeline.Millis) bool { return src.Accepted > 0 || heard > 0 }

// stateOf is a source's badge. It follows what was signed right: a request that
// anybody can send must not make a source look broken.
func stateOf(src SourceStatus, heard timeline.Millis, now time.Time) (state, sentence string) {
	switch {
	case src.Trouble > src.Taken && now.Sub(src.Trouble.Time()) < recent:
		if src.Trouble == src.Last {
			return "failing", "the last delivery could not be read"
		}
		return "failing", "the last delivery could not be taken"
	case src.Last == 0 && heard > 0:
		return "silent", "no delivery since this process started"
	case src.Last == 0:
		return "silent", "waiting for the first delivery"
	case !src.connected(heard):
		return "flowing", "connected, waiting for the first event"
	}
	return "flowing", "deliveries come in"
}
