package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// pastHistory is a history that is being computed here.
type pastHistory struct {
	manifest streaming.GenerationManifest
	history  *history
	memory   int64 // of replay.memory
	began    time.Time
	said     time.Time
	stop     context.CancelFunc
	done     chan error
}

// computeHistories computes those histories that are due: of the generation that
// will take over, and of runs, several at once. It leaves those of generations
// that are gone, or superseded.
func (c *coordinator) computeHistories(ctx context.Context) error {
	all, err := c.manifests()
	if err != nil {
		return err
	}
	due := map[streaming.Generation]bool{}
	for _, m := range all {
		if due[m.Number], err = c.due(m); err != nil {
			return err
		}
	}
	var errs []error
	for g, p := range c.past {
		if !due[g] {
			c.stopHistory(p)
			continue
		}
		errs = append(errs, c.look(ctx, p))
	}
	for _, m := range all {
		if due[m.Number] && c.past[m.Number] == nil && !c.following(m) {
			if r, err := c.runOf(m.Number); err != nil || r.stands() {
				continue // it has just failed
			}
			errs = append(errs, c.beginHistory(ctx, m))
		}
	}
	return errors.Join(errs...)
}

// due reports whether the history of a generation is to be computed here.
func (c *coordinator) due(m streaming.GenerationManifest) (bool, error) {
	if c.following(m) || m.Logic != logicVersion() || c.lost(m.Number) {
		return false, nil
	}
	r, err := c.runOf(m.Number)
	if err != nil {
		return false, err
	}
	if r.Kind != runUpgrade {
		return !r.stands(), nil
	}
	course, any, err := c.course()
	return any && course.Number == m.Number, err
}

// look sees how far a history is, and takes its end.
func (c *coordinator) look(ctx context.Context, p *pastHistory) error {
	g := p.manifest
	select {
	case err := <-p.done:
		delete(c.past, g.Number)
		if err == nil {
			if err := c.reached(fmt.Sprintf("history %d computed", g.Number)); err != nil {
				return err
			}
			c.say(g, "")
			return c.setFollowing(ctx, g.Number)
		}
		if ctx.Err() != nil {
			return nil
		}
		err = fmt.Errorf("the history of generation %d: %w", g.Number, err)
		r, e := c.runOf(g.Number)
		if e != nil || r.Kind == runUpgrade {
			return errors.Join(err, e) // tried again
		}
		c.m.app.log.Error("a run stands, and goes on when it is resumed", "generation", g.Number, "error", err)
		r.Problem = err.Error()
		return c.setRun(ctx, g.Number, r)
	default:
	}
	if now := time.Now(); now.Sub(p.said) >= time.Second {
		p.said = now
		progress := p.progress(now)
		c.say(g, progress.String())
		return c.setProgress(ctx, g.Number, progress)
	}
	return nil
}

// leastMemory is what a history that is scattered to files has to have.
const leastMemory = 64 << 20

// memoryFor is what a history may take of replay.memory while others are being
// computed; 0: it has to wait. One that fits gets no more than it needs, so that
// another has the rest; one that does not is scattered to files.
func (c *coordinator) memoryFor(estimate int64) int64 {
	left := int64(c.m.config.Replay.Memory)
	for _, p := range c.past {
		left -= p.memory
	}
	switch {
	case len(c.past) == 0:
		return max(left, 1)
	case estimate <= left:
		return max(estimate, 1)
	case left >= leastMemory:
		return left
	}
	return 0
}

