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
	"meridian/web/language"
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
	say := language.Of(r.Context())
	v := views.Sources{Page: s.page(r, say.Common.Sources, "sources", as), Exports: exported(say, "sources", s.base+"/api/v1/sources", say.Common.CSV)}
	v.Page.Notices = append(v.Page.Notices, s.troubles(r.Context())...)
	v.Said = s.sessions.PopString(r.Context(), saidKey)
	if v.Jobs = s.jobs(r); v.Jobs != nil {
		v.Page.Poll = v.Jobs.Running
	}
	for i, src := range s.sources.Sources() {
		x := s.source(say, i, src, heard[src.Source], asked)
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
			notices = append(notices, views.Notice{Kind: "warn", Text: language.Of(ctx).Sources.RowsTrouble + h.Detail})
		}
	}
	return notices
}

// source shows one source. heard is the last receipt of its family that the
// numbers hold: it outlives the process, the counts of the receiver do not.
func (s *Server) source(say *language.Words, i int, src SourceStatus, heard timeline.Millis, asked string) views.Source {
	now := s.now()
	var lastHour int64
	for _, n := range src.PerMinute {
		lastHour += n
	}
	guide := fmt.Sprintf("guide-%d", i)
	v := views.Source{
		ID: fmt.Sprintf("source-%d", i), Provider: nameOf(say, src.Provider), Name: src.Name, URL: s.public(src.Path),
		Last: s.moment(src.Last), LastType: src.LastType,
		Rate:  views.NewBars(say.Sources.RateLabel(lastHour), src.PerMinute),
		Total: say.Sources.LastHour(lastHour, views.Int(lastHour)),
		Guide: s.guideTo(say, guide, src, heard, asked == guide),
	}
	if last := max(src.Last, 0); last > 0 {
		v.Ago = agoText(say, now.Sub(last.Time()))
	} else if heard > 0 {
		v.Last, v.Ago, v.LastType = s.moment(heard), agoText(say, now.Sub(heard.Time())), say.Sources.BeforeProcess
	}
	v.State, v.Sentence = stateOf(say, src, heard, now)
	v.Error, v.ErrorAt = src.Why, s.moment(src.Trouble)
	if src.LastError != "" && src.LastFailed != src.Trouble {
		v.Refusal, v.RefusalAt = src.LastError, s.moment(src.LastFailed)
	}
	if n := src.Unsigned; n >= severalUnsigned || n > 0 && !src.connected(heard) {
		v.Hint = say.Sources.Unsigned(n, views.Int(n))
	}
	for _, g := range src.Gaps {
		v.Gaps = append(v.Gaps, say.Sources.Gap(s.moment(g.Start).Text, s.moment(g.End).Text))
	}
	figure := func(name string, n int64, title string) {
		v.Counts = append(v.Counts, views.Figure{Name: name, Value: count(n), Title: title})
	}
	figure(say.Sources.Accepted, src.Accepted, say.Sources.AcceptedTitle)
	figure(say.Sources.Ignored, src.Ignored, say.Sources.IgnoredTitle)
	v.Unread = unreadTypes(say, src.Unread)
	if src.Pings > 0 {
		figure(say.Sources.Pings, src.Pings, say.Sources.PingsTitle)
	}
	if src.Undecoded > 0 {
		figure(say.Sources.Undecoded, src.Undecoded, say.Sources.UndecodedTitle)
	}
	codes := make([]int, 0, len(src.Refused))
	for code := range src.Refused {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		figure(say.Sources.Refused(code), src.Refused[code], say.Sources.Refusals[code])
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
func unreadTypes(say *language.Words, of map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
	})
	var said []string
	for _, name := range names[:min(len(names), mostUnread)] {
		said = append(said, fmt.Sprintf("%s %d", name, of[name]))
	}
	if more := len(names) - len(said); more > 0 {
		said = append(said, say.Sources.MoreTypes(int64(more)))
	}
	return strings.Join(said, ", ")
}

// public is the address of a source as other systems reach it.
func (s *Server) public(path string) string {
	return strings.TrimRight(cmp.Or(s.config.WebhookURL, s.config.BaseURL), "/") + path
}

// connect is the first page of an instance that nothing has come to.
func (s *Server) connect(say *language.Words, heard map[event.Source]timeline.Millis) *views.Connect {
	c := &views.Connect{}
	for i, src := range s.sources.Sources() {
		c.Steps = append(c.Steps, s.guideTo(say, fmt.Sprintf("guide-%d", i), src, heard[src.Source], false))
	}
	return c
}

// connected reports whether a delivery that counts has ever come; a ping does
// not: whoever set it up still has to choose events.
func (src SourceStatus) connected(heard timeline.Millis) bool { return src.Accepted > 0 || heard > 0 }

// stateOf is a source's badge. It follows what was signed right: a request that
// anybody can send must not make a source look broken.
func stateOf(say *language.Words, src SourceStatus, heard timeline.Millis, now time.Time) (state, sentence string) {
	switch {
	case src.Trouble > src.Taken && now.Sub(src.Trouble.Time()) < recent:
		if src.Trouble == src.Last {
			return "failing", say.Sources.Unreadable
		}
		return "failing", say.Sources.Untaken
	case src.Last == 0 && heard > 0:
		return "silent", say.Sources.QuietSinceStart
	case src.Last == 0:
		return "silent", say.Sources.WaitsForFirst
	case !src.connected(heard):
		return "flowing", say.Sources.WaitsForEvent
	}
	return "flowing", say.Sources.Flowing
}
