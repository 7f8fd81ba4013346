package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"meridian/cmd/meridian/jobs"
	"meridian/ingest"
	"meridian/ingest/backfill"
	backfillgithub "meridian/ingest/backfill/github"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// reconcileAll looks for what webhooks have not brought, and closes the gaps that
// are known: failed deliveries are asked for again, and what GitHub does not keep
// any more, or Jira cannot send again, is read through the APIs.
const reconcileAll jobs.Kind = "reconcile"

// reconcileSpec is when a reconcile was due; what it does follows from what is
// open then.
type reconcileSpec struct {
	Due timeline.Millis `json:"due"`
}

// githubKeeps is how long GitHub keeps deliveries; a little less, for a look takes
// its time.
const githubKeeps = 3*timeline.Day - timeline.Hour

// seenDays is how far back repositories and projects are looked for that
// deliveries have come of.
const seenDays = 30

// A redelivery is looked after this often, and this many times: GitHub sends
// within seconds, unless it has trouble of its own.
var (
	lookAgain = 15 * time.Second // a test looks sooner
	looks     = 8
)

// askReconcile asks for a reconcile whenever one is due, while this process leads.
func (m *machine) askReconcile(ctx context.Context) error {
	every := m.config.APIs.Reconcile.Millis()
	if every == 0 {
		return nil
	}
	due := time.NewTicker(time.Duration(every) * time.Millisecond)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
		}
		now := timeline.FromTime(time.Now())
		if _, err := m.jobs.Start(ctx, reconcileAll, "failed deliveries, and what is left of known gaps", reconcileSpec{now}); err != nil && ctx.Err() == nil {
			m.app.log.Warn("a reconcile could not be asked for", "error", err)
		}
	}
}

// reconciled is what a reconcile has done.
type reconciled struct {
	Redelivered *backfillgithub.Redelivered `json:"redelivered,omitempty"`
	Read        []string                    `json:"read"` // what was read through the APIs
	Open        int                         `json:"open"` // gaps that are left
}

func (m *machine) reconcile(ctx context.Context, t *jobs.Task) (any, error) {
	done := reconciled{Read: []string{}}
	var problems []error
	say := func(text string) { t.Report(ctx, jobs.Progress{Text: text}) }
	now := timeline.FromTime(time.Now())
	if len(m.config.APIs.GitHub) > 0 {
		r, err := m.redeliverSeen(ctx, "", now-githubKeeps, now, say)
		done.Redelivered = &r
		problems = append(problems, err)
	}
	for _, s := range []event.Source{event.GitHub, event.Jira} {
		from := timeline.Millis(0)
		for _, g := range m.gaps() {
			if g.Source == s {
				from = g.From
				break // the oldest
			}
		}
		if from == 0 {
			continue
		}
		read, err := m.readGap(ctx, t, s, from)
		if read != "" {
			done.Read = append(done.Read, read)
		}
		problems = append(problems, err)
	}
	done.Open = len(m.gaps())
	if err := errors.Join(problems...); err != nil {
		if ctx.Err() != nil {
			return done, err
		}
		return done, fmt.Errorf("%w: %w", jobs.ErrPartly, err)
	}
	return done, nil
}

// readGap reads through the API what a source may have missed since then, of all
// that webhooks have told of lately, and closes its gaps when all could be read.
func (m *machine) readGap(ctx context.Context, t *jobs.Task, s event.Source, from timeline.Millis) (string, error) {
	names, err := m.seen(ctx, s)
	if err != nil || len(names) == 0 {
		return "", err
	}
	now := timeline.FromTime(time.Now())
	spec := backfillSpec{Repositories: names, Since: from}
	read := m.readGitHub
	if s == event.Jira {
		spec, read = backfillSpec{Projects: names, Since: from}, m.readJira
		if len(m.config.APIs.Jira) == 0 {
			return "", nil
		}
	} else if len(m.config.APIs.GitHub) == 0 {
		return "", nil
	}
	report, _, err := m.readHistory(ctx, t, spec, &savedBackfill{State: &backfill.State{}}, now, func(w backfill.Work) (backfill.Report, error) { return read(ctx, spec, w) })
	what := fmt.Sprintf("%s: %d deliveries of %s", s, report.Total.Deliveries, spec)
	switch {
	case err != nil:
		return what, err
	case report.Failed() > 0:
		return what, fmt.Errorf("%d of %d of %s could not be read", report.Failed(), len(report.Rows), s)
	}
	return what, m.closeGaps(ctx, s, from, now)
}

// redeliverSeen asks for failed deliveries of everything that webhooks have told of
// lately, and looks until they have come. What has come closes its gaps.
func (m *machine) redeliverSeen(ctx context.Context, api string, from, to timeline.Millis, say func(string)) (r backfillgithub.Redelivered, err error) {
	client, err := githubClient(m.config, api)
	if err != nil {
		return r, err
	}
	names, err := m.seen(ctx, event.GitHub)
	if err != nil {
		return r, err
	}
	hooks := backfillgithub.Hooks{Found: true, Repositories: names}
	r, err = backfillgithub.Redeliver(ctx, client, hooks, from.Time(), to.Time(), func(r backfillgithub.Redelivered) { say(redeliveredSo(r)) })
	if err != nil || !r.Whole || r.Gone > 0 {
		return r, err
	}
	for range looks {
		failing, err := backfillgithub.Failing(ctx, client, hooks, from.Time(), to.Time())
		if err != nil {
			return r, err
		}
		if failing == 0 {
			return r, m.closeGaps(ctx, event.GitHub, max(from, timeline.FromTime(time.Now())-githubKeeps), to)
		}
		say(fmt.Sprintf("%s; %d have not come yet", redeliveredSo(r), failing))
		if err := (backfill.WallClock{}).Sleep(ctx, lookAgain); err != nil {
			return r, err
		}
	}
	return r, nil
}

func redeliveredSo(r backfillgithub.Redelivered) string {
	return fmt.Sprintf("%d hooks, %d deliveries looked at, %d asked for again", r.Hooks, r.Seen, r.Asked)
}

// seen are the repositories or projects that deliveries of a source have come of
// lately, by name.
func (m *machine) seen(ctx context.Context, s event.Source) ([]string, error) {
	names := map[string]bool{}
	since := timeline.FromTime(time.Now()) - seenDays*timeline.Day
	err := eachDelivery(ctx, m.log, func(d *ingest.LoggedDelivery) {
		if d.Delivery.Received < since || ingest.SourceOf(d.Delivery.Provider) != s {
			return
		}
		for i := range d.Events {
			if e := &d.Events[i]; s == event.Jira && e.Scope.Project != "" {
				names[e.Scope.Project] = true
			} else if s == event.GitHub && e.Scope.Repository != "" {
				names[e.Scope.Repository] = true
			}
		}
	})
	list := make([]string, 0, len(names))
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	return list, err
}
