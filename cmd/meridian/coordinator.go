package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"meridian/ingest/catalog"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// coordinator is the one of all processes that numbers and begins generations,
// computes their histories, makes them the ones that readers see, and drops those
// that nobody needs any more. In an embedded instance it is the process that
// holds the lock; elsewhere the owner of the one partition of a consumer group.
//
// Two of them may overlap for a moment, when one was stopped for longer than its
// group waits. Numbers of generations are claimed, so that both cannot give one (see
// [kafka.Control.Claim]). All else that it does can be done twice: manifests are written
// before anything is computed by them, rows have the versions of their rounds.
type coordinator struct {
	m *machine
	*room
	leads   atomic.Bool   // this process is the coordinator's now
	checked chan struct{} // closed when the first look has found what may run

	mu      sync.Mutex
	trouble string // what is wrong with the catalog on disk
	now     *catalog.Catalog
	files   []catalog.File

	past       map[streaming.Generation]*pastHistory
	audits     map[streaming.Generation]*auditing
	judging    *judging
	sentBack   uint64                             // the turn whose predecessor is out of the live tables
	sweepAt    time.Time                          // when strays are looked for again
	strays     map[streaming.Generation]time.Time // when what is thought one was first seen
	warned     map[string]bool                    // warnings that are said once
	rememberAt time.Time                          // when what shards say of their snapshots is looked into again
	found      streaming.Clock                    // how far the log was when this process began to coordinate

	dropAfter  time.Duration
	sweepEvery time.Duration
	quick      int64 // records that are computed in under a minute

	dropTopic  func(ctx context.Context, c kafka.Config, name string) error
	dropGroups func(ctx context.Context, c kafka.Config, groups ...string) error

	reached func(step string) error // for tests: an error there is a crash at that step
}

func newCoordinator(m *machine, r *room) *coordinator {
	return &coordinator{
		m: m, room: r, checked: make(chan struct{}), now: m.catalog, files: m.catalogFiles, found: streaming.NoClock,
		dropAfter: dropAfter, sweepEvery: sweepEvery, quick: 60 * quickRate, warned: map[string]bool{}, dropTopic: kafka.DropTopic, dropGroups: kafka.DropGroups,
		past: map[streaming.Generation]*pastHistory{}, audits: map[streaming.Generation]*auditing{}, reached: func(string) error { return nil },
	}
}

// Begin asks for a new generation over all history, with today's catalog,
// settings and logic, whatever interval is set between two. It returns when the
// wish is durable; the coordinator's process grants it. because is a clause that
// people read: "a backfill of acme/web has ended".
func (c *coordinator) Begin(ctx context.Context, because string) error {
	return c.ask(ctx, wish{Begin: because})
}

// Apply reads the catalog again, and begins a generation by it at once when it
// says something else than the newest one's.
func (c *coordinator) Apply(ctx context.Context) (changed bool, err error) {
	if err := c.readCatalog(); err != nil {
		return false, err
	}
	newest, any, err := c.course()
	if err != nil || any && newest.CatalogHash.String() == c.catalogNow().Hash() {
		return false, err
	}
	return true, c.Begin(ctx, "the catalog has changed")
}

func (c *coordinator) catalogNow() *catalog.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// readCatalog takes what is on disk, if it is sound.
func (c *coordinator) readCatalog() error {
	if c.m.readCatalog != nil {
		return nil // its instance makes it itself
	}
	cat, files, err := loadCatalogFiles(c.m.config, c.m.instance.Key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		if c.trouble != err.Error() {
			c.m.app.log.Warn("the catalog on disk is not taken; numbers go on with the one before", "error", err)
		}
		c.trouble = err.Error()
		return err
	}
	c.trouble = ""
	if cat.Hash() != c.now.Hash() {
		c.now, c.files = cat, files
		c.room.knows(cat)
	}
	return nil
}

