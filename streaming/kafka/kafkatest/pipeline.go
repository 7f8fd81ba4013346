package kafkatest

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// Millis is a time of the pipeline.
type Millis = timeline.Millis

// Pipeline is deliveries, Fan, events, Tally and a sink, on one broker.
type Pipeline struct {
	Config     kafka.Config
	Deliveries int32
	Events     int32
	Snapshots  streaming.Snapshots
	Rows       *Rows
	Runner     kafka.RunnerConfig
	RouteLog   *kafka.Archive      // nil: none
	Sink       streaming.Sink[Row] // of members that start from now on; nil: Rows

	// Route and Engine may wrap the programs, to make them fail.
	Route  func(streaming.Program[string, Copy]) streaming.Program[string, Copy]
	Engine func(streaming.Program[string, Row]) streaming.Program[string, Row]

	observed *sync.Cond // broadcast at every change of a shard
	appender *kafka.Appender
	log      [][]Message // what was appended, by partition
}

// NewPipeline makes the topics.
func NewPipeline(t *testing.T, c kafka.Config, deliveries, events int32) *Pipeline {
	t.Helper()
	topics := append(c.Topics(deliveries), c.Events(1, events))
	if err := kafka.EnsureTopics(t.Context(), c, topics...); err != nil {
		t.Fatal(err)
	}
	a, err := kafka.NewAppender(c, AppenderConfig(c, deliveries))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(context.Background()) })
	runner := kafka.DefaultRunnerConfig()
	runner.BackoffFirst, runner.BackoffMost = time.Millisecond, 50*time.Millisecond
	runner.SnapshotRecords = 10 // often, so that restores have something to find
	return &Pipeline{
		Config: c, Deliveries: deliveries, Events: events, Snapshots: kafka.NewSnapshotDir(t.TempDir()), Rows: NewRows(), Runner: runner,
		observed: sync.NewCond(&sync.Mutex{}), appender: a, log: make([][]Message, deliveries),
	}
}

// AppenderConfig returns one for tests: a slow machine is no error.
func AppenderConfig(c kafka.Config, partitions int32) kafka.AppenderConfig {
	cfg := kafka.DefaultAppenderConfig(c.DeliveriesTopic(), partitions)
	cfg.Timeout = time.Minute
	return cfg
}

// Continue makes p, over a broker that was started again, what q was.
func (p *Pipeline) Continue(q *Pipeline) { p.Snapshots, p.Rows, p.log = q.Snapshots, q.Rows, q.log }

// Close releases the appender before the end of the test.
func (p *Pipeline) Close() { p.appender.Close(context.Background()) }

// Send appends a word to the partition of its key.
func (p *Pipeline) Send(t *testing.T, key, word string) {
	t.Helper()
	at, err := p.appender.Append(t.Context(), key, []byte(word))
	if err != nil {
		t.Fatal(err)
	}
	p.keep(at, Message{Record: streaming.Record[string]{Value: word}})
}

// Tick appends a tick to every partition.
func (p *Pipeline) Tick(t *testing.T, tick timeline.Millis) {
	t.Helper()
	for partition := range p.Deliveries {
		at, err := p.appender.AppendTo(t.Context(), partition, nil, fmt.Appendf(nil, "tick %d", tick))
		if err != nil {
			t.Fatal(err)
		}
		p.keep(at, Message{IsTick: true, Tick: tick})
	}
}

// Feed appends words and ticks of some rounds, the last of them at the returned time.
func (p *Pipeline) Feed(t *testing.T, from Millis, rounds int) Millis {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, uint64(from)))
	words := []string{"ask", "merge", "ship", "fix", "wait"}
	for range rounds {
		for range rng.IntN(8) {
			w := words[rng.IntN(len(words))]
			p.Send(t, w, w)
		}
		from += Millis(1+rng.IntN(5)) * 500
		p.Tick(t, from)
	}
	return from
}

func (p *Pipeline) keep(at kafka.Appended, m Message) {
	m.Origin = streaming.Origin{Partition: at.Partition, Offset: at.Offset}
	p.log[at.Partition] = append(p.log[at.Partition], m)
}

