package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// errRun says that what was asked of a run cannot be done, in words for whoever
// has asked.
var errRun = errors.New("that cannot be done")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errRun, fmt.Sprintf(format, args...))
}

// wishAnswer is what has come of a wish. Whoever has asked may have gone.
type wishAnswer struct {
	Generation streaming.Generation `json:"generation,omitempty"`
	Refused    string               `json:"refused,omitempty"`
	At         timeline.Millis      `json:"at"`
}

const answerKeys = "answer/"

// grant does what is asked for, once: what cannot be done is answered so.
func (c *coordinator) grant(ctx context.Context, w wish) error {
	a := wishAnswer{At: timeline.FromTime(time.Now())}
	var err error
	switch {
	case w.Begin != "":
		err = c.begin(ctx, w.Begin, 0, nil)
	case w.Run != nil:
		a.Generation, err = c.grantRun(ctx, *w.Run)
	case w.Promote != 0 || w.Rollback:
		a.Generation, err = c.grantPromotion(ctx, w)
	case w.Drop != 0:
		a.Generation, err = w.Drop, c.grantDrop(ctx, w.Drop)
	case w.Resume != 0:
		a.Generation, err = w.Resume, c.grantResume(ctx, w.Resume)
	}
	if errors.Is(err, errRun) {
		a.Refused, err = strings.TrimPrefix(err.Error(), errRun.Error()+": "), nil
	}
	if err != nil {
		return err
	}
	if w.Begin == "" {
		data, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if err := c.control.Put(ctx, answerKeys+w.id(), data); err != nil {
			return err
		}
		if err := c.forgetAnswers(ctx); err != nil {
			return err
		}
	}
	return c.control.Delete(ctx, w.key)
}

// keepAnswers is how many answers are kept for those who have not read them yet.
const keepAnswers = 50

func (c *coordinator) forgetAnswers(ctx context.Context) error {
	all := c.control.All(answerKeys)
	if len(all) <= 2*keepAnswers {
		return nil
	}
	oldest := timeline.FromTime(time.Now()) - timeline.Hour
	for _, e := range all {
		var a wishAnswer
		if json.Unmarshal(e.Value, &a) == nil && a.At > oldest {
			continue
		}
		if err := c.control.Delete(ctx, e.Key); err != nil {
			return err
		}
	}
	return nil
}

// grantRun begins a run.
func (c *coordinator) grantRun(ctx context.Context, r runRecord) (streaming.Generation, error) {
	t, err := c.live()
	if err != nil {
		return 0, err
	}
	if t.Generation == 0 {
		return 0, refuse("there are no numbers yet that a run could be beside; ask again when the first history is computed")
	}
	switch r.Kind {
	case runRestate:
		return c.beginRun(ctx, "a restate was asked for", 0, &r)
	case runAudit:
		return c.beginAudit(ctx, t.Generation, r)
	}
	return 0, refuse("there is no run of the kind %q; there are restate and audit", r.Kind)
}

// grantPromotion begins the turn of a generation.
func (c *coordinator) grantPromotion(ctx context.Context, w wish) (streaming.Generation, error) {
	t, err := c.live()
	if err != nil {
		return 0, err
	}
	g := w.Promote
	if w.Rollback && g == 0 {
		if len(t.Before) == 0 {
			return 0, refuse("no generation was replaced that could be gone back to")
		}
		g = t.Before[0]
	}
	if err := c.promotable(g, w.Rollback); err != nil {
		return g, err
	}
	return g, c.setPromotion(ctx, promotion{Generation: g, Step: stepCatchUp, Sequence: t.after(), Rollback: w.Rollback, By: w.By})
}

