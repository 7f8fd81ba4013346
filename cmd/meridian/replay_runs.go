package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"meridian/streaming"
	"meridian/streaming/timeline"
	"meridian/web"
)

// runs shows generations to pages and commands, in any process of an instance:
// what it tells is in control and in the tables.
type runs struct{ m *machine }

// Runs implements web.Runs.
func (x runs) Runs(ctx context.Context) (list web.RunList, err error) {
	l := x.m.room.ledger
	all, err := l.manifests()
	if err != nil {
		return list, err
	}
	t, err := l.live()
	if err != nil {
		return list, err
	}
	list = web.RunList{Current: uint32(t.Generation), Waits: l.held(), Items: []web.Run{}}
	for _, m := range slices.Backward(all) {
		r, err := x.describe(ctx, m, t)
		if err != nil {
			return list, err
		}
		if r.Audit != nil {
			for i := range r.Audit.Tables {
				r.Audit.Tables[i].Examples = []string{} // one run shows them
			}
		}
		list.Items = append(list.Items, r)
	}
	return list, nil
}

// Run implements web.Runs.
func (x runs) Run(ctx context.Context, number uint32) (web.Run, error) {
	l := x.m.room.ledger
	m, ok, err := l.manifestOf(streaming.Generation(number))
	if err != nil {
		return web.Run{}, err
	}
	if !ok {
		return web.Run{}, noRun(number)
	}
	t, err := l.live()
	if err != nil {
		return web.Run{}, err
	}
	return x.describe(ctx, m, t)
}

func noRun(number uint32) error {
	return &web.Error{Status: http.StatusNotFound, Title: "No such run", Detail: fmt.Sprintf("There is no run %d; `meridian replay list` shows those that there are.", number)}
}

// describe is a generation in words.
func (x runs) describe(ctx context.Context, m streaming.GenerationManifest, t turn) (web.Run, error) {
	l := x.m.room.ledger
	r, err := l.runOf(m.Number)
	if err != nil {
		return web.Run{}, err
	}
	out := web.Run{
		Number: uint32(m.Number), Kind: string(shownKind(m, r)), Reason: m.Reason, By: r.By, Begun: instantText(m.Begun), Ended: instantText(r.Ended),
		Logic: m.Logic, Catalog: m.CatalogHash.String(), Zones: m.ZoneHash.String(), MaxRate: r.MaxRate, Problem: r.Problem, Can: []web.RunAction{},
		Limits: web.RunLimits{From: instantText(r.Limits.From), To: instantText(r.Limits.To), Teams: noNil(r.Limits.Teams), Metrics: noNil(r.Limits.Metrics)},
		Audit:  auditOf(r.Audit),
	}
	if p, any := l.progressOf(m.Number); any {
		out.History = progressOf(p)
	}
	var clock, live timeline.Millis
	if r.Audit == nil {
		if _, clock, err = x.m.database.Progress(ctx, m.Number); err != nil {
			return out, err
		}
		out.Clock = instantText(clock)
	}
	if t.Generation != 0 {
		if _, live, err = x.m.database.Progress(ctx, t.Generation); err != nil {
			return out, err
		}
	}
	if behind := live - clock; out.Clock != nil && behind > 0 && m.Number != t.Generation {
		out.Behind = float64(behind) / 1000
	}
	if out.State, out.Says, err = x.state(m, r, t, out); err != nil {
		return out, err
	}
	if l.following(m) && out.History.Total > 0 {
		out.History.Done, out.History.Share, out.History.ETA, out.History.Text = out.History.Total, 1, 0, ""
	}
	if out.State == "kept" {
		out.Kept = instantText(timeline.FromTime(t.At.Add(keepFor)))
	}
	for action, err := range map[web.RunAction]error{
		web.PromoteRun: l.promotable(m.Number, false), web.RollbackRun: l.promotable(m.Number, true),
		web.DropRun: l.droppable(m.Number), web.ResumeRun: l.resumable(m.Number),
	} {
		if err != nil && !errors.Is(err, errRun) {
			return out, err
		}
		if err == nil && (action != web.ResumeRun || r.Problem != "") && (action != web.PromoteRun || l.promotable(m.Number, true) != nil) {
			out.Can = append(out.Can, action)
		}
	}
	slices.Sort(out.Can)
	return out, nil
}

