package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"meridian/storage"
	"meridian/streaming"
)

// takeover begins the turn of the generation that numbers will come from, when it
// has caught up. With generations.promote: manual somebody has to ask for it.
func (c *coordinator) takeover(ctx context.Context) error {
	if _, any, err := c.promoting(); err != nil || any {
		return err
	}
	g, any, err := c.course()
	if err != nil || !any {
		return err
	}
	t, err := c.live()
	if err != nil || t.Generation == g.Number || !c.following(g) || c.lost(g.Number) {
		return err
	}
	if t.Generation != 0 && c.m.config.Generations.Promote == "manual" {
		c.m.status.set(func(p *parts) {
			p.coming = fmt.Sprintf("generation %d has been computed, because %s, and waits to be promoted", g.Number, g.Reason)
		})
		return nil
	}
	if caught, err := c.caughtUp(ctx, t.Generation, g); err != nil || !caught {
		return err
	}
	if may, err := c.mayTakeOver(ctx, t, g); err != nil || !may {
		if j, any := c.judged(g.Number, t.Generation); any && !may {
			c.m.status.set(func(p *parts) {
				p.coming = fmt.Sprintf("generation %d has been computed, because %s, and waits to be promoted: %s; see `meridian replay diff %d`", g.Number, g.Reason, j, g.Number)
			})
		}
		return err
	}
	return c.setPromotion(ctx, promotion{Generation: g.Number, Step: stepCatchUp, Sequence: t.after()})
}

// promote does what is due of the turn that is being taken: one step, and the next
// one when there is nothing to wait for. Whatever ends the process, the record in
// control says where to go on.
func (c *coordinator) promote(ctx context.Context) error {
	for {
		p, any, err := c.promoting()
		if err != nil || !any {
			return err
		}
		if err := c.reached(fmt.Sprintf("promotion %d %s", p.Generation, p.Step)); err != nil {
			return err
		}
		next, err := c.promotionStep(ctx, p)
		if err != nil {
			return fmt.Errorf("the promotion of generation %d, which is tried again at %q: %w", p.Generation, p.Step, err)
		}
		if next == p.Step {
			return nil // it waits
		}
		if next == "" {
			return c.endPromotion(ctx, p.Generation)
		}
		if p.Step == stepFlip && next == stepMove {
			// For as long as such a process lives this comes again: other work of the
			// coordinator is done in between, and somebody is told.
			c.m.app.log.Warn("a promotion moves rows again: a process that has not heard of its pause goes on writing; end it if this is said again and again", "generation", p.Generation)
			return nil
		}
	}
}

// promotionStep does one step and says which comes next: the same one while it has
// to wait, "" when the promotion is over.
func (c *coordinator) promotionStep(ctx context.Context, p promotion) (promotionStep, error) {
	t, err := c.live()
	if err != nil {
		return p.Step, err
	}
	g, ok, err := c.manifestOf(p.Generation)
	if err != nil {
		return p.Step, err
	}
	if t.Generation == p.Generation || !ok || c.lost(p.Generation) {
		return "", nil
	}
	then := func(step promotionStep) (promotionStep, error) {
		p.Step = step
		return step, c.setPromotion(ctx, p)
	}
	switch p.Step {
	case stepCatchUp:
		if caught, err := c.caughtUp(ctx, t.Generation, g); err != nil || !caught {
			return p.Step, err
		}
		if t.Generation == 0 {
			return then(stepFlip) // nobody reads yet, so its rows went into the live tables at once
		}
		ticks, err := ticksOf(ctx, c.m.log)
		if err != nil {
			return p.Step, err
		}
		p.Round = streaming.RoundOf(ticks.all) // which every shard reaches without another tick
		return then(stepPause)
	case stepPause:
		if c.paused(p) < g.EventsPartitions {
			return p.Step, nil
		}
		return then(stepMove)
	case stepMove:
		if err := c.m.database.Promote(ctx, g.Number); err != nil {
			return p.Step, err
		}
		if err := c.reached(fmt.Sprintf("promotion %d moved", p.Generation)); err != nil {
			return p.Step, err
		}
		return then(stepFlip)
	case stepFlip:
		err := c.flip(ctx, p, g, t)
		if errors.Is(err, storage.ErrOldTurn) { // the tables have seen turns of a log that is gone
			p.Sequence = max(p.Sequence+1, uint64(time.Now().UnixMilli()))
			return p.Step, c.setPromotion(ctx, p)
		}
		if errors.Is(err, storage.ErrNotMoved) { // somebody who had not heard of the pause has written behind the move
			return then(stepMove)
		}
		return "", err
	}
	return p.Step, fmt.Errorf("a later version has a step %q", p.Step)
}

