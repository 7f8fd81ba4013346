package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// replaysPage lists runs.
func (s *Server) replaysPage(w http.ResponseWriter, r *http.Request) error {
	if s.config.Runs == nil {
		return notFound("This server shows no runs.")
	}
	list, err := s.config.Runs.Runs(r.Context())
	if err != nil {
		return unavailable(err)
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	say := language.Of(r.Context())
	v := views.Replays{
		Exports: exported(say, "runs", s.base+"/api/v1/runs", say.Common.CSV),
		Page:    s.page(r, say.Common.Replays, "replays", as), Said: s.sessions.PopString(r.Context(), saidKey), Waits: s.local(upper(list.Waits)), Admin: s.mayRun(r),
	}
	for _, run := range list.Items {
		x := s.replay(r, run, list.Current)
		v.Page.Poll = v.Page.Poll || x.Running
		v.Items = append(v.Items, x)
	}
	return s.render(w, r, http.StatusOK, v.Render())
}

// mayRun reports whether r may begin, promote and drop runs.
func (s *Server) mayRun(r *http.Request) bool {
	reader := ReaderOf(r.Context())
	return reader.May(Admin) && !reader.Looks
}

// moods are the states that are well, and those that need somebody.
var moods = map[string]string{"live": "flowing", "ready": "flowing", "following": "flowing", "computing": "flowing", "promoting": "flowing", "stands": "failing", "lost": "failing"}

// unread are the states in which a run has a part of its numbers.
var unread = []string{"computing", "waiting", "stands", "lost"}

func (s *Server) replay(r *http.Request, run Run, current uint32) views.Replay {
	say, site, number := language.Of(r.Context()), s.site(r), strconv.Itoa(int(run.Number))
	x := views.Replay{
		Number: number, Kind: run.Kind, State: run.State, Mood: moods[run.State], Says: s.local(run.Says), Reason: run.Reason,
		Begun: s.stamp(run.Begun), Clock: s.stamp(run.Clock), Running: run.State == "computing", Percent: int(100 * run.History.Share),
		Href: site.Path("replays", number),
	}
	if run.Audit != nil && !run.Audit.Agrees {
		x.Mood = "failing"
	}
	if current != 0 && run.Number != current && run.Clock != nil && run.Kind != "audit" && !slices.Contains(unread, run.State) {
		x.Diff = x.Href + "?with=live"
	}
	fact := func(name, text string) {
		if text != "" {
			x.Facts = append(x.Facts, views.Fact{Name: name, Text: text})
		}
	}
	fact(say.Replays.Because, run.Reason)
	fact(say.Replays.AskedBy, run.By)
	fact(say.Replays.Begun, x.Begun.Text)
	fact(say.Replays.RowsUpTo, x.Clock.Text)
	fact(say.Frame.Logic, strconv.Itoa(int(run.Logic)))
	fact(say.Common.Catalog, run.Catalog)
	fact(say.Frame.ZoneData, run.Zones)
	var limits []string
	if run.Limits.From != nil {
		limits = append(limits, say.Replays.LimitFrom(s.stamp(run.Limits.From).Text))
	}
	if run.Limits.To != nil {
		limits = append(limits, say.Replays.LimitBefore(s.stamp(run.Limits.To).Text))
	}
	if len(run.Limits.Teams) > 0 {
		limits = append(limits, say.Replays.LimitTeams(strings.Join(run.Limits.Teams, ", ")))
	}
	for _, m := range run.Limits.Metrics {
		limits = append(limits, string(m))
	}
	fact(say.Replays.InPart, strings.Join(limits, "; "))
	fact(say.Replays.KeptUntil, s.stamp(run.Kept).Text)
	for _, action := range run.Can {
		x.Actions = append(x.Actions, views.Link{Text: question(say, action).Verb, Href: site.Path("replays", number, string(action))})
	}
	if a := run.Audit; a != nil {
		x.Audit = views.ReplayAudit{Shown: true, Verdict: say.Replays.Agrees(fmt.Sprint(a.Of))}
		if !a.Agrees {
			x.Audit.Verdict = say.Replays.Disagrees(fmt.Sprint(a.Of))
		}
		for _, t := range a.Tables {
			x.Audit.Rows = append(x.Audit.Rows, views.ReplayAuditRow{
				Table: t.Table, Rows: whole(t.Rows), Equal: whole(t.Equal), Different: whole(t.Different), Missing: whole(t.Missing), Extra: whole(t.Extra), Newer: whole(t.Newer),
			})
			if !s.mayRun(r) {
				continue // rows are of all teams
			}
			for _, e := range t.Examples {
				x.Audit.Examples = append(x.Audit.Examples, t.Table+": "+e)
			}
		}
	}
	return x
}

func whole(n uint64) string { return strconv.FormatUint(n, 10) }

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// stamp is an instant of the API as pages have it.
func (s *Server) stamp(text *string) views.Time {
	if text == nil {
		return views.Time{}
	}
	t, err := timeline.ParseInstant(*text)
	if err != nil {
		return views.Time{Text: *text}
	}
	return s.moment(t)
}

// replayPage shows one run, and with ?with= what differs from another one.
func (s *Server) replayPage(w http.ResponseWriter, r *http.Request) error {
	run, err := s.runOf(r)
	if err != nil {
		return err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	v := views.ReplayPage{
		Page: s.page(r, language.Of(r.Context()).Replays.RunNumber(fmt.Sprint(run.Number)), "replays", as), Replay: s.replay(r, run, uint32(as.Generation)),
		Said: s.sessions.PopString(r.Context(), saidKey), Admin: s.mayRun(r), Back: s.site(r).Path("replays"),
	}
	v.Page.Poll = run.State == "computing" || run.State == "promoting" || run.State == "following" && run.Kind == "audit"
	if r.URL.Query().Has("with") {
		q, err := ReadRunDiff(run.Number, r.URL.Query())
		if err != nil {
			return err
		}
		d, err := s.config.Runs.Diff(r.Context(), q)
		if err != nil {
			return err
		}
		v.Page.Live, v.Page.Poll = false, false // somebody compares
		v.Diff = s.replayDiff(r, d)
	}
	return s.render(w, r, http.StatusOK, v.Render())
}

// runOf is the run of a request's path.
func (s *Server) runOf(r *http.Request) (Run, error) {
	if s.config.Runs == nil {
		return Run{}, notFound("This server shows no runs.")
	}
	n, err := strconv.ParseUint(r.PathValue("run"), 10, 24)
	if err != nil {
		return Run{}, notFound("There is no such run.")
	}
	return s.config.Runs.Run(r.Context(), uint32(n))
}

func (s *Server) replayDiff(r *http.Request, d RunDiff) views.ReplayDiff {
	t, reader, say := d.Totals(), ReaderOf(r.Context()), language.Of(r.Context())
	first, second := fmt.Sprint(d.First), fmt.Sprint(d.Second)
	v := views.ReplayDiff{
		Shown: true, First: strconv.Itoa(int(d.First)), Second: strconv.Itoa(int(d.Second)),
		Summary: say.Replays.Summary(whole(t.Equal), whole(t.Other), whole(t.OnlyFirst), first, whole(t.OnlySecond), second),
		Causes:  causesOn(d.Causes),
	}
	for _, c := range d.Counts {
		if c.Differ() > 0 {
			v.Counts = append(v.Counts, views.ReplayCount{
				Metric: spaced(string(c.Metric)), Grain: string(c.Grain), Equal: whole(c.Equal), Other: whole(c.Other), OnlyFirst: whole(c.OnlyFirst), OnlySecond: whole(c.OnlySecond),
			})
		}
	}
	for _, x := range d.Windows {
		if !reader.Allows(x.Team) {
			continue
		}
		start := x.Start
		row := views.ReplayWindow{
			Metric: spaced(string(x.Metric)), Team: x.Team, Service: x.Service, Grain: string(x.Grain), Start: s.stamp(&start),
			First: sideOn(say, x.First, x.Withheld), Second: sideOn(say, x.Second, x.Withheld), Why: causesOn(x.Why),
		}
		if e := x.Evidence; e.OnlyFirst+e.OnlySecond+e.Other > 0 {
			row.Evidence = say.Replays.Evidence(fmt.Sprint(e.OnlyFirst), first, fmt.Sprint(e.OnlySecond), second, fmt.Sprint(e.Other))
			for _, i := range e.Items {
				in := map[string]string{"first": v.First, "second": v.Second, "both": say.Replays.Both}[i.In]
				row.Items = append(row.Items, views.ReplayItem{In: in, Text: strings.TrimSpace(i.Item + " " + i.Label), Href: webAddress(i.URL)})
			}
		}
		v.Windows = append(v.Windows, row)
	}
	if d.Next != nil {
		q := r.URL.Query()
		q.Set("cursor", *d.Next)
		v.More = s.site(r).Path("replays", v.Second) + "?" + (&url.URL{RawQuery: q.Encode()}).RawQuery
	}
	q := r.URL.Query()
	q.Del("cursor")
	v.Exports = []views.Link{{ID: "diff-json", Text: say.Common.JSON, Href: s.site(r).Path("api", "v1", "runs", v.Second, "diff") + "?" + q.Encode()}}
	return v
}

func causesOn(all []RunCause) (out []views.ReplayCause) {
	for _, c := range all {
		out = append(out, views.ReplayCause{Text: c.Text, Where: c.Where})
	}
	return out
}

func sideOn(say *language.Words, side *RunDiffSide, withheld bool) string {
	switch {
	case withheld:
		return say.Replays.Withheld
	case side == nil:
		return say.Replays.NoRow
	case side.Value == nil:
		return say.Number.NoData
	}
	return strconv.FormatFloat(*side.Value, 'f', -1, 64)
}