// Want recomputes all rows without a broker: fan each partition out, and give
// the copies to one shard per events partition.
func (p *Pipeline) Want() map[string]string {
	engines := make([]*streaming.Shard[string, Row], p.Events)
	for i := range engines {
		engines[i] = streaming.NewShard(1, p.upstreams(), streaming.Program[string, Row](NewTally()))
	}
	want := map[string]string{}
	for partition, log := range p.log {
		route := streaming.NewShard(1, []int32{int32(partition)}, streaming.Program[string, Copy](&Fan{Upstream: int32(partition), Partitions: p.Events}))
		for i, m := range log {
			route.Feed(int64(i), m, func(c Copy) {
				engines[c.Partition].Feed(0, c.Message, func(r Row) { want[fmt.Sprintf("%d: %s", c.Partition, r.Key)] = r.Text })
			})
		}
	}
	return want
}

func (p *Pipeline) upstreams() []int32 {
	ps := make([]int32, p.Deliveries)
	for i := range ps {
		ps[i] = int32(i)
	}
	return ps
}

// RouteStage and EngineStage are the stages; Start runs both.
func (p *Pipeline) RouteStage(sink streaming.Sink[Copy]) kafka.Stage[string, Copy] {
	return kafka.Stage[string, Copy]{
		Name: "route", Generation: 1,
		Input:     kafka.Log{Config: p.Config, Topic: p.Config.DeliveriesTopic(), Archive: p.RouteLog},
		Upstreams: func(partition int32) []int32 { return []int32{partition} },
		Program: func(partition int32) (streaming.Program[string, Copy], error) {
			var program streaming.Program[string, Copy] = &Fan{Upstream: partition, Partitions: p.Events}
			if p.Route != nil {
				program = p.Route(program)
			}
			return program, nil
		},
		Decode:    decodeDelivery,
		Sink:      sink,
		Snapshots: p.Snapshots,
		Observe:   p.observe,
	}
}

// EngineStage is described at RouteStage.
func (p *Pipeline) EngineStage() kafka.Stage[string, Row] {
	return kafka.Stage[string, Row]{
		Name: "engine", Generation: 1,
		Input:     kafka.Log{Config: p.Config, Topic: p.Config.EventsTopic(1)},
		Upstreams: func(int32) []int32 { return p.upstreams() },
		Program: func(int32) (streaming.Program[string, Row], error) {
			var program streaming.Program[string, Row] = NewTally()
			if p.Engine != nil {
				program = p.Engine(program)
			}
			return program, nil
		},
		Decode:    func(_ int32, r kafka.LogRecord) (Message, error) { return decode(r.Value) },
		Sink:      p.sink(),
		Snapshots: p.Snapshots,
		TrimInput: true,
		Observe:   p.observe,
	}
}

func (p *Pipeline) sink() streaming.Sink[Row] {
	if p.Sink != nil {
		return p.Sink
	}
	return p.Rows
}

// Member is one process of the pipeline, as far as the broker can tell.
type Member struct {
	Route  *kafka.Runner[string, Copy]
	Engine *kafka.Runner[string, Row]
	cancel context.CancelFunc
	done   chan error
}

// Start starts a member; it is stopped at the end of the test.
func (p *Pipeline) Start(t *testing.T) *Member {
	t.Helper()
	sink := kafka.NewTopicSink(p.Config, p.Config.EventsTopic(1), func(c Copy) (int32, []byte, []byte) { return c.Partition, nil, encode(c.Message) })
	ctx, cancel := context.WithCancel(context.Background())
	m := &Member{
		Route:  kafka.NewRunner(p.Config, p.RouteStage(sink), p.Runner),
		Engine: kafka.NewRunner(p.Config, p.EngineStage(), p.Runner),
		cancel: cancel, done: make(chan error, 2),
	}
	go func() {
		err := m.Route.Run(ctx)
		sink.Close()
		m.done <- err
	}()
	go func() { m.done <- m.Engine.Run(ctx) }()
	t.Cleanup(func() { m.Stop(t) })
	return m
}

func (p *Pipeline) observe(kafka.ShardStatus) {
	p.observed.L.Lock()
	defer p.observed.L.Unlock()
	p.observed.Broadcast()
}

// hang is how long nothing takes, on a machine that is busy with much else either.
const hang = 4 * time.Minute