// flip makes readers see a generation.
func (c *coordinator) flip(ctx context.Context, p promotion, g streaming.GenerationManifest, t turn) error {
	if err := c.m.database.SetCurrent(ctx, g.Number, p.Sequence); err != nil {
		return err
	}
	if err := c.reached(fmt.Sprintf("promotion %d flipped", p.Generation)); err != nil {
		return err
	}
	refused := ""
	if p.Rollback {
		before, ok, err := c.manifestOf(t.Generation)
		if err != nil {
			return err
		}
		if ok {
			refused = pinsKey(before)
		}
	}
	if err := c.setLive(ctx, g.Number, p.Sequence, refused); err != nil {
		return err
	}
	c.m.status.set(func(p *parts) { p.coming, p.importing = "", "" })
	c.m.app.log.Info("readers see another generation", "generation", g.Number, "before", t.Generation, "reason", g.Reason, "rollback", p.Rollback)
	_, clock, err := c.m.database.Progress(ctx, g.Number)
	if err == nil {
		c.m.updates.wrote(clock)
	}
	return err
}

// caughtUp compares how far the rows of two generations are in the tables.
func (c *coordinator) caughtUp(ctx context.Context, live streaming.Generation, g streaming.GenerationManifest) (bool, error) {
	if !c.following(g) {
		return false, nil
	}
	if g.HistoryEnd == 0 && live == 0 {
		return c.firstShown(ctx, g)
	}
	least := g.HistoryEnd.Clock()
	if c.get(live) != nil {
		_, clock, err := c.m.database.Progress(ctx, live)
		if err != nil {
			return false, err
		}
		least = max(least, clock)
	}
	shards, clock, err := c.m.database.Progress(ctx, g.Number)
	return err == nil && shards >= int(g.EventsPartitions) && clock >= least, err
}

// firstShown reports whether the first generation of an instance can be shown: what
// was on the log when this process began, as after an import, is computed before, for
// nobody could tell a part of it from the whole.
func (c *coordinator) firstShown(ctx context.Context, g streaming.GenerationManifest) (bool, error) {
	if c.found == streaming.NoClock {
		return true, nil
	}
	shards, clock, err := c.m.database.Progress(ctx, g.Number)
	if err != nil {
		return false, err
	}
	if shards >= int(g.EventsPartitions) && clock >= streaming.RoundOf(c.found).Clock() {
		return true, nil
	}
	text := "what is on the log is being computed"
	if run := c.get(g.Number); run != nil {
		read, all := int64(0), int64(0)
		for _, sh := range run.stages.route.Shards() {
			read, all = read+sh.Next, all+max(sh.End, sh.Next)
		}
		if all > 0 {
			text = fmt.Sprintf("%d of %d deliveries and ticks", read, all)
		}
	}
	c.m.status.set(func(p *parts) { p.importing = text })
	return false, nil
}

// manifestOf returns a generation's manifest, if it is there.
func (l ledger) manifestOf(g streaming.Generation) (streaming.GenerationManifest, bool, error) {
	all, err := l.manifests()
	for _, m := range all {
		if m.Number == g {
			return m, true, err
		}
	}
	return streaming.GenerationManifest{}, false, err
}
