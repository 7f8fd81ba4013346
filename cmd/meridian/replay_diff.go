package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/timeline"
	"meridian/web"
)

// Diff implements web.Runs.
func (x runs) Diff(ctx context.Context, q web.RunDiffQuery) (out web.RunDiff, err error) {
	first, second, err := x.pair(q)
	if err != nil {
		return out, err
	}
	d := storage.Differing{First: first.Number, Second: second.Number, Metrics: q.Metrics, Grain: q.Grain, Limit: q.Limit, After: q.Cursor}
	if len(q.Teams) > 0 {
		d.Teams = q.Teams
	}
	for _, bound := range []struct {
		text *string
		to   *timeline.Millis
	}{{q.From, &d.From}, {q.To, &d.To}} {
		if bound.text == nil {
			continue
		}
		if *bound.to, err = readDay(*bound.text); err != nil {
			return out, &web.Error{Status: http.StatusBadRequest, Title: "No range", Detail: fmt.Sprintf("%q is no day and no instant: write 2026-03-02, or 2026-03-02T09:00:00Z.", *bound.text)}
		}
	}
	x.within(&d)
	counts, err := x.m.database.DiffCounts(ctx, d)
	if err != nil {
		return out, err
	}
	windows, next, err := x.m.database.DiffWindows(ctx, d, counts)
	if err != nil {
		return out, err
	}
	var teams []string
	for _, c := range counts {
		if c.Other+c.First+c.Second > 0 && !slices.Contains(teams, c.Team) {
			teams = append(teams, c.Team)
		}
	}
	why := x.causesOf(first, second, teams)
	out = web.RunDiff{First: uint32(first.Number), Second: uint32(second.Number), Causes: noNil(why.whole), Counts: x.diffCounts(counts), Windows: []web.RunDiffWindow{}}
	if next != "" {
		out.Next = &next
	}
	behind, err := x.behind(ctx, first.Number, second.Number)
	if err != nil {
		return out, err
	}
	found, err := x.findings(ctx, first.Number, second.Number, windows)
	if err != nil {
		return out, err
	}
	for i, w := range windows {
		out.Windows = append(out.Windows, x.diffWindow(w, found[i], why, behind))
	}
	return out, nil
}

// within leaves out what a run was not asked to write: that it lacks those windows
// is known, and would hide the ones that differ.
func (x runs) within(d *storage.Differing) {
	for _, g := range []streaming.Generation{d.First, d.Second} {
		r, err := x.m.room.runOf(g)
		if err != nil {
			continue
		}
		if len(d.Teams) == 0 && len(r.Limits.Teams) > 0 {
			d.Teams = r.Limits.Teams
		}
		if len(d.Metrics) == 0 && len(r.Limits.Metrics) > 0 {
			d.Metrics = r.Limits.Metrics
		}
		d.From = max(d.From, r.Limits.From)
		if to := r.Limits.To; to != 0 {
			d.To = min(cmp.Or(d.To, to), to)
		}
	}
}

// pair finds the two generations of a question.
func (x runs) pair(q web.RunDiffQuery) (first, second streaming.GenerationManifest, err error) {
	l := x.m.room.ledger
	t, err := l.live()
	if err != nil {
		return first, second, err
	}
	find := func(n uint32) (m streaming.GenerationManifest, err error) {
		if n == 0 {
			n = uint32(t.Generation)
		}
		if n == 0 {
			return m, &web.Error{Status: http.StatusConflict, Title: "No numbers yet", Detail: "There are no numbers yet that a run could be compared with: the first history is being computed. `meridian replay list` tells how far it is."}
		}
		m, ok, err := l.manifestOf(streaming.Generation(n))
		if err == nil && !ok {
			err = noRun(n)
		}
		if err == nil {
			err = x.readable(m)
		}
		return m, err
	}
	if first, err = find(q.First); err != nil {
		return first, second, err
	}
	if second, err = find(q.Second); err != nil {
		return first, second, err
	}
	if first.Number == second.Number {
		return first, second, &web.Error{Status: http.StatusBadRequest, Title: "One run", Detail: fmt.Sprintf("Run %d is compared with itself; name another one with --with.", first.Number)}
	}
	return first, second, nil
}