// comparedWithin is how many seconds an audit may be behind while it is compared:
// both generations go on meanwhile.
const comparedWithin = 10

// state is where a generation stands.
func (x runs) state(m streaming.GenerationManifest, r runRecord, t turn, out web.Run) (state, says string, err error) {
	l := x.m.room.ledger
	course, _, err := l.course()
	if err != nil {
		return "", "", err
	}
	p, promoting, err := l.promoting()
	if err != nil {
		return "", "", err
	}
	why, lost := l.control.Get(numbered(lostKeys, m.Number))
	switch {
	case promoting && p.Generation == m.Number && t.Generation != m.Number:
		return "promoting", "becomes the one that readers see: " + string(p.Step), nil
	case t.Generation == m.Number:
		return "live", "readers see it", nil
	case r.Audit != nil && r.Audit.Agrees:
		return "done", fmt.Sprintf("agrees with generation %d", r.Of), nil
	case r.Audit != nil:
		return "done", fmt.Sprintf("differs from generation %d", r.Of), nil
	case r.Problem != "":
		return "stands", "stands: " + r.Problem, nil
	case lost:
		return "lost", "cannot go on: " + string(why), nil
	case t.kept(m.Number, x.m.config.Generations.Keep, time.Now()):
		return "kept", "was replaced, stands, and can be gone back to", nil
	case slices.Contains(t.Before, m.Number):
		return "replaced", "was replaced, and is dropped soon", nil
	case m.Logic != logicVersion():
		return "stands", fmt.Sprintf("goes on with a program of logic version %d", m.Logic), nil
	case r.Kind == runUpgrade && m.Number != course.Number:
		return "replaced", "a newer one took its place before it was done, and it is dropped soon", nil
	case !l.following(m):
		if progress, any := l.progressOf(m.Number); any && progress.Waits != "" {
			return "waiting", progress.String(), nil
		} else if any {
			return "computing", progress.String(), nil
		}
		return "computing", "its history begins to be computed", nil
	case r.Kind == runAudit && out.Clock != nil && out.Behind < comparedWithin:
		return "following", "has caught up, and is compared", nil
	case out.Clock == nil || out.Behind > 0:
		return "following", fmt.Sprintf("follows the log, %s behind", time.Duration(out.Behind*float64(time.Second)).Round(time.Second)), nil
	case r.Kind == runUpgrade && x.m.config.Generations.Promote == "manual":
		return "ready", "has caught up, and waits to be promoted", nil
	case r.Kind == runUpgrade:
		if j, any := l.judged(m.Number, t.Generation); any && len(j.Outside) > 0 {
			return "ready", fmt.Sprintf("has caught up, and waits to be promoted: %s; `meridian replay diff %d` shows where, `meridian replay promote %d` takes it", j, m.Number, m.Number), nil
		}
		return "ready", "has caught up, and takes over in a moment", nil
	}
	return "ready", "has caught up, and follows the log", nil
}

func progressOf(p runProgress) web.RunProgress {
	return web.RunProgress{Done: p.Done, Total: p.Total, Share: p.Share(), Rate: p.Rate, ETA: p.ETA, EventTime: instantText(p.EventTime), Text: p.String()}
}

func auditOf(r *auditReport) *web.RunAudit {
	if r == nil {
		return nil
	}
	out := &web.RunAudit{Of: uint32(r.Of), UpTo: instantText(r.UpTo), Agrees: r.Agrees, Tables: []web.RunAuditTable{}}
	for _, t := range r.Tables {
		row := web.RunAuditTable{Table: t.Table, Rows: t.Rows, Equal: t.Equal, Different: t.Different, Missing: t.Missing, Extra: t.Extra, Newer: t.Newer, Examples: []string{}}
		for _, e := range t.Examples {
			row.Examples = append(row.Examples, e.String())
		}
		out.Tables = append(out.Tables, row)
	}
	return out
}

func instantText(m timeline.Millis) *string {
	if m == 0 {
		return nil
	}
	s := m.String()
	return &s
}

func noNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// changedFor is how long pages say that another generation has taken over.
const changedFor = 7 * 24 * time.Hour

