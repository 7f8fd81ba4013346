package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// A release names the metrics that its logic changes (metrics.LogicChanges). A
// generation of it takes over by itself only when it differs from what readers see
// in no others; else somebody has to look and say so. It is compared once, when it
// has caught up, and what was found stands in the ledger.

// judgement is what was found.
type judgement struct {
	Against streaming.Generation `json:"against"`           // what readers saw
	Outside []metrics.Name       `json:"outside,omitempty"` // that differ, and that the release does not name
}

// String is a clause for people; "" when nothing is outside.
func (j judgement) String() string {
	if len(j.Outside) == 0 {
		return ""
	}
	names := make([]string, min(len(j.Outside), 5))
	for i := range names {
		names[i] = string(j.Outside[i])
	}
	if more := len(j.Outside) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return "it differs in metrics that this release does not mean to change (" + strings.Join(names, ", ") + ")"
}

const judgedKeys = "judged/"

// judged returns what was found of a generation against the one that readers see.
func (l ledger) judged(g, against streaming.Generation) (j judgement, any bool) {
	data, ok := l.control.Get(numbered(judgedKeys, g))
	if !ok || json.Unmarshal(data, &j) != nil || j.Against != against {
		return judgement{}, false
	}
	return j, true
}

func (l ledger) setJudged(ctx context.Context, g streaming.Generation, j judgement) error {
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return l.control.Put(ctx, numbered(judgedKeys, g), data)
}

// judging is a comparison that runs.
type judging struct {
	generation, against streaming.Generation
	stop                context.CancelFunc
	done                chan judgementEnd
}

type judgementEnd struct {
	judgement
	err error
}

// mayTakeOver reports whether a generation that has caught up may become the one
// that readers see without anybody's word. While it is compared it may not yet.
func (c *coordinator) mayTakeOver(ctx context.Context, t turn, g streaming.GenerationManifest) (bool, error) {
	live, ok, err := c.manifestOf(t.Generation)
	if err != nil || !ok || live.Logic >= g.Logic {
		return err == nil, err // of the same logic, or back to one whose numbers were there before
	}
	if j, any := c.judged(g.Number, t.Generation); any {
		return len(j.Outside) == 0, nil
	}
	if c.judging != nil && (c.judging.generation != g.Number || c.judging.against != t.Generation) {
		c.stopJudging()
	}
	if c.judging == nil {
		jctx, stop := context.WithCancel(ctx)
		j := &judging{generation: g.Number, against: t.Generation, stop: stop, done: make(chan judgementEnd, 1)}
		c.judging = j
		go func() {
			outside, err := c.outside(jctx, live, g)
			j.done <- judgementEnd{judgement{live.Number, outside}, err}
		}()
		return false, nil
	}
	select {
	case end := <-c.judging.done:
		c.judging.stop()
		c.judging = nil
		if end.err != nil {
			return false, fmt.Errorf("the comparison of generation %d with %d, which is tried again: %w", g.Number, live.Number, end.err)
		}
		if said := end.String(); said != "" {
			c.m.app.log.Warn("a generation waits to be promoted", "generation", g.Number, "why", said)
		}
		return len(end.Outside) == 0, c.setJudged(ctx, g.Number, end.judgement)
	default:
		return false, nil
	}
}

func (c *coordinator) stopJudging() {
	if c.judging != nil {
		c.judging.stop()
		<-c.judging.done
		c.judging = nil
	}
}

// outside returns the metrics whose points differ between what readers see and a
// generation of a later logic, and that the releases between them do not name.
//
// What both have computed of the same deliveries is compared: a window that one of
// them has written behind the other's history is left out, as is what readers have not
// come to, or begins before the horizon. So are, for a team, the
// metrics of a source of which a history takes what had come too late or waited for
// it, or of which it has read more, since a late fact can change any window.
func (c *coordinator) outside(ctx context.Context, live, g streaming.GenerationManifest) (outside []metrics.Name, err error) {
	changed, err := changedBy(live, g)
	if err != nil {
		return nil, err
	}
	q := storage.Differing{First: live.Number, Second: g.Number, Limit: judgedWindows}
	all, err := c.m.database.DiffCounts(ctx, q)
	if err != nil {
		return nil, err
	}
	counts := slices.DeleteFunc(all, func(x storage.DiffCount) bool { return changed[x.Metric] || x.Other+x.First+x.Second == 0 })
	if len(counts) == 0 {
		return nil, nil
	}
	both, err := c.computedByBoth(ctx, live, g)
	if err != nil {
		return nil, err
	}
	excused, err := c.excused(ctx, live, g, teamsOf(counts), both.behind)
	if err != nil {
		return nil, err
	}
	counts = slices.DeleteFunc(counts, func(x storage.DiffCount) bool { return excused.any(x.Team, x.Metric) })
	for len(counts) > 0 {
		q.Teams, q.Metrics = teamsOf(counts), nil
		for _, x := range counts {
			if !slices.Contains(q.Metrics, x.Metric) {
				q.Metrics = append(q.Metrics, x.Metric)
			}
		}
		windows, next, err := c.m.database.DiffWindows(ctx, q, counts)
		if err != nil {
			return nil, err
		}
		for _, w := range windows {
			if both.have(w) && !excused.any(w.Team, w.Metric) && !slices.Contains(outside, w.Metric) {
				outside = append(outside, w.Metric)
			}
		}
		// Those that were found need not be found again.
		counts = slices.DeleteFunc(counts, func(x storage.DiffCount) bool { return slices.Contains(outside, x.Metric) })
		if q.After = next; next == "" {
			break
		}
	}
	slices.Sort(outside)
	return outside, nil
}

