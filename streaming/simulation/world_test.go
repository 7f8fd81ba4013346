package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// world is one run.
type world struct {
	seed        uint64
	rng         *rand.Rand
	say         func(format string, args ...any)
	layout      *layout // of the first generation
	now         timeline.Millis
	senders     *senders
	ingesters   []*ingester
	waiting     []*sent // that no ingester has acknowledged yet
	deliveries  []*topic
	catalog     int // in force
	generations []*manifest
	control     control
	members     []*member
	leader      *member
	inFlight    []flight
	store       *store
	db          *database
	shards      []*owned // of every generation: all of route, then all of the engine
	zombies     []*owned // replaced, without knowing it
	noChange    bool     // of catalog and logic
	calm        bool     // nothing goes wrong any more
	happened    map[fault]int
	acked       map[event.ID]bool
	runner      kafka.RunnerConfig
	trouble     error // why a shard could not begin, last
	seam        error // what was wrong when readers came to see a generation, first
}

func newWorld(seed uint64) *world {
	rng := rand.New(rand.NewPCG(seed, 0x6d65726964))
	w := &world{seed: seed, rng: rng, say: func(string, ...any) {}, happened: map[fault]int{}, acked: map[event.ID]bool{}}
	w.layout = &layout{
		deliveries: int32(1 + rng.IntN(3)), events: int32(1 + rng.IntN(3)), horizon: timeline.Millis(1+rng.IntN(40)) * timeline.Hour, bounds: bounds,
		folds: metrics.Folds(),
	}
	w.now = timeline.UTC().Midnight(timeline.MakeDate(2026, 3, 18)) + timeline.Millis(rng.Int64N(int64(14*timeline.Day)))
	w.senders = &senders{chance: rng, horizon: w.layout.horizon}
	for p := range w.layout.deliveries {
		w.deliveries = append(w.deliveries, &topic{name: fmt.Sprintf("deliveries/%d", p)})
	}
	for i := range 1 + rng.IntN(2) {
		w.ingesters = append(w.ingesters, &ingester{world: w, skew: timeline.Millis(-i * rng.IntN(3) * 700)})
	}
	w.store = &store{world: w}
	w.db = newDatabase(func() fault { return w.hurt(40, sinkDown, sinkHalf, sinkTimedOut) }, w.note)
	w.runner = kafka.DefaultRunnerConfig()
	w.runner.SnapshotEvery = 1 << 50 * time.Nanosecond
	w.runner.SnapshotRecords, w.runner.PutRows = int64(5+rng.IntN(60)), 1+rng.IntN(40)
	w.catalog = rng.IntN(2)
	for id := range 3 {
		w.members = append(w.members, &member{id: id, logic: 1, runs: map[streaming.Generation]*running{}})
	}
	w.leader = w.members[0]
	first := &manifest{number: 1, pins: pins{w.catalog, 1}}
	if one(rng, 4) { // of an archive that is imported: its end is known before it is there
		first.end = streaming.RoundOf(w.now + timeline.Millis(rng.IntN(600_000)))
	}
	w.addGeneration(first)
	w.leader.say(w, func(s *said) { s.manifests = append(s.manifests, first) })
	for _, m := range w.members {
		m.said.hear(&w.control)
	}
	return w
}

// addShards makes the shards of a generation, owned by nobody yet.
func (w *world) addShards(g *manifest) {
	fetch := func() int {
		if w.calm {
			return math.MaxInt
		}
		return w.rng.IntN(12)
	}
	for p := range g.layout.deliveries {
		w.shards = append(w.shards, &owned{name: fmt.Sprintf("route-%d-%d", g.number, p), manifest: g, make: func(*member) life {
			var decoder ingest.EntryDecoder
			return kafka.NewLife(kafka.Stage[ingest.Entry, ingest.Copy]{
				Name: "route", Generation: g.number, Snapshots: w.store, Sink: &producer{world: w, to: g.events},
				Upstreams: func(p int32) []int32 { return []int32{p} },
				Program:   g.layout.route,
				Decode: func(p int32, r kafka.LogRecord) (streaming.Message[ingest.Entry], error) {
					e, err := decoder.Entry(r.Value)
					return ingest.EntryMessage(p, r.Offset, e), err
				},
			}, w.runner, p, rim(w.deliveries[p], fetch))
		}})
	}
	for p := range g.layout.events {
		w.shards = append(w.shards, &owned{name: fmt.Sprintf("engine-%d-%d", g.number, p), engine: true, manifest: g, make: func(m *member) life {
			var decoder ingest.MessageDecoder
			var l *kafka.Life[event.Routed, metrics.Row]
			run := m.runs[g.number]
			sink := w.db.connect(g.number, func() bool { return run.live }, func(int32) streaming.Clock { return l.Shard().Clock() })
			l = kafka.NewLife(kafka.Stage[event.Routed, metrics.Row]{
				Name: "engine", Generation: g.number, Snapshots: w.store, Sink: sink, TrimInput: true, NeedsSnapshot: g.offsets != nil,
				Upstreams: func(int32) []int32 { return g.layout.upstreams() },
				Program:   g.layout.engine,
				Decode: func(_ int32, r kafka.LogRecord) (streaming.Message[event.Routed], error) {
					return decoder.Message(r.Value)
				},
			}, w.runner, p, rim(g.events[p], fetch))
			return l
		}})
	}
}