// WaitForShards waits until a member runs at least n shards of the engine.
func (p *Pipeline) WaitForShards(t *testing.T, m *Member, n int) {
	t.Helper()
	p.WaitForState(t, m, n, kafka.Running)
}

// WaitForState waits until at least n of a member's engine shards are in a state.
func (p *Pipeline) WaitForState(t *testing.T, m *Member, n int, state kafka.ShardState) {
	t.Helper()
	deadline := time.Now().Add(hang)
	timeout := time.AfterFunc(hang, func() { p.observe(kafka.ShardStatus{}) })
	defer timeout.Stop()
	p.observed.L.Lock()
	defer p.observed.L.Unlock()
	for {
		running := 0
		for _, st := range m.Engine.Shards() {
			if st.State == state {
				running++
			}
		}
		if running >= n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d shards of the member are %s, want %d:\n%s", running, state, n, m.Engine.Describe())
		}
		p.observed.Wait()
	}
}

// Stop stops a member gracefully and waits for it.
func (m *Member) Stop(t *testing.T) {
	t.Helper()
	if m.cancel == nil {
		return
	}
	m.cancel()
	m.cancel = nil
	for range 2 {
		if err := <-m.done; err != nil {
			t.Errorf("stop: %v", err)
		}
	}
}

// Rows is a sink that remembers rows, and sees to it that one key never has
// two contents.
type Rows struct {
	mu      sync.Mutex
	changed *sync.Cond
	rows    map[string]string
	reached map[int32]streaming.Round
	broken  []string
	fail    map[int]error // by number of the Put
	puts    int
	failed  int
}

// NewRows returns an empty sink.
func NewRows() *Rows {
	r := &Rows{rows: map[string]string{}, reached: map[int32]streaming.Round{}, fail: map[int]error{}}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// FailPut makes the n-th Put fail, after it has taken half of its rows.
func (r *Rows) FailPut(n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail[n] = err
}

// Failed tells how many Puts have failed.
func (r *Rows) Failed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// Put implements streaming.Sink.
func (r *Rows) Put(_ context.Context, shard int32, rows []Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.puts++
	err := r.fail[r.puts]
	if err != nil {
		r.failed++
		rows = rows[:len(rows)/2]
	}
	for _, row := range rows {
		key := fmt.Sprintf("%d: %s", shard, row.Key)
		if old, ok := r.rows[key]; ok && old != row.Text {
			r.broken = append(r.broken, fmt.Sprintf("%s: %q and %q", key, old, row.Text))
		}
		r.rows[key] = row.Text
		r.reached[shard] = max(r.reached[shard], row.Round)
	}
	r.changed.Broadcast()
	return err
}

// Flush implements streaming.Sink.
func (r *Rows) Flush(context.Context, int32) error { return nil }

// WaitFor waits until every one of n shards has emitted the round of tick.
func (r *Rows) WaitFor(t *testing.T, n int32, tick timeline.Millis) {
	t.Helper()
	stop := context.AfterFunc(t.Context(), func() { r.changed.Broadcast() })
	defer stop()
	timeout := time.AfterFunc(hang, func() { r.changed.Broadcast() })
	defer timeout.Stop()
	deadline := time.Now().Add(hang)
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		waiting := false
		for shard := range n {
			waiting = waiting || r.reached[shard] < streaming.RoundOf(tick)
		}
		if !waiting {
			return
		}
		if t.Context().Err() != nil || time.Now().After(deadline) {
			t.Fatalf("shards have reached %v, want round %d in all of %d", r.reached, streaming.RoundOf(tick), n)
		}
		r.changed.Wait()
	}
}

// Check compares all rows with those that were to be.
func (r *Rows) Check(t *testing.T, want map[string]string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.broken {
		t.Errorf("a row was emitted with two contents: %s", b)
	}
	if maps.Equal(r.rows, want) {
		return
	}
	shown := 0
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if r.rows[key] != want[key] && shown < 10 {
			t.Errorf("%s: %q, want %q", key, r.rows[key], want[key])
			shown++
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.rows)) {
		if _, ok := want[key]; !ok && shown < 20 {
			t.Errorf("%s: %q was not to be", key, r.rows[key])
			shown++
		}
	}
	t.Errorf("%d rows, want %d", len(r.rows), len(want))
}
