package simulation

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/snapshottest"
	"meridian/streaming/timeline"
)

var (
	seeds = flag.Int("seeds", 300, "how many seeds to play")
	first = flag.Uint64("first", 1, "the first of them")
	only  = flag.Uint64("seed", 0, "play this seed alone")
	tell  = flag.Bool("tell", false, "print what happens, step by step")
)

// Whatever goes wrong, nothing is lost, nothing is counted twice, and every row
// of every round is the one that a straight run gives.
func TestSimulation(t *testing.T) {
	from, to := *first, *first+uint64(*seeds)
	if *only > 0 {
		from, to = *only, *only+1
	}
	happened := map[fault]int{}
	for seed := from; seed < to; seed++ {
		w := newWorld(seed)
		if *tell {
			w.say = t.Logf
		}
		if err := w.run(); err != nil {
			t.Fatalf("%v\nplay it again with:\n  go test ./streaming/simulation -run 'TestSimulation$' -seed %d -tell", err, seed)
		}
		for f, n := range w.happened {
			happened[f] += n
		}
	}
	// A fault that never came proves nothing. Some seeds are few enough to miss one.
	for f := none + 1; f < faults; f++ {
		if happened[f] == 0 && to-from >= 100 {
			t.Errorf("%q never came about in %d seeds", f, to-from)
		}
		if testing.Verbose() {
			t.Logf("%7d times %s", happened[f], f)
		}
	}
}

// world is one run.
type world struct {
	seed       uint64
	rng        *rand.Rand
	say        func(format string, args ...any)
	layout     *layout
	now        timeline.Millis
	senders    *senders
	ingesters  []*ingester
	waiting    []*sent // that no ingester has acknowledged yet
	deliveries []*topic
	events     []*topic
	inFlight   []flight
	store      *store
	db         *database
	shards     []*owned // all of route, then all of the engine
	zombies    []life
	calm       bool // nothing goes wrong any more
	happened   map[fault]int
	acked      map[event.ID]bool
	runner     kafka.RunnerConfig
}

// life is a shard's, of either stage.
type life interface {
	Begin() error
	Step() error
	End() error
	Close()
}

// owned is a shard with its owner.
type owned struct {
	name   string
	make   func() life
	life   life // nil: nobody has begun it
	member int
	still  int // steps for which it does nothing
}

// flight is a batch of copies whose sender has given up, and that lands all the same.
type flight struct {
	partition int32
	records   [][]byte
}

func newWorld(seed uint64) *world {
	rng := rand.New(rand.NewPCG(seed, 0x6d65726964))
	w := &world{seed: seed, rng: rng, say: func(string, ...any) {}, happened: map[fault]int{}, acked: map[event.ID]bool{}}
	w.layout = &layout{
		deliveries: int32(1 + rng.IntN(3)), events: int32(1 + rng.IntN(3)), horizon: timeline.Millis(1+rng.IntN(40)) * timeline.Hour, bounds: bounds,
		catalog: pick(rng, acme(), nobody()), definitions: metrics.Definitions(), folds: metrics.Folds(),
	}
	w.now = timeline.UTC().Midnight(timeline.MakeDate(2026, 3, 18)) + timeline.Millis(rng.Int64N(int64(14*timeline.Day)))
	if one(rng, 4) {
		w.layout.historyEnd = streaming.RoundOf(w.now + timeline.Millis(rng.IntN(600_000)))
	}
	w.senders = &senders{chance: rng, horizon: w.layout.horizon}
	for p := range w.layout.deliveries {
		w.deliveries = append(w.deliveries, &topic{name: fmt.Sprintf("deliveries/%d", p)})
	}
	for p := range w.layout.events {
		w.events = append(w.events, &topic{name: fmt.Sprintf("events/%d", p)})
	}
	for i := range 1 + rng.IntN(2) {
		w.ingesters = append(w.ingesters, &ingester{world: w, skew: timeline.Millis(-i * rng.IntN(3) * 700)})
	}
	w.store = &store{world: w}
	w.db = &database{rows: rows{}, durable: map[string]bool{}, hurt: func() fault { return w.hurt(40, sinkDown, sinkHalf, sinkTimedOut) }, happened: w.note}
	w.runner = kafka.DefaultRunnerConfig()
	w.runner.SnapshotEvery = 1 << 50 * time.Nanosecond
	w.runner.SnapshotRecords, w.runner.PutRows = int64(5+rng.IntN(60)), 1+rng.IntN(40)
	w.owners()
	return w
}

