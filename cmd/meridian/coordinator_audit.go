package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// An audit computes the live generation again from its own manifest, as a
// generation of its own: history up to the same o*, and from there on round by
// round over the same ticks, beside the live one. When it has caught up, both are
// compared in the database: every key, byte for byte, and the rounds of their
// versions (the generation's half of a version is what tells them apart).

// auditReport is what an audit found.
type auditReport struct {
	Of     streaming.Generation `json:"of"`
	UpTo   timeline.Millis      `json:"up_to"`          // the clock up to which both were compared
	From   timeline.Millis      `json:"from,omitempty"` // 0: from the beginning
	Agrees bool                 `json:"agrees"`
	Tables []storage.Compared   `json:"tables"`
}

// newer counts rows that were written anew while they were compared.
func (r auditReport) newer() (n uint64) {
	for _, t := range r.Tables {
		n += t.Newer
	}
	return n
}

// auditing is a comparison that runs.
type auditing struct {
	goal timeline.Millis // how far the live generation was when the audit followed
	stop context.CancelFunc
	done chan auditEnd // nil: it has not caught up yet
}

type auditEnd struct {
	report auditReport
	err    error
}

// auditExamples is how many differences of a table are shown.
const auditExamples = 20

// auditTries is how often rows are compared that change meanwhile.
const auditTries = 3

// beginAudit begins a generation with the manifest of another one.
func (c *coordinator) beginAudit(ctx context.Context, of streaming.Generation, r runRecord) (streaming.Generation, error) {
	m, ok, err := c.manifestOf(of)
	if err != nil {
		return 0, err
	}
	switch {
	case !ok:
		return 0, refuse("the manifest of generation %d is gone", of)
	case m.Logic != logicVersion():
		return 0, refuse("generation %d is of logic version %d, and this program has %d; start the version that has it", of, m.Logic, logicVersion())
	case !r.Limits.none():
		return 0, refuse("an audit compares every row; leave out --from, --to, --teams and --metrics")
	}
	if _, err := c.catalogOf(m); err != nil {
		return 0, refuse("%v", err)
	}
	if m.Number, err = c.next(ctx, of); err != nil {
		return 0, err
	}
	r.Of = of
	if err := c.setRun(ctx, m.Number, r); err != nil {
		return 0, err
	}
	m.Begun, m.Reason = timeline.FromTime(time.Now()), fmt.Sprintf("an audit of generation %d", of)
	c.m.app.log.Info("an audit begins", "generation", m.Number, "of", of)
	return m.Number, beginGeneration(ctx, c.m.log, c.m.control, m)
}

// auditAll compares the audits that have caught up, beside everything else.
func (c *coordinator) auditAll(ctx context.Context) error {
	all, err := c.manifests()
	if err != nil {
		return err
	}
	for _, m := range all {
		r, err := c.runOf(m.Number)
		if err != nil {
			return err
		}
		if r.Kind != runAudit || r.stands() || !c.following(m) || c.lost(m.Number) {
			continue
		}
		if err := c.audit(ctx, m, r); err != nil {
			return fmt.Errorf("audit %d: %w", m.Number, err)
		}
	}
	return nil
}

func (c *coordinator) audit(ctx context.Context, m streaming.GenerationManifest, r runRecord) error {
	end := func(report *auditReport, problem string) error {
		c.stopAudit(m.Number)
		r.Audit, r.Problem, r.Ended = report, problem, timeline.FromTime(time.Now())
		return c.setRun(ctx, m.Number, r)
	}
	if _, ok, err := c.manifestOf(r.Of); err != nil || !ok {
		return errors.Join(err, end(nil, fmt.Sprintf("generation %d, which it audits, is gone", r.Of)))
	}
	a := c.audits[m.Number]
	if a == nil {
		_, goal, err := c.m.database.Progress(ctx, r.Of)
		if err != nil {
			return err
		}
		a = &auditing{goal: goal}
		c.audits[m.Number] = a
	}
	if a.done == nil {
		shards, clock, err := c.m.database.Progress(ctx, m.Number)
		if err != nil || shards < int(m.EventsPartitions) || clock < a.goal {
			return err
		}
		var actx context.Context
		actx, a.stop = context.WithCancel(ctx)
		done := make(chan auditEnd, 1) // a.done is taken away when its end has been
		a.done = done
		go func() {
			report, err := c.compare(actx, r.Of, m.Number)
			done <- auditEnd{report, err}
			close(done) // whoever stops it may wait after the end was taken
		}()
		return nil
	}
	select {
	case over := <-a.done:
		if ctx.Err() != nil {
			return nil // it is compared at the next start
		}
		a.done, a.stop = nil, nil
		if over.err != nil {
			return end(nil, over.err.Error())
		}
		c.m.app.log.Info("an audit is over", "generation", m.Number, "of", r.Of, "agrees", over.report.Agrees)
		return end(&over.report, "")
	default:
		return nil
	}
}

// compare compares the rows of two generations up to where both have come. Rows
// that are written meanwhile are compared again, a few times.
func (c *coordinator) compare(ctx context.Context, of, audit streaming.Generation) (report auditReport, err error) {
	// What is older than the archive is in generation 0, and what is older than
	// points are kept is nowhere: neither is computed again.
	from, err := c.m.database.HistoryFrom(ctx)
	if err != nil {
		return report, err
	}
	from = max(from, storage.Kept(timeline.FromTime(time.Now()), c.m.config.Retention.Points.Millis()))
	for try := range auditTries {
		if try > 0 {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return report, ctx.Err()
			}
		}
		_, one, err := c.m.database.Progress(ctx, of)
		if err != nil {
			return report, err
		}
		_, two, err := c.m.database.Progress(ctx, audit)
		if err != nil {
			return report, err
		}
		report = auditReport{Of: of, UpTo: min(one, two), From: from, Agrees: true}
		if report.Tables, err = c.m.database.Compare(ctx, of, audit, streaming.RoundOf(report.UpTo), report.From, auditExamples); err != nil {
			return report, err
		}
		for _, t := range report.Tables {
			report.Agrees = report.Agrees && !t.Differs()
		}
		if !report.Agrees || report.newer() == 0 {
			break
		}
	}
	return report, nil
}

func (c *coordinator) stopAudit(g streaming.Generation) {
	if a := c.audits[g]; a != nil {
		if a.stop != nil {
			a.stop()
			<-a.done
		}
		delete(c.audits, g)
	}
}

func (c *coordinator) stopAudits() {
	for g := range c.audits {
		c.stopAudit(g)
	}
}