// readable says why the rows of a generation cannot be shown: those of a history come
// into the tables piece by piece, and a half looks like a whole.
func (x runs) readable(m streaming.GenerationManifest) error {
	l := x.m.room.ledger
	r, err := l.runOf(m.Number)
	switch {
	case err != nil:
		return err
	case r.Audit != nil:
		return &web.Error{Status: http.StatusConflict, Title: "Over", Detail: fmt.Sprintf("Audit %d is over, and what it computed is removed; `meridian replay show %d` has its report.", m.Number, m.Number)}
	case !l.following(m):
		return &web.Error{Status: http.StatusConflict, Title: "Not yet", Detail: fmt.Sprintf("The history of run %d is still being computed, so it has a part of its numbers; ask again when `meridian replay show %d` says that it has caught up.", m.Number, m.Number)}
	}
	return nil
}

// mayRead is readable by number, for whoever reads tables.
func (x runs) mayRead(g streaming.Generation) error {
	m, ok, err := x.m.room.manifestOf(g)
	switch {
	case err != nil:
		return err
	case !ok:
		return noRun(uint32(g))
	}
	return x.readable(m)
}

// behind is the clock that both generations have reached.
func (x runs) behind(ctx context.Context, first, second streaming.Generation) (timeline.Millis, error) {
	_, one, err := x.m.database.Progress(ctx, first)
	if err != nil {
		return 0, err
	}
	_, two, err := x.m.database.Progress(ctx, second)
	return min(one, two), err
}

// diffCounts adds up teams.
func (x runs) diffCounts(counts []storage.DiffCount) []web.RunDiffCount {
	out := []web.RunDiffCount{}
	for _, c := range counts {
		i := slices.IndexFunc(out, func(o web.RunDiffCount) bool { return o.Metric == c.Metric && o.Grain == c.Grain })
		if i < 0 {
			i = len(out)
			out = append(out, web.RunDiffCount{Metric: c.Metric, Grain: c.Grain})
		}
		o := &out[i]
		o.Equal, o.Other, o.OnlyFirst, o.OnlySecond = o.Equal+c.Equal, o.Other+c.Other, o.OnlyFirst+c.First, o.OnlySecond+c.Second
	}
	return out
}

// behindWindow is what is behind one window that differs.
type behindWindow struct {
	verdicts storage.Verdicts // summed
	evidence web.RunEvidence
}

const shownItems = 5

// findings looks for evidence behind windows: observations that differ, and events
// that were judged otherwise.
func (x runs) findings(ctx context.Context, first, second streaming.Generation, windows []storage.DiffWindow) ([]behindWindow, error) {
	found := make([]behindWindow, len(windows))
	if len(windows) == 0 {
		return found, nil
	}
	var teams []string
	var names []metrics.Name
	from, to := windows[0].Start, windows[0].End
	for _, w := range windows {
		if !slices.Contains(teams, w.Team) {
			teams = append(teams, w.Team)
		}
		if !slices.Contains(names, w.Metric) && !aboutPeople(w.Metric) {
			names = append(names, w.Metric)
		}
		from, to = min(from, w.Start), max(to, w.End)
	}
	items, more, err := x.m.database.DiffItems(ctx, first, second, teams, names, from, to)
	if err != nil {
		return nil, err
	}
	verdicts, err := x.m.database.DiffVerdicts(ctx, first, second, teams, from, to)
	if err != nil {
		return nil, err
	}
	for i, w := range windows {
		f := &found[i]
		f.evidence = web.RunEvidence{AtLeast: more, Items: []web.RunEvidenceItem{}}
		for _, item := range items {
			if item.Team == w.Team && item.Metric == w.Metric && item.At >= w.Start && item.At < w.End && (w.Service == "" || item.Service == w.Service) {
				addItem(&f.evidence, item)
			}
		}
		def := metrics.Find(w.Metric)
		for _, v := range verdicts {
			ours := def == nil || slices.ContainsFunc(def.Sources, func(s event.Source) bool { return s.String() == v.Source })
			if ours && v.Team == w.Team && v.Cell >= w.Start && v.Cell < w.End {
				s := &f.verdicts
				s.Accepted, s.Healed, s.Late, s.Backfilled = s.Accepted+v.Accepted, s.Healed+v.Healed, s.Late+v.Late, s.Backfilled+v.Backfilled
			}
		}
	}
	return found, nil
}

