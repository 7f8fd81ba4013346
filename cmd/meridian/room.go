package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"meridian/ingest/catalog"
	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// room runs the generations that this process has a part in: the one that
// readers see, and beside it, once their histories are over, the one that will
// take over and the runs that were asked for. A process runs only those whose
// logic it has; the shards of each are shared with other processes by its consumer
// groups.
type room struct {
	m *machine
	ledger

	mu       sync.Mutex
	runs     map[streaming.Generation]*running
	catalogs map[streaming.Hash]*catalog.Catalog
	still    streaming.Generation // said to stand still
}

// running is one generation in this process.
type running struct {
	manifest streaming.GenerationManifest
	catalog  *catalog.Catalog
	stages   *stages
	sink     *storage.Sink
	side     storage.Side // where it writes
	stands   uint64       // sequence of the promotion that its shards stand for; 0: they run
	answered map[int32]bool
	stop     context.CancelFunc
	done     chan struct{}
}

func newRoom(m *machine) *room {
	return &room{m: m, ledger: ledger{m.control}, runs: map[streaming.Generation]*running{}, catalogs: map[streaming.Hash]*catalog.Catalog{}}
}

// look is how often room and coordinator look at the ledger, which they have in
// memory.
const look = 100 * time.Millisecond

// run runs what the ledger says until ctx ends.
func (r *room) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	again := time.NewTicker(look)
	defer again.Stop()
	for ctx.Err() == nil {
		if err := r.arrange(ctx, g); err != nil {
			g.Go(func() error { return err })
			break
		}
		select {
		case <-ctx.Done():
		case <-again.C:
		}
	}
	return g.Wait()
}

// arrange starts the generations that are wanted and stops the others.
func (r *room) arrange(ctx context.Context, g *errgroup.Group) error {
	wanted, t, err := r.wanted()
	if err != nil {
		return err
	}
	for _, old := range r.list() {
		is := slices.ContainsFunc(wanted, func(m streaming.GenerationManifest) bool { return m.Number == old.manifest.Number })
		if !is || old.side == storage.Live && t.side(old.manifest.Number) != storage.Live { // what was replaced and comes back writes elsewhere
			r.m.app.log.Info("a generation is left", "generation", old.manifest.Number)
			old.stop()
			<-old.done
			r.mu.Lock()
			delete(r.runs, old.manifest.Number)
			r.mu.Unlock()
		}
	}
	for _, m := range wanted {
		if r.get(m.Number) == nil {
			if err := r.start(ctx, g, m, t); err != nil {
				return err
			}
		}
	}
	if err := r.takeTurns(ctx, t); err != nil {
		return err
	}
	r.show(t)
	return nil
}

// wanted returns the manifests of the generations that are to run here.
func (r *room) wanted() (wanted []streaming.GenerationManifest, t turn, err error) {
	all, err := r.manifests()
	if err != nil {
		return nil, t, err
	}
	if t, err = r.live(); err != nil {
		return nil, t, err
	}
	course, _, err := r.course()
	if err != nil {
		return nil, t, err
	}
	p, _, err := r.promoting()
	if err != nil {
		return nil, t, err
	}
	for _, m := range all {
		due := m.Number == t.Generation || m.Number == course.Number || m.Number == p.Generation
		if !due {
			run, err := r.runOf(m.Number)
			if err != nil {
				return nil, t, err
			}
			due = run.Kind != runUpgrade && !run.stands() && !slices.Contains(t.Before, m.Number)
		}
		if due && r.following(m) && !r.lost(m.Number) && m.Logic == logicVersion() {
			if _, err := r.catalogOf(m); err != nil {
				r.standsStill(m, err)
				continue
			}
			wanted = append(wanted, m)
		}
	}
	return wanted, t, nil
}

// catalogOf returns the catalog that a manifest is pinned to: the one on disk,
// else what the ledger keeps.
func (r *room) catalogOf(m streaming.GenerationManifest) (*catalog.Catalog, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.catalogs[m.CatalogHash]; c != nil {
		return c, nil
	}
	if c := r.m.catalog; c.Hash() == m.CatalogHash.String() {
		return c, nil
	}
	files, ok, err := r.catalogFiles(m.CatalogHash)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("nobody has the catalog %s of generation %d any more", m.CatalogHash, m.Number)
	}
	zone, err := zoneOf(m)
	if err != nil {
		return nil, err
	}
	c, err := catalog.ParseFiles(files, catalog.Options{Key: r.m.instance.Key, Zone: zone})
	if err != nil {
		return nil, fmt.Errorf("the catalog of generation %d: %w", m.Number, err)
	}
	if c.Hash() != m.CatalogHash.String() {
		return nil, fmt.Errorf("the catalog of generation %d reads differently in this version: %s, not %s", m.Number, c.Hash(), m.CatalogHash)
	}
	r.catalogs[m.CatalogHash] = c
	return c, nil
}