// promotable says why a generation cannot become the one that readers see.
func (l ledger) promotable(g streaming.Generation, rollback bool) error {
	m, ok, err := l.manifestOf(g)
	if err != nil {
		return err
	}
	t, err := l.live()
	if err != nil {
		return err
	}
	r, err := l.runOf(g)
	if err != nil {
		return err
	}
	before := false
	for _, b := range t.Before {
		before = before || b == g
	}
	p, promoting, err := l.promoting()
	switch {
	case err != nil:
		return err
	case !ok && rollback:
		return refuse("generation %d is not kept any more (generations.keep, for 7 days)", g)
	case !ok:
		return refuse("there is no run %d; `meridian replay list` shows those that there are", g)
	case t.Generation == g:
		return refuse("readers see generation %d already", g)
	case promoting:
		return refuse("generation %d is being promoted (%s); ask again when that is over", p.Generation, p.Step)
	case rollback && !before:
		return refuse("generation %d was not replaced, so there is no going back to it; `meridian replay promote %d` makes it the current one", g, g)
	case l.lost(g):
		return refuse("generation %d has lost what it goes on from", g)
	case r.Kind == runAudit:
		return refuse("run %d is an audit, whose rows are those that readers see already", g)
	case !r.Limits.none():
		return refuse("run %d was written in part (%s), and what readers see has to be whole; run a restate without limits", g, r.Limits)
	case r.Problem != "":
		return refuse("run %d stands: %s; `meridian replay resume %d` lets it go on", g, r.Problem, g)
	case m.Logic != logicVersion():
		return refuse("generation %d is of logic version %d, and this program has %d; start the version that has it", g, m.Logic, logicVersion())
	}
	return nil
}

func (c *coordinator) grantDrop(ctx context.Context, g streaming.Generation) error {
	if err := c.droppable(g); err != nil {
		return err
	}
	m, _, err := c.manifestOf(g)
	if err != nil {
		return err
	}
	if p, any, err := c.promoting(); err != nil {
		return err
	} else if any && p.Generation == g {
		if err := c.endPromotion(ctx, g); err != nil {
			return err
		}
	}
	c.stopAudit(g)
	// Its record goes first, so that no process starts it again while it is emptied;
	// what a crash leaves of it is taken at the next start.
	if err := c.setLost(ctx, g, "it is being dropped"); err != nil {
		return err
	}
	if err := c.awaitLeft(ctx, g); err != nil {
		return err
	}
	return c.drop(ctx, m)
}

// leaveWithin is how long the shards of a run that is dropped may take to stop, and
// otherProcesses how long those elsewhere are given, which are not seen from here.
const (
	leaveWithin    = 10 * time.Second
	otherProcesses = 2 * time.Second
)

// awaitLeft waits until a generation's shards have stopped, so that they write no
// row behind the drop.
func (c *coordinator) awaitLeft(ctx context.Context, g streaming.Generation) error {
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	again := time.NewTicker(look)
	defer again.Stop()
	wait := time.Now()
	if !c.m.log.Embedded {
		wait = wait.Add(otherProcesses)
	}
	for c.get(g) != nil || time.Now().Before(wait) {
		select {
		case <-again.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// droppable says why a generation has to stay.
func (l ledger) droppable(g streaming.Generation) error {
	_, ok, err := l.manifestOf(g)
	if err != nil {
		return err
	}
	t, err := l.live()
	if err != nil {
		return err
	}
	course, _, err := l.course()
	if err != nil {
		return err
	}
	p, promoting, err := l.promoting()
	switch {
	case err != nil:
		return err
	case !ok:
		return refuse("there is no run %d; `meridian replay list` shows those that there are", g)
	case t.Generation == g:
		return refuse("readers see generation %d; promote another one before it is dropped", g)
	case promoting && p.Generation == g && p.Step != stepCatchUp:
		return refuse("generation %d is being promoted (%s)", g, p.Step)
	case course.Number == g:
		return refuse("generation %d is what the catalog, the settings and the logic of now ask for, and would begin again; change them back, or set generations.promote: manual to keep it from taking over", g)
	}
	return nil
}

func (c *coordinator) grantResume(ctx context.Context, g streaming.Generation) error {
	if err := c.resumable(g); err != nil {
		return err
	}
	r, err := c.runOf(g)
	if err != nil || r.Problem == "" {
		return err // it goes on by itself
	}
	r.Problem = ""
	return c.setRun(ctx, g, r)
}

// resumable says why a run cannot go on.
func (l ledger) resumable(g streaming.Generation) error {
	m, ok, err := l.manifestOf(g)
	if err != nil {
		return err
	}
	r, err := l.runOf(g)
	switch {
	case err != nil:
		return err
	case !ok:
		return refuse("there is no run %d; `meridian replay list` shows those that there are", g)
	case r.Audit != nil:
		return refuse("audit %d is over; `meridian replay show %d` has its report", g, g)
	case l.lost(g):
		return refuse("run %d has lost what it goes on from; drop it and begin another", g)
	case m.Logic != logicVersion():
		return refuse("run %d is of logic version %d, and this program has %d; start the version that has it", g, m.Logic, logicVersion())
	}
	return nil
}