// owners makes the shards, owned by nobody yet.
func (w *world) owners() {
	fetch := func() int {
		if w.calm {
			return math.MaxInt
		}
		return w.rng.IntN(12)
	}
	for p := range w.layout.deliveries {
		w.shards = append(w.shards, &owned{name: fmt.Sprintf("route-%d", p), make: func() life {
			var decoder ingest.EntryDecoder
			return kafka.NewLife(kafka.Stage[ingest.Entry, ingest.Copy]{
				Name: "route", Generation: generation, Snapshots: w.store, Sink: &producer{world: w},
				Upstreams: func(p int32) []int32 { return []int32{p} },
				Program:   w.layout.route,
				Decode: func(p int32, r kafka.LogRecord) (streaming.Message[ingest.Entry], error) {
					e, err := decoder.Entry(r.Value)
					return ingest.EntryMessage(p, r.Offset, e), err
				},
			}, w.runner, p, w.rim(w.deliveries[p], fetch))
		}})
	}
	for p := range w.layout.events {
		w.shards = append(w.shards, &owned{name: fmt.Sprintf("engine-%d", p), make: func() life {
			var decoder ingest.MessageDecoder
			return kafka.NewLife(kafka.Stage[event.Routed, metrics.Row]{
				Name: "engine", Generation: generation, Snapshots: w.store, Sink: w.db.connect(), TrimInput: true,
				Upstreams: func(int32) []int32 { return w.layout.upstreams() },
				Program:   w.layout.engine,
				Decode: func(_ int32, r kafka.LogRecord) (streaming.Message[event.Routed], error) {
					return decoder.Message(r.Value)
				},
			}, w.runner, p, w.rim(w.events[p], fetch))
		}})
	}
}

func (w *world) rim(input *topic, fetch func() int) kafka.Rim {
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
			err = fmt.Errorf("seed %d: panic: %v", w.seed, p)
		}
	}()
	for steps := 150 + w.rng.IntN(450); steps > 0; steps-- {
		w.step()
	}
	w.calm = true
	if err := w.rest(); err != nil {
		return fmt.Errorf("seed %d: %w", w.seed, err)
	}
	if err := w.check(); err != nil {
		return fmt.Errorf("seed %d: %w", w.seed, err)
	}
	return nil
}

func (w *world) step() {
	switch w.rng.IntN(9) {
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
	default:
		w.move(pick(w.rng, w.shards...))
	}
}

// misfortune is what happens to members, the group, the network and the disks.
func (w *world) misfortune() {
	if len(w.inFlight) > 0 && one(w.rng, 3) {
		w.land()
	}
	if len(w.zombies) > 0 {
		w.zombieStep()
	}
	o := pick(w.rng, w.shards...)
	switch f := w.hurt(2, rebalance, zombie, crash, slow, forgets, damagedChunk, missingChunk, tornManifest); f {
	case rebalance:
		if o.life != nil {
			w.note(f)
			_ = o.life.End() // an error is a shard that did not stop cleanly: it goes on from its last snapshot
			o.life, o.member = nil, w.rng.IntN(3)
		}
	case zombie:
		if o.life != nil {
			w.zombies = append(w.zombies, o.life)
			o.life, o.member = nil, w.rng.IntN(3)
		}
	case crash:
		dead := w.rng.IntN(3)
		for _, o := range w.shards {
			if o.member == dead && o.life != nil {
				w.note(f)
				o.life.Close()
				o.life, o.member = nil, w.rng.IntN(3)
			}
		}
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
		if w.store.damage(strings.Replace(o.name, "-", fmt.Sprintf("-%d-", generation), 1), f, strings.HasPrefix(o.name, "engine")) {
			w.note(f)
		}
	}
}

// zombieStep lets an owner that has been replaced go on, until it notices.
func (w *world) zombieStep() {
	i := w.rng.IntN(len(w.zombies))
	z := w.zombies[i]
	w.note(zombie)
	if err := z.Step(); err != nil || one(w.rng, 8) {
		if errors.Is(err, streaming.ErrStale) {
			w.note(stale)
		}
		z.Close()
		w.zombies = slices.Delete(w.zombies, i, i+1)
	}
}

// move lets a shard's owner take a step; who fails begins again.
func (w *world) move(o *owned) (progress bool) {
	if o.still > 0 && !w.calm {
		o.still--
		return false
	}
	if o.life == nil {
		o.life = o.make()
		if err := o.life.Begin(); err != nil {
			w.say("%s: %s cannot begin: %v", w.now, o.name, err)
			o.life = nil
			return false
		}
		return true
	}
	if err := o.life.Step(); err != nil {
		w.say("%s: %s fails: %v", w.now, o.name, err)
		if errors.Is(err, streaming.ErrStale) {
			w.note(stale)
		}
		o.life.Close()
		o.life = nil
		return true
	}
	return true
}