// run coordinates until ctx ends, or this process no longer leads. release lets
// time go on once the log holds what it has to before its first tick.
func (c *coordinator) run(ctx context.Context, release func(streaming.Clock)) error {
	c.leads.Store(true)
	defer c.leads.Store(false)
	c.strays = nil // what was seen in an earlier turn to lead says nothing
	if err := c.beginWork(ctx, release); err != nil || ctx.Err() != nil {
		return err
	}
	closeOnce(c.checked)
	defer c.stopHistories()
	defer c.stopAudits()
	defer c.stopJudging()
	again, disk := time.NewTicker(look), time.NewTicker(catalogLook)
	defer again.Stop()
	defer disk.Stop()
	pause := time.NewTimer(0)
	<-pause.C
	for {
		if err := c.step(ctx); err != nil && ctx.Err() == nil {
			// Nothing here may take the webhooks down: it is tried again.
			c.m.app.log.Error("generations", "error", err)
			pause.Reset(2 * time.Second)
			select {
			case <-pause.C:
			case <-ctx.Done():
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-disk.C:
			_ = c.readCatalog() // it says what is wrong
		case <-again.C:
		}
	}
}

// catalogLook is how often the catalog's files are read.
const catalogLook = 2 * time.Second

func closeOnce(ch chan struct{}) {
	select {
	case <-ch:
	default:
		close(ch)
	}
}

// first returns the newest generation, which it begins where there is none, or
// where the newest is not what this process would compute or can go on with.
func (c *coordinator) first(ctx context.Context) (streaming.GenerationManifest, error) {
	m := c.m
	if m.history != nil {
		g, err := manifest(m.config, m.catalog, m.log.partitions)
		if err != nil {
			return g, err
		}
		g.Number, g.Reason = 1, becauseHistory
		g.HistoryEnd, err = m.history(ctx, m, func(progress string) { m.status.set(func(p *parts) { p.importing = progress }) })
		if err != nil {
			return g, err
		}
		m.history = nil // another turn of this process to lead must not import it again
		if err := beginGeneration(ctx, m.log, m.control, g); err != nil {
			return g, err
		}
		return g, m.control.Delete(ctx, importingKey)
	}
	ticks, err := ticksOf(ctx, m.log)
	if err != nil {
		return streaming.GenerationManifest{}, err
	}
	c.found = ticks.all
	_ = c.readCatalog()
	before, any, err := c.course()
	if err != nil {
		return before, err
	}
	refused, err := c.refused()
	if err != nil {
		return before, err
	}
	if any && before.Logic == logicVersion() && (refused || c.tooSoon(ctx, before)) {
		// The step will begin what is due; until then the newest goes on.
		if why, err := rebased(ctx, m.log, m.snapshots, before); err != nil || why == "" {
			return before, err
		}
	}
	if err := c.keep(ctx); err != nil {
		return before, err
	}
	g, err := ensureGeneration(ctx, m.config, c.catalogNow(), m.log, m.control, m.snapshots, ticks.all)
	if err != nil {
		return g, err
	}
	if any && g.Number != before.Number {
		m.app.log.Info("a generation begins", "generation", g.Number, "reason", g.Reason)
		if why, err := rebased(ctx, m.log, m.snapshots, before); err != nil {
			return g, err
		} else if why != "" {
			return g, c.setLost(ctx, before.Number, why)
		}
	}
	return g, nil
}

// keep keeps the catalog for processes that start later.
func (c *coordinator) keep(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var hash streaming.Hash
	if err := parseHash(c.now.Hash(), &hash); err != nil {
		return err
	}
	return c.keepCatalog(ctx, hash, c.files)
}

// standing looks whether the tables hold what the generations that may run have
// written, and no more than has ever come of this log; else another one has to
// follow the newest.
func (c *coordinator) standing(ctx context.Context) error {
	all, err := c.manifests()
	if err != nil {
		return err
	}
	shown := metrics.AsOf{}
	err = c.m.database.insist(ctx, func() (err error) {
		shown, err = c.m.database.NewReader().AsOf(ctx)
		return err
	})
	if err != nil {
		return err
	}
	course, _, err := c.course()
	if err != nil {
		return err
	}
	for _, g := range all {
		if c.lost(g.Number) || !c.following(g) {
			continue
		}
		r, err := c.runOf(g.Number)
		if err != nil {
			return err
		}
		if r.Audit != nil {
			continue // an audit that is over has only its report
		}
		why, err := forgotten(ctx, c.m.snapshots, g)
		if err != nil {
			return err
		}
		err = c.m.database.insist(ctx, func() (err error) {
			if why != "" {
				return nil
			}
			why, err = apart(ctx, c.m.database, c.m.snapshots, g, func() (streaming.Clock, error) {
				ticks, err := ticksOf(ctx, c.m.log)
				return ticks.highest, err
			})
			return err
		})
		if err != nil {
			return err
		}
		if why == "" {
			continue
		}
		if err := c.setLost(ctx, g.Number, why); err != nil {
			return err
		}
		if g.Number == course.Number {
			if err := c.begin(ctx, why, shown.Generation, nil); err != nil {
				return err
			}
		}
	}
	newest := all[len(all)-1]
	if shown.Generation > newest.Number {
		return c.begin(ctx, fmt.Sprintf("the tables show generation %d of a log that is gone", shown.Generation), shown.Generation, nil)
	}
	// A turn that was taken and not noted.
	t, err := c.live()
	if _, promoting, e := c.promoting(); err != nil || e != nil || promoting || shown.Generation == 0 || t.Generation == shown.Generation {
		return errors.Join(err, e) // a promotion notes it itself
	}
	return c.setLive(ctx, shown.Generation, t.after(), "")
}

// begin begins the next generation, with what is in force now.
func (c *coordinator) begin(ctx context.Context, why string, above streaming.Generation, run *runRecord) error {
	_, err := c.beginRun(ctx, why, above, run)
	return err
}

// beginRun begins a generation; run is nil where it begins by itself, and takes
// over as configured.
func (c *coordinator) beginRun(ctx context.Context, why string, above streaming.Generation, run *runRecord) (streaming.Generation, error) {
	c.mu.Lock()
	cat := c.now
	c.mu.Unlock()
	m, err := manifest(c.m.config, cat, c.m.log.partitions)
	if err != nil {
		return 0, err
	}
	ticks, err := ticksOf(ctx, c.m.log)
	if err != nil {
		return 0, err
	}
	if err := c.keep(ctx); err != nil {
		return 0, err
	}
	number, err := c.next(ctx, above)
	if err != nil {
		return 0, err
	}
	if run != nil { // before the manifest, without which it is nothing
		if err := c.setRun(ctx, number, *run); err != nil {
			return 0, err
		}
	}
	g, err := nextGeneration(ctx, c.m.log, c.m.control, m, number-1, why, ticks.all)
	if err != nil {
		return 0, err
	}
	c.m.app.log.Info("a generation begins", "generation", g.Number, "reason", g.Reason)
	return g.Number, nil
}

// step does what is due.
func (c *coordinator) step(ctx context.Context) error {
	for _, w := range c.wishes() {
		if err := c.grant(ctx, w); err != nil {
			return err
		}
	}
	if err := c.adopt(ctx); err != nil {
		return err
	}
	for _, do := range []func(context.Context) error{c.remember, c.computeHistories, c.takeover, c.promote, c.auditAll, c.tidy} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// adopt begins a generation when catalog, settings or logic are no longer those
// of the newest.
func (c *coordinator) adopt(ctx context.Context) error {
	newest, any, err := c.course()
	if err != nil || !any {
		return err
	}
	now, err := manifest(c.m.config, c.catalogNow(), c.m.log.partitions)
	if err != nil {
		return err
	}
	same, why := samePins(newest, now)
	if same {
		return c.hold(ctx, "")
	}
	refused, err := c.refused()
	if err != nil {
		return err
	}
	if refused {
		return c.hold(ctx, why+"; numbers by it were rolled back, and are computed anew when something else changes, or on `meridian replay`")
	}
	if c.tooSoon(ctx, newest) {
		return c.hold(ctx, fmt.Sprintf("%s; numbers by it are computed from %s on (generations.min_interval)", why, c.dueAfter(newest).UTC().Format(time.RFC3339)))
	}
	if err := c.hold(ctx, ""); err != nil {
		return err
	}
	return c.begin(ctx, why, 0, nil)
}

// refused reports whether what is in force now is what a rollback has turned down.
func (c *coordinator) refused() (bool, error) {
	t, err := c.live()
	if err != nil || t.Refused == "" {
		return false, err
	}
	now, err := manifest(c.m.config, c.catalogNow(), c.m.log.partitions)
	return err == nil && pinsKey(now) == t.Refused, err
}

// hold says why a generation that is due does not begin yet; "" is that none is.
func (c *coordinator) hold(ctx context.Context, why string) error {
	if why != "" && c.held() == "" {
		c.m.app.log.Info("a new generation waits", "why", why)
	}
	return c.setHeld(ctx, why)
}

// quickRate is how many records of history a slow machine computes in a second.
const quickRate = 30_000

// tooSoon reports whether a change has to wait: history takes a minute or more,
// and the newest generation began less than an interval ago.
func (c *coordinator) tooSoon(ctx context.Context, newest streaming.GenerationManifest) bool {
	if time.Now().After(c.dueAfter(newest)) {
		return false
	}
	bounds, err := kafka.Offsets(ctx, c.m.log.Config, c.m.log.DeliveriesTopic())
	if err != nil {
		return true // it is looked at again
	}
	var records int64
	for _, b := range bounds {
		records += b.End
	}
	return records >= c.quick
}

func (c *coordinator) dueAfter(newest streaming.GenerationManifest) time.Time {
	return newest.Begun.Time().Add(time.Duration(c.m.config.Generations.MinInterval.Millis()) * time.Millisecond)
}