// beginHistory computes a history in the background.
func (c *coordinator) beginHistory(ctx context.Context, m streaming.GenerationManifest) error {
	r, err := c.runOf(m.Number)
	if err != nil {
		return err
	}
	t, err := c.live()
	if err != nil {
		return err
	}
	cat, err := c.catalogOf(m)
	if err != nil {
		return err
	}
	p, err := pinsOf(m, cat)
	if err != nil {
		return err
	}
	h := &history{
		log: c.m.log, manifest: m, pins: p, snapshots: c.m.snapshots,
		dir: c.m.instance.path("history", fmt.Sprint(m.Number)), say: func(string) {},
	}
	memory := c.memoryFor(h.estimate())
	if memory == 0 {
		return c.setProgress(ctx, m.Number, runProgress{Waits: "another history takes the memory that replay.memory allows"})
	}
	sink := c.m.database.NewSink(t.side(m.Number), nil)
	for shard := range m.EventsPartitions {
		sink.Advance(shard, m.Number, 0)
	}
	h.sink = limited(tableSink{sink}, r.Limits)
	h.tuning = c.m.historyTuning(memory, t, m, r)
	hctx, stop := context.WithCancel(ctx)
	past := &pastHistory{manifest: m, history: h, memory: min(memory, max(h.estimate(), 1)), began: time.Now(), stop: stop, done: make(chan error, 1)}
	c.past[m.Number] = past
	go func() {
		sinkCtx, stopSink := context.WithCancel(context.WithoutCancel(hctx))
		sunk := make(chan error, 1)
		go func() {
			if t.Generation != 0 {
				stepBack()
			}
			sunk <- sink.Run(sinkCtx)
		}()
		err := h.run(hctx)
		stopSink()
		err = errors.Join(err, ignoreCanceled(<-sunk))
		if err == nil {
			c.m.app.log.Info("history is computed", "generation", m.Number, "records", h.records(), "took", time.Since(past.began).Round(time.Millisecond))
		}
		past.done <- err
	}()
	if err := c.reached(fmt.Sprintf("history %d", m.Number)); err != nil {
		return err
	}
	return c.setProgress(ctx, m.Number, past.progress(past.began))
}

func (c *coordinator) stopHistory(p *pastHistory) {
	p.stop()
	<-p.done
	delete(c.past, p.manifest.Number)
	c.say(p.manifest, "")
}

func (c *coordinator) stopHistories() {
	for _, p := range c.past {
		c.stopHistory(p)
	}
}

// say tells this process's pages and `meridian lag` how far a history is.
func (c *coordinator) say(g streaming.GenerationManifest, progress string) {
	t, err := c.live()
	if err != nil {
		return
	}
	if r, err := c.runOf(g.Number); err != nil || r.Kind != runUpgrade {
		return // beside the course of numbers
	}
	c.m.status.set(func(p *parts) {
		p.coming = ""
		if progress != "" {
			p.coming = fmt.Sprintf("generation %d is computed, because %s: %s", g.Number, g.Reason, progress)
		}
		if t.Generation == 0 {
			p.importing = progress
		}
	})
}

// runProgress is how far a run is, as it is stored and shown.
type runProgress struct {
	Done      int64           `json:"done"`  // records of deliveries that are routed
	Total     int64           `json:"total"` // of its history
	Rate      float64         `json:"rate"`  // a second, since it began or was resumed
	ETA       int64           `json:"eta"`   // seconds; 0: nobody knows yet
	EventTime timeline.Millis `json:"event_time,omitempty"`
	Waits     string          `json:"waits,omitempty"`
	At        timeline.Millis `json:"at"`
}

// Share is between 0 and 1.
func (p runProgress) Share() float64 {
	if p.Total == 0 {
		return 0
	}
	return float64(p.Done) / float64(p.Total)
}

// String is a line for a terminal or a page.
func (p runProgress) String() string {
	if p.Waits != "" {
		return "waits: " + p.Waits
	}
	if p.Done >= p.Total && p.Total > 1 {
		return fmt.Sprintf("all %d deliveries and ticks are read, and the rows are being written", p.Total)
	}
	s := fmt.Sprintf("%d of %d deliveries and ticks (%.0f %%)", p.Done, p.Total, 100*p.Share())
	if p.Rate > 0 {
		s += fmt.Sprintf(", %.0f a second, about %s left", p.Rate, time.Duration(p.ETA)*time.Second)
	}
	if p.EventTime > 0 {
		s += ", at " + p.EventTime.String()
	}
	return s
}

func (p *pastHistory) progress(now time.Time) runProgress {
	at := p.history.at()
	out := runProgress{Done: at.Done, Total: max(1, at.Total), At: timeline.FromTime(now)}
	if at.Clock != streaming.NoClock {
		out.EventTime = at.Clock
	}
	if passed := now.Sub(p.began).Seconds(); passed > 0.1 {
		out.Rate = float64(at.Done-at.Resumed) / passed
		if out.Rate > 0 {
			out.ETA = int64(float64(at.Total-at.Done) / out.Rate)
		}
	}
	return out
}
