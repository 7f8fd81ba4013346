package kafkatest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/snapshottest"
)

// Run runs the suite. fresh returns a configuration whose prefix no other test
// has used.
func Run(t *testing.T, fresh func(t *testing.T) kafka.Config) {
	tests := []struct {
		name string
		test func(t *testing.T, c kafka.Config)
	}{
		{"topics", testTopics},
		{"check", testCheck},
		{"append and read", testAppendAndRead},
		{"large record", testLargeRecord},
		{"offsets that are gone", testTrimmed},
		{"pipeline", testPipeline},
		{"restarts", testRestarts},
		{"failures", testFailures},
		{"members come and go", testMembers},
		{"control", testControl},
		{"control is compacted", testControlCompaction},
		{"snapshots", func(t *testing.T, c kafka.Config) { snapshottest.Run(t, SnapshotTopic(c)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, fresh(t)) })
	}
}

func testTopics(t *testing.T, c kafka.Config) {
	for range 2 { // the second time they are there
		if err := kafka.EnsureTopics(t.Context(), c, c.Topics(3)...); err != nil {
			t.Fatal(err)
		}
	}
	err := kafka.EnsureTopics(t.Context(), c, c.Topics(4)...)
	if !errors.Is(err, kafka.ErrPartitions) {
		t.Errorf("4 partitions wanted and 3 there: %v", err)
	}
	if err := kafka.DropTopic(t.Context(), c, c.DeliveriesTopic()); err != nil {
		t.Error(err)
	}
	if err := kafka.DropTopic(t.Context(), c, c.EventsTopic(99)); err != nil {
		t.Errorf("drop a topic that is not there: %v", err)
	}
}