// knows keeps a catalog that was read, for the generation that it will begin.
func (r *room) knows(c *catalog.Catalog) {
	var hash streaming.Hash
	if parseHash(c.Hash(), &hash) == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.catalogs[hash] = c
	}
}

func (r *room) start(ctx context.Context, g *errgroup.Group, m streaming.GenerationManifest, t turn) error {
	cat, err := r.catalogOf(m)
	if err != nil {
		return err
	}
	p, err := pinsOf(m, cat)
	if err != nil {
		return err
	}
	record, err := r.runOf(m.Number)
	if err != nil {
		return err
	}
	database := r.m.database
	run := &running{manifest: m, catalog: cat, side: t.side(m.Number), answered: map[int32]bool{}, done: make(chan struct{})}
	run.sink = database.NewSink(run.side, func(clock timeline.Millis) { r.wrote(m.Number, clock) })
	for shard := range m.EventsPartitions {
		run.sink.Advance(shard, m.Number, 0) // it counts from now on: readers' clock waits for those that have not begun
	}
	run.stages = newStages(r.m.log, p, m, r.m.snapshots, r.rowSink(m.Number, limited(tableSink{run.sink}, record.Limits)), r.tuning(m.Number, record))
	if p, any, err := r.promoting(); err != nil {
		return err
	} else if any {
		r.stand(run, p) // before it runs: nothing may be written while its rows are moved
	}
	runCtx, stop := context.WithCancel(ctx)
	run.stop = stop
	r.mu.Lock()
	r.runs[m.Number] = run
	r.mu.Unlock()
	r.m.app.log.Info("a generation runs", "generation", m.Number, "reason", m.Reason)
	g.Go(func() error {
		defer close(run.done)
		return run.run(runCtx)
	})
	return nil
}

// rowSink is where the rows of a generation go: into the tables, and while readers
// see it to the side topics too.
func (r *room) rowSink(g streaming.Generation, s rowSink) rowSink {
	return newSideOutputs(r.m.log, s, func() (uint64, bool) {
		t, err := r.live()
		return t.Sequence, err == nil && t.Generation == g
	})
}

// run runs the stages and then, when their shards have flushed, stops the sink.
func (run *running) run(ctx context.Context) error {
	sinkCtx, stopSink := context.WithCancel(context.WithoutCancel(ctx))
	sinkDone := make(chan error, 1)
	go func() { sinkDone <- run.sink.Run(sinkCtx) }()
	err := run.stages.run(ctx)
	stopSink()
	return errors.Join(err, ignoreCanceled(<-sinkDone))
}

// wrote tells open pages of rows that readers see.
func (r *room) wrote(g streaming.Generation, clock timeline.Millis) {
	if t, err := r.live(); err == nil && t.Generation == g {
		r.m.updates.wrote(clock)
	}
}

// show tells the status which generation is the one that pages are about.
func (r *room) show(t turn) {
	all := r.list()
	shown := r.get(t.Generation)
	if shown == nil && len(all) > 0 {
		shown = all[0]
	}
	r.m.status.set(func(p *parts) {
		p.runs, p.turn = all, t
		if shown != nil {
			p.stages, p.sink, p.manifest, p.catalog = shown.stages, shown.sink, shown.manifest, shown.catalog
		}
	})
}

func (r *room) get(g streaming.Generation) *running {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runs[g]
}

// list returns what runs here, the oldest first.
func (r *room) list() (all []*running) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range r.runs {
		all = append(all, run)
	}
	slices.SortFunc(all, func(a, b *running) int { return int(a.manifest.Number) - int(b.manifest.Number) })
	return all
}

// logicVersion is that of this program.
func logicVersion() int32 {
	n, err := parseLogic(metrics.LogicVersion)
	if err != nil {
		panic(err) // a constant of this program
	}
	return n
}

// standsStill says once that a generation cannot go on here.
func (r *room) standsStill(m streaming.GenerationManifest, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.still != m.Number {
		r.still = m.Number
		r.m.app.log.Warn("a generation stands still", "generation", m.Number, "why", why)
	}
}