func rim(input *topic, fetch func() int) kafka.Rim {
	return kafka.Rim{
		Open:   func(_ context.Context, _ int32, from int64) (kafka.Reader, error) { return input.open(from, fetch) },
		Commit: func(context.Context, int32, int64) error { return nil },
		Trim: func(_ context.Context, _ int32, below int64) error {
			input.trim(below)
			return nil
		},
	}
}

// hurt draws whether one of these faults comes about, one time in n.
func (w *world) hurt(n int, of ...fault) fault {
	if w.calm || !one(w.rng, n) {
		return none
	}
	return pick(w.rng, of...)
}

func (w *world) note(f fault) {
	w.happened[f]++
	w.say("%s: %s", w.now, f)
}

// run plays some hundred steps of everybody, then lets all come to rest and
// compares.
func (w *world) run() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("seed %d: panic: %v\n%s", w.seed, p, debug.Stack())
		}
	}()
	for steps := 200 + w.rng.IntN(800); steps > 0; steps-- {
		w.step()
	}
	w.noChange = true // a turn that is being taken may end
	for steps := 700; steps > 0 && len(w.generations) > 1 && !w.settled(); steps-- {
		w.step()
	}
	w.calm = true
	if err := w.rest(); err != nil {
		return fmt.Errorf("seed %d: %w", w.seed, err)
	}
	if w.seam != nil {
		return fmt.Errorf("seed %d: %w", w.seed, w.seam)
	}
	if err := w.check(); err != nil {
		return fmt.Errorf("seed %d: %w", w.seed, err)
	}
	return nil
}

func (w *world) step() {
	switch w.rng.IntN(18) {
	case 0, 1:
		w.waiting = append(w.waiting, w.senders.next(w.now))
	case 2:
		w.now += timeline.Millis(w.rng.IntN(3000))
		if w.hurt(25, silence) == silence {
			w.note(silence)
			w.now += timeline.Millis(w.rng.Int64N(int64(3 * timeline.Day)))
		}
	case 3, 4:
		pick(w.rng, w.ingesters...).step()
	case 5:
		w.misfortune()
	case 6, 7, 8:
		w.coordinate(w.leader, false)
	case 9, 10, 11:
		w.arrange(pick(w.rng, w.members...))
	default:
		if len(w.zombies) > 0 && one(w.rng, 3) {
			w.zombieStep()
		} else {
			w.move(pick(w.rng, w.shards...))
		}
	}
}

// misfortune is what happens to members, the group, the network and the disks.
func (w *world) misfortune() {
	if len(w.inFlight) > 0 && one(w.rng, 3) {
		w.land()
	}
	o := pick(w.rng, w.shards...)
	if turning := w.turning(); len(turning) > 0 && one(w.rng, 2) {
		if o = pick(w.rng, turning...); o.life != nil && one(w.rng, 3) {
			w.replace(o)
		}
	}
	switch f := w.hurt(2, rebalance, zombie, crash, slow, forgets, damagedChunk, missingChunk, tornManifest, catalogChanges, logicChanges, overlap, deaf); f {
	case rebalance:
		if o.life != nil {
			w.note(f)
			if o.life.Status().State == kafka.Paused {
				w.note(movesWhileStanding)
			}
			_ = o.life.End() // an error is a shard that did not stop cleanly: it goes on from its last snapshot
			o.life, o.member = nil, pick(w.rng, w.members...)
		}
	case zombie:
		if o.life != nil {
			w.replace(o)
		}
	case crash:
		w.note(f)
		w.dies(pick(w.rng, w.members...))
	case slow:
		if one(w.rng, 3) {
			w.note(f)
			o.still = 10 + w.rng.IntN(40)
		}
	case forgets:
		if lost := w.db.forget(); lost > 0 {
			w.note(f)
		}
	case damagedChunk, missingChunk, tornManifest:
		if w.store.damage(o.name, f, o.engine) {
			w.note(f)
		}
	case catalogChanges:
		if !w.noChange && one(w.rng, 4) {
			w.note(f)
			w.catalog = w.rng.IntN(3)
		}
	case logicChanges:
		if m := pick(w.rng, w.members...); m.logic == 1 && !w.noChange && one(w.rng, 8) {
			w.note(f)
			m.logic = 2
			w.dies(m)
		}
	case overlap:
		old := w.leader
		if w.leader = pick(w.rng, w.members...); w.leader != old {
			w.coordinate(w.leader, false)
			if old.said.read < len(w.control.log) && old.said.course() == w.leader.said.course() {
				w.note(f)
				w.coordinate(old, true)
			}
		}
	case deaf:
		pick(w.rng, w.members...).deaf = 1 + w.rng.IntN(8)
	}
}