func testCheck(t *testing.T, c kafka.Config) {
	for range 2 {
		if err := kafka.Check(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

func testAppendAndRead(t *testing.T, c kafka.Config) {
	p := NewPipeline(t, c, 2, 1)
	const n = 300
	for i := range n {
		p.Send(t, fmt.Sprintf("key %d", i%7), fmt.Sprint(i))
	}
	last := map[int32]int{0: -1, 1: -1}
	total := 0
	for partition := range int32(2) {
		r, err := kafka.Log{Config: c, Topic: c.DeliveriesTopic()}.Open(t.Context(), partition, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for next, end := r.Position(); next < end; next, end = r.Position() {
			records, err := r.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, rec := range records {
				var i int
				if _, err := fmt.Sscan(string(rec.Value), &i); err != nil {
					t.Fatal(err)
				}
				if got := kafka.PartitionOf(fmt.Sprintf("key %d", i%7), 2); got != partition || i <= last[partition] {
					t.Fatalf("record %d after %d in partition %d; its key belongs to %d", i, last[partition], partition, got)
				}
				last[partition] = i
				total++
			}
		}
	}
	if total != n {
		t.Errorf("read %d records, want %d", total, n)
	}
	if _, err := (kafka.Log{Config: c, Topic: c.DeliveriesTopic()}).Open(t.Context(), 0, n+1); !errors.Is(err, kafka.ErrGap) {
		t.Errorf("open behind the end: %v", err)
	}
}

func testLargeRecord(t *testing.T, c kafka.Config) {
	if err := kafka.EnsureTopics(t.Context(), c, c.Topics(1)...); err != nil {
		t.Fatal(err)
	}
	a, err := kafka.NewAppender(c, AppenderConfig(c, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close(context.Background())
	body := make([]byte, 26<<20) // random, so that it does not shrink on the way
	if _, err := rand.NewChaCha8([32]byte{1}).Read(body); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Append(t.Context(), "k", body); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Append(t.Context(), "k", make([]byte, kafka.MaxRecordBytes)); !errors.Is(err, kafka.ErrTooLarge) {
		t.Errorf("a record above the limit: %v", err)
	}
	r, err := kafka.Log{Config: c, Topic: c.DeliveriesTopic()}.Open(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	records, err := r.Next(t.Context())
	if err != nil || len(records) != 1 || !bytes.Equal(records[0].Value, body) {
		t.Errorf("read %d records, error %v", len(records), err)
	}
}

func testTrimmed(t *testing.T, c kafka.Config) {
	p := NewPipeline(t, c, 1, 1)
	for i := range 10 {
		p.Send(t, "k", fmt.Sprint(i))
	}
	log := kafka.Log{Config: c, Topic: c.DeliveriesTopic()}
	if err := kafka.Trim(t.Context(), c, log.Topic, 0, 4); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Open(t.Context(), 0, 3); !errors.Is(err, kafka.ErrTrimmed) {
		t.Errorf("open below the start: %v", err)
	}
	r, err := log.Open(t.Context(), 0, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := kafka.Trim(t.Context(), c, log.Topic, 0, 1000); err != nil {
		t.Fatal(err)
	}
	if b, err := kafka.Offsets(t.Context(), c, log.Topic); err != nil || b[0] != (kafka.Bounds{Start: 9, End: 10}) {
		t.Errorf("after a trim past the end: %v, %v; want the last record left", b, err)
	}
	if _, err := r.Next(t.Context()); !errors.Is(err, kafka.ErrTrimmed) {
		t.Errorf("a reader that was overtaken by a trim: %v", err)
	}
}

const start = Millis(1_700_000_000_000)

func testPipeline(t *testing.T, c kafka.Config) {
	p := NewPipeline(t, c, 2, 3)
	m := p.Start(t)
	end := p.Feed(t, start, 20)
	p.Rows.WaitFor(t, 3, end)
	m.Stop(t)
	p.Rows.Check(t, p.Want())
	for _, st := range m.Engine.Shards() {
		if st.State != kafka.Stopped || st.Clock != streaming.RoundOf(end).Clock() || st.Lag() != 0 || st.Snapshot == 0 {
			t.Errorf("after a stop: %s", st)
		}
	}
	offsets, err := kafka.Committed(t.Context(), c, c.Group("engine", 1), c.EventsTopic(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range m.Engine.Shards() {
		if offsets[st.Partition] != st.Resume {
			t.Errorf("partition %d: the group has committed %d, and the snapshot resumes at %d", st.Partition, offsets[st.Partition], st.Resume)
		}
	}
}

func testRestarts(t *testing.T, c kafka.Config) {
	p := NewPipeline(t, c, 2, 3)
	end := start
	for range 4 {
		m := p.Start(t)
		end = p.Feed(t, end, 6)
		p.Rows.WaitFor(t, 3, end-3000) // in the middle of it, and every shard has begun
		m.Stop(t)
	}
	m := p.Start(t)
	p.WaitForShards(t, m, 3)
	for _, st := range m.Engine.Shards() {
		if st.Snapshot == 0 || st.Resume == 0 {
			t.Errorf("a restart did not go on from a snapshot: %s", st)
		}
	}
	end = p.Feed(t, end, 2)
	p.Rows.WaitFor(t, 3, end)
	m.Stop(t)
	p.Rows.Check(t, p.Want())
}

// fragile panics at some records, once each.
type fragile[Out any] struct {
	streaming.Program[string, Out]
	count *atomic.Int64
	every int64
	left  *atomic.Int64
}

func (f fragile[Out]) Apply(c streaming.Clock, r streaming.Record[string], emit func(Out)) {
	if f.count.Add(1)%f.every == 0 && f.left.Add(-1) >= 0 {
		panic("the test says so")
	}
	f.Program.Apply(c, r, emit)
}

func testFailures(t *testing.T, c kafka.Config) {
	p := NewPipeline(t, c, 2, 3)
	var routeCount, engineCount, routeLeft, engineLeft atomic.Int64
	routeLeft.Store(3)
	engineLeft.Store(5)
	p.Route = func(program streaming.Program[string, Copy]) streaming.Program[string, Copy] {
		return fragile[Copy]{program, &routeCount, 11, &routeLeft}
	}
	p.Engine = func(program streaming.Program[string, Row]) streaming.Program[string, Row] {
		return fragile[Row]{program, &engineCount, 17, &engineLeft}
	}
	for _, n := range []int{3, 4, 9, 20} {
		p.Rows.FailPut(n, errors.New("the test says so"))
	}
	m := p.Start(t)
	end := p.Feed(t, start, 40)
	p.Rows.WaitFor(t, 3, end)
	m.Stop(t)
	p.Rows.Check(t, p.Want())
	if routeLeft.Load() >= 0 || engineLeft.Load() >= 0 || p.Rows.Failed() < 3 {
		t.Errorf("not enough went wrong: %d panics left in route, %d in engine, %d failed puts", routeLeft.Load(), engineLeft.Load(), p.Rows.Failed())
	}
	failures := int64(0)
	for _, st := range m.Engine.Shards() {
		failures += st.Failures
	}
	if failures < 8 {
		t.Errorf("the engine's shards count %d failures, want 5 panics and at least 3 failed puts", failures)
	}
}

func testMembers(t *testing.T, c kafka.Config) {
	p := NewPipeline(t, c, 2, 4)
	first := p.Start(t)
	end := p.Feed(t, start, 8)
	p.Rows.WaitFor(t, 1, end)
	second := p.Start(t) // takes some of the shards over
	p.WaitForShards(t, second, 1)
	end = p.Feed(t, end, 8)
	p.Rows.WaitFor(t, 4, end)
	first.Stop(t) // and now the rest
	p.WaitForShards(t, second, 4)
	end = p.Feed(t, end, 8)
	p.Rows.WaitFor(t, 4, end)
	second.Stop(t)
	p.Rows.Check(t, p.Want())
}