func (w *world) land() {
	i := w.rng.IntN(len(w.inFlight))
	f := w.inFlight[i]
	w.inFlight = slices.Delete(w.inFlight, i, i+1)
	w.events[f.partition].append(f.records...)
	w.note(copiesLandLater)
}

// rest lets everything arrive, ends in a tick of all partitions, and waits until
// every shard has read everything.
func (w *world) rest() error {
	for len(w.inFlight) > 0 {
		w.land()
	}
	for _, z := range w.zombies {
		z.Close()
	}
	w.zombies = nil
	for len(w.waiting) > 0 {
		w.ingesters[0].deliver()
	}
	w.now += 20 * timeline.Minute // beyond the end of a history, where there is one
	for _, p := range w.deliveries {
		p.append(ingest.EncodeEntry(ingest.Entry{Tick: w.now}))
	}
	for _, o := range w.shards { // route comes first, so that the engine finds all copies
		for tries := 0; ; tries++ {
			if tries == 100 {
				return fmt.Errorf("%s does not come to rest", o.name)
			}
			began := o.life != nil
			w.move(o)
			if !began || o.life == nil {
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

// check compares the database with a straight run over the log, and both with
// what was acknowledged.
func (w *world) check() error {
	s := newStraight(w.layout)
	accepted := map[event.ID][]timeline.Millis{}
	seen := map[event.ID]bool{}
	s.copies = func(c ingest.Copy) {
		r := c.Message.Value
		if c.Message.IsTick || r.Copy != event.Home {
			return
		}
		seen[r.Event.ID] = true
		if r.Verdict == event.Accepted {
			accepted[r.Event.ID] = append(accepted[r.Event.ID], r.Event.Time)
		}
	}
	quality := map[string]int64{}
	put := s.put
	s.put = func(shard int32, row metrics.Row) {
		if r, ok := row.(*metrics.QualityRow); ok {
			quality[fmt.Sprint(r.Team, r.Source, r.Kind, r.Cell)] = r.Accepted
		}
		put(shard, row)
	}
	if err := s.play(w.deliveries); err != nil {
		return err
	}
	facts, counted := 0, int64(0)
	for _, times := range accepted {
		facts += len(times)
	}
	for _, n := range quality {
		counted += n
	}
	if counted != int64(facts) {
		return fmt.Errorf("%d facts were accepted, and the rows count %d", facts, counted)
	}
	if d := differences(w.db.rows, s.rows); d != "" {
		return fmt.Errorf("the database differs from a straight run:\n%s", d)
	}
	for id := range w.acked {
		if !seen[id] {
			return fmt.Errorf("event %s was acknowledged and is lost", id)
		}
	}
	for id, times := range accepted {
		for i, t := range times {
			for _, u := range times[:i] {
				if d := t - u; -timeline.Hour <= d && d <= timeline.Hour {
					return fmt.Errorf("event %s was counted twice, at %s and %s", id, u, t)
				}
			}
		}
	}
	if len(w.db.rows) == 0 && len(w.acked) > 0 {
		return errors.New("there are no rows at all")
	}
	return nil
}

// ingester takes deliveries and gives ticks, as far as the log can tell.
type ingester struct {
	world    *world
	skew     timeline.Millis // of its clock: behind
	unticked bool
	given    timeline.Millis
	ticks    []int32 // partitions that the tick at given has still to reach
}

func (i *ingester) step() {
	w := i.world
	if w.hurt(30, ingesterCrash) != none {
		w.note(ingesterCrash)
		i.ticks, i.unticked = nil, false // what it had is in no partition, and nobody was told otherwise
		return
	}
	switch {
	case len(i.ticks) > 0:
		i.tick()
	case len(w.waiting) > 0 && one(w.rng, 2):
		i.deliver()
	default:
		now := w.now + i.skew
		if i.unticked && now >= i.given+timeline.Second || now >= i.given+timeline.Minute {
			i.given, i.unticked = streaming.RoundOf(now).Clock(), false
			for _, p := range w.rng.Perm(len(w.deliveries)) {
				i.ticks = append(i.ticks, int32(p))
			}
		}
	}
}

func (i *ingester) tick() {
	w, p := i.world, i.ticks[0]
	f := w.hurt(20, tickedAndFailed, tickNotProduced)
	if f != none {
		w.note(f)
	}
	if f != tickNotProduced {
		if i.skew < 0 {
			w.note(ingesterClock)
		}
		w.deliveries[p].append(ingest.EncodeEntry(ingest.Entry{Tick: i.given}))
	}
	if f == none {
		i.ticks = i.ticks[1:]
	} else if one(w.rng, 2) {
		i.ticks = nil // it gives up, and comes with a later one
	}
}

// deliver takes one of the waiting deliveries. Its sender comes again unless it
// was acknowledged.
func (i *ingester) deliver() {
	w := i.world
	n := w.rng.IntN(len(w.waiting))
	s := w.waiting[n]
	f := w.hurt(12, producedAndFailed, notProduced)
	if f != none {
		w.note(f)
	}
	if f != notProduced {
		p := s.key % int64(len(w.deliveries))
		w.deliveries[p].append(ingest.EncodeEntry(ingest.Entry{Delivery: s.delivery}))
		i.unticked = true
	}
	if f == none {
		for _, e := range s.delivery.Events {
			w.acked[e.ID] = true
		}
		w.waiting = slices.Delete(w.waiting, n, n+1)
	}
}

// producer is route's way to the events, in pieces: one makes at most one batch in
// each partition, and the next is not touched before all of it is acknowledged.
// It implements [streaming.Sink].
type producer struct{ world *world }

var errProduce = errors.New("the broker does not answer")

func (p *producer) Put(_ context.Context, _ int32, copies []ingest.Copy) error {
	w := p.world
	for len(copies) > 0 {
		n := min(len(copies), 1+w.rng.IntN(20))
		batches := map[int32][][]byte{}
		for i := range copies[:n] {
			c := &copies[i]
			batches[c.Partition] = append(batches[c.Partition], ingest.AppendMessage(nil, &c.Message))
		}
		copies = copies[n:]
		failed := false
		order := slices.Sorted(maps.Keys(batches))
		w.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, partition := range order {
			f := w.hurt(40, copiesAndFailed, notCopied, copiesLandLater, copiesTwice)
			if f != none && f != copiesLandLater {
				w.note(f)
			}
			switch f {
			case copiesLandLater:
				w.inFlight = append(w.inFlight, flight{partition, batches[partition]})
			case copiesTwice:
				w.events[partition].append(batches[partition]...)
				fallthrough
			case none, copiesAndFailed:
				w.events[partition].append(batches[partition]...)
			}
			failed = failed || f == copiesAndFailed || f == notCopied || f == copiesLandLater
		}
		if failed {
			return errProduce
		}
	}
	return nil
}

func (p *producer) Flush(context.Context, int32) error { return nil }

// store is a snapshot store that fails, and whose disk does.
type store struct {
	world *world
	snapshottest.Memory
}

var errStore = errors.New("the store does not answer")

func (s *store) Publish(ctx context.Context, m streaming.Manifest, chunk func(streaming.Hash) []byte) error {
	f := s.world.hurt(15, notPublished, publishedAndFailed)
	if f != none {
		s.world.note(f)
	}
	if f == notPublished {
		return errStore
	}
	if err := s.Memory.Publish(ctx, m, chunk); err != nil {
		return err
	}
	if f == publishedAndFailed {
		return errStore
	}
	return nil
}

// damage spoils the newest snapshot of a shard. Where the input is trimmed, one
// that is whole has to be left: without any there is nothing to go on from, and
// a new generation is what helps then.
func (s *store) damage(shard string, f fault, leaveOne bool) bool {
	kept, err := s.Manifests(context.Background(), shard)
	if err != nil || len(kept) == 0 {
		return false
	}
	newest := kept[0]
	if f == tornManifest {
		if leaveOne && !s.wholeWithout(shard, kept[1:], nil) {
			return false
		}
		s.TearManifest(shard, newest.Sequence)
		return true
	}
	for _, section := range newest.Sections {
		for _, h := range section.Chunks {
			if !s.HasChunk(shard, h) || leaveOne && !s.wholeWithout(shard, kept[1:], &h) {
				continue
			}
			if f == missingChunk {
				s.RemoveChunk(shard, h)
			} else {
				s.DamageChunk(shard, h)
			}
			return true
		}
	}
	return false
}

// wholeWithout reports whether one of the snapshots is whole and does not need h.
func (s *store) wholeWithout(shard string, kept []streaming.Manifest, h *streaming.Hash) bool {
	return slices.ContainsFunc(kept, func(m streaming.Manifest) bool {
		for c := range m.Chunks() {
			if _, err := s.Chunk(context.Background(), shard, c); err != nil || h != nil && c == *h {
				return false
			}
		}
		return true
	})
}