func addItem(e *web.RunEvidence, x storage.DiffItem) {
	in := "both"
	switch {
	case x.Second == nil:
		in = "first"
		e.OnlyFirst++
	case x.First == nil:
		in = "second"
		e.OnlySecond++
	default:
		e.Other++
	}
	if len(e.Items) < shownItems {
		what := x.Outcome
		if x.Reason != "" {
			what += ": " + x.Reason
		}
		item := x.Item
		if item == "" {
			item = x.Entity
		}
		e.Items = append(e.Items, web.RunEvidenceItem{In: in, Item: item, Label: x.Label, URL: x.URL, At: x.At.String(), What: what})
	}
}

// aboutPeople reports whether values of a metric are withheld: two runs side by
// side tell of one person more or less what neither would.
func aboutPeople(name metrics.Name) bool {
	d := metrics.Find(name)
	return d == nil || d.Sensitivity != metrics.Work
}

// diffWindow is a window with its reasons.
func (x runs) diffWindow(w storage.DiffWindow, f behindWindow, why causes, reached timeline.Millis) web.RunDiffWindow {
	out := web.RunDiffWindow{
		Metric: w.Metric, Team: w.Team, Service: w.Service, Grain: w.Grain, Start: w.Start.String(), End: w.End.String(), Unit: w.Unit,
		Withheld: aboutPeople(w.Metric), Why: []web.RunCause{}, Evidence: web.RunEvidence{Items: []web.RunEvidenceItem{}},
	}
	side := func(s storage.DiffSide) *web.RunDiffSide {
		if !s.There || out.Withheld {
			return nil
		}
		return &web.RunDiffSide{N: s.N, Value: s.Value, Missing: s.Missing, Status: s.Status, LateDropped: s.LateDropped}
	}
	if out.First, out.Second = side(w.First), side(w.Second); !out.Withheld {
		out.Evidence = f.evidence
	}
	add := func(cause, format string, args ...any) {
		out.Why = append(out.Why, web.RunCause{Cause: cause, Text: fmt.Sprintf(format, args...)})
	}
	v := f.verdicts
	switch {
	case v.Healed > 0:
		add("late", "%s healed: too late when they came, and counted now", events(v.Healed))
	case v.Late < 0:
		add("late", "%s that had come too late are counted now", events(-v.Late))
	case v.Healed < 0 || v.Late > 0:
		add("late", "%s count that came too late for the other", events(max(-v.Healed, v.Late)))
	}
	if v.Backfilled > 0 && v.Healed <= 0 {
		add("backfill", "%s that were read from an API", events(v.Backfilled))
	}
	if !w.First.There || !w.Second.There {
		out.Why = append(out.Why, why.limits()...) // which leave windows out, and change none
	}
	out.Why = append(out.Why, why.of(w.Team)...)
	if len(out.Why) == 0 && w.End > reached {
		add("newer", "one of the two has read further: both are at %s", reached)
	}
	if len(out.Why) == 0 && v.Accepted != 0 {
		which := "second"
		if v.Accepted < 0 {
			which = "first"
		}
		add("newer", "%s more, of deliveries that only the %s of the two has read", events(max(v.Accepted, -v.Accepted)), which)
	}
	if len(out.Why) == 0 {
		add("unknown", "nothing that is recorded of the two explains it; `meridian replay --mode audit` tells whether the first can be computed again")
	}
	return out
}

func events(n int64) string {
	if n == 1 {
		return "1 event"
	}
	return fmt.Sprintf("%d events", n)
}