// Turn implements web.Runs.
func (x runs) Turn() (out web.RunTurn) {
	l := x.m.room.ledger
	t, err := l.live()
	if err != nil || t.Generation == 0 {
		return out
	}
	if course, any, err := l.course(); err == nil && any && course.Number != t.Generation {
		out.Coming = fmt.Sprintf("Numbers are computed anew, because %s", course.Reason)
		p, promoting, _ := l.promoting()
		progress, any := l.progressOf(course.Number)
		judged, _ := l.judged(course.Number, t.Generation)
		switch {
		case promoting && p.Generation == course.Number:
			out.Coming += "; they take over in a moment"
		case l.following(course) && x.m.config.Generations.Promote == "manual":
			out.Coming += "; they are ready, and wait to be promoted"
		case len(judged.Outside) > 0:
			out.Coming += fmt.Sprintf("; %s, so they wait for somebody to promote them (run %d)", judged, course.Number)
		case l.following(course):
			out.Coming += "; they take over when they have caught up"
		case any && progress.ETA > 0:
			out.Coming += fmt.Sprintf("; they take over in about %s", time.Duration(progress.ETA)*time.Second)
		default:
			out.Coming += "; they take over when that is done"
		}
	} else if held := l.held(); held != "" {
		out.Coming = upperFirst(held)
	}
	if len(t.Before) == 0 || time.Since(t.At) > changedFor {
		return out
	}
	out.Run, out.Before = uint32(t.Generation), uint32(t.Before[0])
	why := ""
	if m, ok, err := l.manifestOf(t.Generation); err == nil && ok && t.Refused == "" {
		why = ", because " + m.Reason
	} else if t.Refused != "" {
		why = ", by a rollback"
	}
	z := x.m.currentCatalog().TeamZone("", 0) // as every time on pages that are of no team
	at := t.At.UTC().Add(time.Duration(z.Offset(timeline.FromTime(t.At))) * time.Millisecond)
	out.Changed = fmt.Sprintf("Since %s %s these numbers are those of generation %d%s", at.Format("2 Jan, 15:04"), z.Name(), t.Generation, why)
	return out
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// Act implements web.Runs.
func (x runs) Act(ctx context.Context, action web.RunAction, number uint32, by string) (string, error) {
	g := streaming.Generation(number)
	w := wish{By: by}
	switch action {
	case web.PromoteRun:
		w.Promote = g
	case web.RollbackRun:
		w.Promote, w.Rollback = g, true
	case web.DropRun:
		w.Drop = g
	case web.ResumeRun:
		w.Resume = g
	default:
		return "", &web.Error{Status: http.StatusNotFound, Title: "No such thing", Detail: fmt.Sprintf("Nothing is called %q; runs are promoted, dropped and resumed, and rolled back to.", action)}
	}
	a, err := x.wish(ctx, w)
	if err != nil {
		return "", err
	}
	return map[web.RunAction]string{
		web.PromoteRun:  fmt.Sprintf("Run %d takes over when it has caught up.", a.Generation),
		web.RollbackRun: fmt.Sprintf("Generation %d catches up and takes over again.", a.Generation),
		web.DropRun:     fmt.Sprintf("Run %d is dropped, with its rows.", a.Generation),
		web.ResumeRun:   fmt.Sprintf("Run %d goes on.", a.Generation),
	}[action], nil
}

// Begin asks for a run.
func (x runs) Begin(ctx context.Context, r runRecord) (web.Run, error) {
	a, err := x.wish(ctx, wish{Run: &r, By: r.By})
	if err != nil {
		return web.Run{}, err
	}
	return x.Run(ctx, uint32(a.Generation))
}

// answerPatience is how long the coordinator may take to answer a wish. It may be
// another process, and one that is emptying tables.
const answerPatience = 25 * time.Second

// wish asks the coordinator, wherever it runs, and waits for its answer.
func (x runs) wish(ctx context.Context, w wish) (a wishAnswer, err error) {
	l := x.m.room.ledger
	id, err := l.askNamed(ctx, w)
	if err != nil {
		return a, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		a, ok, err := l.answer(id)
		switch {
		case err != nil:
			return a, err
		case ok && a.Refused != "":
			return a, &web.Error{Status: http.StatusConflict, Title: "That cannot be done", Detail: sentence(a.Refused)}
		case ok:
			return a, nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return a, &web.Error{Status: http.StatusServiceUnavailable, Title: "Not yet", Detail: "It was asked for, and the process that coordinates this instance has not answered yet. It will be done when it does: look again in a moment."}
		}
	}
}