// replace gives a shard to somebody else, of whom its owner does not know.
func (w *world) replace(o *owned) {
	replaced := *o
	w.zombies = append(w.zombies, &replaced)
	if one(w.rng, 2) { // nor does it hear of anything else
		o.member.deaf = 10 + w.rng.IntN(60)
	}
	o.life, o.member = nil, pick(w.rng, w.members...)
}

// turning are the engine's shards of a generation that is being promoted: what goes wrong then
// goes wrong with them more often than chance would have it.
func (w *world) turning() (of []*owned) {
	p := w.leader.said.promotion
	for _, o := range w.shards {
		if p != nil && o.engine && o.manifest.number == p.generation {
			of = append(of, o)
		}
	}
	return of
}

// zombieStep lets an owner that has been replaced go on, until it notices.
func (w *world) zombieStep() {
	w.zombies = slices.DeleteFunc(w.zombies, func(o *owned) bool { return o.life == nil }) // ended with their members
	if len(w.zombies) == 0 {
		return
	}
	i := w.rng.IntN(len(w.zombies))
	z := w.zombies[i].life
	w.note(zombie)
	if err := z.Step(); err != nil || one(w.rng, 16) {
		if errors.Is(err, streaming.ErrStale) {
			w.note(stale)
		}
		z.Close()
		w.zombies = slices.Delete(w.zombies, i, i+1)
	}
}

// move lets a shard's owner take a step; who fails begins again.
func (w *world) move(o *owned) {
	if o.still > 0 && !w.calm {
		o.still--
		return
	}
	if o.life == nil {
		w.begin(o)
		return
	}
	if err := o.life.Step(); err != nil {
		w.say("%s: %s fails: %v", w.now, o.name, err)
		if errors.Is(err, streaming.ErrStale) {
			w.note(stale)
		}
		o.life.Close()
		o.life = nil
	}
}

// rest lets everything arrive, ends in a tick of all partitions, and waits until
// readers see the newest generation, and its shards have read everything.
func (w *world) rest() error {
	for len(w.inFlight) > 0 {
		w.land()
	}
	for _, z := range w.zombies {
		if z.life != nil {
			z.life.Close()
		}
	}
	w.zombies = nil
	for len(w.waiting) > 0 {
		w.ingesters[0].deliver()
	}
	w.now += 20 * timeline.Minute // beyond the end of a history, where there is one
	for _, p := range w.deliveries {
		p.append(ingest.EncodeEntry(ingest.Entry{Tick: w.now}))
	}
	for tries := 0; !w.settled(); tries++ {
		if tries == 1000 {
			return fmt.Errorf("no turn is taken: control says %+v, coordinator %d; %w", w.leader.said, w.leader.id, w.trouble)
		}
		w.coordinate(w.leader, false)
		for _, m := range w.members {
			w.arrange(m)
		}
		for _, o := range w.shards {
			for range 4 { // it begins, feeds what it had read, reads the rest, and stands where it has to
				w.move(o)
			}
			if o.life != nil && o.life.Status().State != kafka.Paused {
				w.flush(o)
			}
		}
	}
	for _, o := range w.shards { // route comes first, so that the engine finds all copies
		for tries := 0; o.manifest.number == w.db.current.generation; tries++ {
			if tries == 100 {
				return fmt.Errorf("%s does not come to rest: %w", o.name, w.trouble)
			}
			w.move(o)
			if o.life == nil {
				continue
			}
			w.move(o) // the first has fed what was read while it stood
			w.move(o)
			if o.life == nil {
				continue
			}
			if err := o.life.End(); err == nil {
				break // a step in calm reads everything, and what it gave is durable
			}
			o.life = nil
		}
	}
	return nil
}

// settled reports whether readers see what is in force, and everybody knows.
func (w *world) settled() bool {
	for _, m := range w.members {
		if m.said.read < len(w.control.log) {
			return false
		}
		for g, run := range m.runs {
			if run.stands != 0 || g == m.said.live.generation && !run.live {
				return false
			}
		}
	}
	s := &w.leader.said
	course := s.course()
	return w.leader.runs[course.number] != nil && s.promotion == nil && s.live.generation == course.number && len(w.db.replay.of(course.number).rows) == 0 && course.pins == pins{w.catalog, w.leader.logic}
}