// judgedWindows is how many windows are looked at in one query.
const judgedWindows = 5_000

func teamsOf(counts []storage.DiffCount) (teams []string) {
	for _, x := range counts {
		if !slices.Contains(teams, x.Team) {
			teams = append(teams, x.Team)
		}
	}
	return teams
}

// changedBy are the metrics that the releases between two generations name, and
// the variations of them.
func changedBy(live, g streaming.GenerationManifest) (map[metrics.Name]bool, error) {
	var s resultSettings
	if err := json.Unmarshal(g.Config, &s); err != nil {
		return nil, fmt.Errorf("the settings of generation %d cannot be read: %w", g.Number, err)
	}
	changed := map[metrics.Name]bool{}
	for _, name := range metrics.LogicChanges(live.Logic, g.Logic) {
		changed[name] = true
	}
	for _, v := range s.Variations {
		changed[v.Name] = changed[v.Name] || changed[v.Of]
	}
	return changed, nil
}

// computedByBoth says which windows two generations have computed of the same deliveries.
type computedByBoth struct {
	end    streaming.Round // of the history of the second
	clock  timeline.Millis // up to which readers have rows of the first
	behind bool            // which is before the history ends
	oldest timeline.Millis // the horizon at the history's end
}

func (c *coordinator) computedByBoth(ctx context.Context, live, g streaming.GenerationManifest) (computedByBoth, error) {
	var s resultSettings
	if err := json.Unmarshal(g.Config, &s); err != nil {
		return computedByBoth{}, fmt.Errorf("the settings of generation %d cannot be read: %w", g.Number, err)
	}
	horizon, err := timeline.ParseLength(s.Horizon)
	if err != nil {
		return computedByBoth{}, fmt.Errorf("the horizon of generation %d cannot be read: %w", g.Number, err)
	}
	_, clock, err := c.m.database.Progress(ctx, live.Number)
	end := g.HistoryEnd.Clock()
	return computedByBoth{end: g.HistoryEnd, clock: clock, behind: clock < end, oldest: end - horizon}, err
}

// have reports whether both have had to compute a window. The first does not change what
// is older than the horizon, where a history takes everything; and windows that end after
// its last row it has not come to.
func (b computedByBoth) have(w storage.DiffWindow) bool {
	return max(w.First.Round, w.Second.Round) <= b.end && w.Start >= b.oldest && (!b.behind || w.First.There || w.End <= b.clock)
}

// excuses are the sources of teams of which two generations have taken other events.
type excuses map[string]map[string]bool

// any reports whether a metric reads one of them.
func (e excuses) any(team string, metric metrics.Name) bool {
	def := metrics.Find(metric)
	for source := range e[team] {
		if def == nil || slices.ContainsFunc(def.Sources, func(s event.Source) bool { return s.String() == source }) {
			return true
		}
	}
	return false
}

func (c *coordinator) excused(ctx context.Context, live, g streaming.GenerationManifest, teams []string, behind bool) (excuses, error) {
	verdicts, err := c.m.database.DiffVerdictTotals(ctx, live.Number, g.Number, teams)
	if err != nil {
		return nil, err
	}
	e := excuses{}
	for _, v := range verdicts {
		if v.Healed == 0 && v.Late == 0 && v.Backfilled == 0 && (!behind || v.Accepted == 0) {
			continue
		}
		if e[v.Team] == nil {
			e[v.Team] = map[string]bool{}
		}
		e[v.Team][v.Source] = true
	}
	return e, nil
}
