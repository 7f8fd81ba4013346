package streaming_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/streaming"
	"meridian/streaming/snapshottest"
	"meridian/streaming/timeline"
)

type message = streaming.Message[string]

// genUpstream draws what one partition of deliveries holds: records, ticks
// that raise its clock, and ticks that do not.
func genUpstream(t *rapid.T, partition int32) []message {
	var log []message
	at := timeline.Millis(0)
	for offset := range int64(rapid.IntRange(0, 25).Draw(t, "length")) {
		o := streaming.Origin{Partition: partition, Offset: offset}
		if rapid.IntRange(0, 3).Draw(t, "tick") > 0 {
			for copies := range int32(rapid.IntRange(1, 3).Draw(t, "copies")) {
				o.Ordinal = copies
				word := rapid.SampledFrom([]string{"ask", "merge", "ship"}).Draw(t, "word")
				log = append(log, message{Record: streaming.Record[string]{Origin: o, Value: word}})
			}
			continue
		}
		at += timeline.Millis(rapid.IntRange(-2, 4).Draw(t, "step")) * 250
		log = append(log, message{Record: streaming.Record[string]{Origin: streaming.Origin{Partition: partition}}, IsTick: true, Tick: at})
	}
	return log
}

// oracle recomputes in batch what a shard must emit: give every record the
// round of the next raising tick, and run all rounds that all partitions reached.
func oracle(generation streaming.Generation, upstreams [][]message) []string {
	rounds := map[streaming.Round][]streaming.Record[string]{}
	var reached []streaming.Round
	for _, log := range upstreams {
		var open []streaming.Record[string]
		last, ticked := streaming.Round(0), false
		for _, m := range log {
			if !m.IsTick {
				open = append(open, m.Record)
			} else if r := streaming.RoundOf(m.Tick); !ticked || r > last {
				rounds[r] = append(rounds[r], open...)
				open, last, ticked = nil, r, true
			}
		}
		if !ticked {
			return nil
		}
		reached = append(reached, last)
	}
	var order []streaming.Round
	for r := range rounds {
		if r <= slices.Min(reached) {
			order = append(order, r)
		}
	}
	slices.Sort(order)
	var out []string
	emit := func(s string) { out = append(out, s) }
	p, c := newTally(), streaming.NoClock
	for _, r := range order {
		slices.SortFunc(rounds[r], func(a, b streaming.Record[string]) int { return a.Origin.Compare(b.Origin) })
		for _, rec := range rounds[r] {
			p.Apply(c, rec, emit)
		}
		c = r.Clock()
		p.Tick(c, streaming.NewVersion(generation, r), emit)
	}
	return out
}

// interleave draws an input partition: the upstreams in any order, each
// written by routers that die, start again at an earlier place and repeat
// themselves, while the dead ones may go on for a while.
func interleave(t *rapid.T, upstreams [][]message) []message {
	var input []message
	type writer struct{ upstream, at int }
	var writers []writer
	for u := range upstreams {
		writers = append(writers, writer{upstream: u})
	}
	furthest := make([]int, len(upstreams))
	for steps := 0; ; steps++ {
		live := slices.DeleteFunc(slices.Clone(writers), func(w writer) bool { return w.at == len(upstreams[w.upstream]) })
		if len(live) == 0 {
			return input
		}
		w := rapid.SampledFrom(live).Draw(t, "writer")
		i := slices.Index(writers, w)
		if steps < 100 && rapid.IntRange(0, 9).Draw(t, "restart") == 0 {
			writers = append(writers, writer{w.upstream, rapid.IntRange(0, furthest[w.upstream]).Draw(t, "from")})
			continue
		}
		input = append(input, upstreams[w.upstream][w.at])
		writers[i].at++
		furthest[w.upstream] = max(furthest[w.upstream], writers[i].at)
	}
}

func genUpstreams(t *rapid.T) [][]message {
	n := rapid.IntRange(1, 3).Draw(t, "upstreams")
	var upstreams [][]message
	for p := range n {
		upstreams = append(upstreams, genUpstream(t, int32(p)))
	}
	return upstreams
}

func partitions(upstreams [][]message) []int32 {
	var ps []int32
	for p := range upstreams {
		ps = append(ps, int32(p))
	}
	return ps
}

func wantSame(t interface{ Fatalf(string, ...any) }, what string, got, want []string) {
	if !slices.Equal(got, want) {
		t.Fatalf("%s:\n%s\nwant:\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAnyInterleavingGivesTheOraclesRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		upstreams := genUpstreams(t)
		input := interleave(t, upstreams)
		s := streaming.NewShard(3, partitions(upstreams), newTally())
		var got []string
		closed := 0
		for offset, m := range input {
			closed += s.Feed(int64(offset)*2, m, func(row string) { got = append(got, row) })
		}
		want := oracle(3, upstreams)
		wantSame(t, "rows", got, want)
		if ticks := len(slices.DeleteFunc(want, func(s string) bool { return !strings.HasPrefix(s, "tick") })); closed != ticks {
			t.Fatalf("Feed counted %d rounds, want %d", closed, ticks)
		}
	})
}

// saved is a snapshot as a store would hold it.
func save(s *streaming.Shard[string, string]) map[string][]byte {
	sections := map[string][]byte{}
	s.Save(func(name string, data []byte) { sections[name] = slices.Clone(data) })
	return sections
}

func load(t interface{ Fatalf(string, ...any) }, upstreams []int32, sections map[string][]byte) *streaming.Shard[string, string] {
	s := streaming.NewShard(3, upstreams, newTally())
	if err := s.Load(func(name string) ([]byte, error) { return sections[name], nil }); err != nil {
		t.Fatalf("load: %v", err)
	}
	return s
}

func TestARestoreAfterEachRecordChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		upstreams := genUpstreams(t)
		input := interleave(t, upstreams)
		var got []string
		emit := func(row string) { got = append(got, row) }
		s := streaming.NewShard(3, partitions(upstreams), newTally())
		for end := 1; end <= len(input); end++ {
			sections := save(s)
			s = load(t, partitions(upstreams), sections)
			if resumed := save(s); string(resumed["shard"]) != string(sections["shard"]) {
				t.Fatalf("a restored shard saves other bytes")
			}
			if s.Resume() > int64(end-1) {
				t.Fatalf("resume %d is past what was read, %d", s.Resume(), end-1)
			}
			for offset := s.Resume(); offset < int64(end); offset++ {
				s.Feed(offset, input[offset], emit)
			}
		}
		wantSame(t, "rows", got, oracle(3, upstreams))
	})
}

// A crash loses what came after the last snapshot; what is emitted again must
// be what was emitted before.
func TestAnyCrashGivesTheSameRowsAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		upstreams := genUpstreams(t)
		input := interleave(t, upstreams)
		s := streaming.NewShard(3, partitions(upstreams), newTally())
		snapshot, durable := save(s), 0
		var got []string
		crashes := 0
		for offset := int64(0); offset < int64(len(input)); offset++ {
			s.Feed(offset, input[offset], func(row string) { got = append(got, row) })
			switch event := rapid.IntRange(0, 5).Draw(t, "event"); {
			case event == 0:
				snapshot, durable = save(s), len(got)
			case event == 1 && crashes < 20:
				crashes++
				before := slices.Clone(got)
				got = got[:durable]
				s = load(t, partitions(upstreams), snapshot)
				for again := s.Resume(); again <= offset; again++ {
					s.Feed(again, input[again], func(row string) { got = append(got, row) })
				}
				wantSame(t, "rows after a crash", got, before)
			}
		}
		wantSame(t, "rows", got, oracle(3, upstreams))
	})
}

// Where all upstreams have ticked at the same place, equal states have equal
// bytes, whatever the order of arrival was.
func TestEqualStatesHaveEqualBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		upstreams := genUpstreams(t)
		end := message{IsTick: true, Tick: 1 << 20}
		for p := range upstreams {
			end.Origin.Partition = int32(p)
			upstreams[p] = append(upstreams[p], end)
		}
		var first map[string][]byte
		for range 2 {
			s := streaming.NewShard(3, partitions(upstreams), newTally())
			for offset, m := range interleave(t, upstreams) {
				s.Feed(int64(offset), m, func(string) {})
			}
			sections := save(s)
			if first == nil {
				first = sections
			}
			for name := range first {
				if name != "shard" && string(sections[name]) != string(first[name]) {
					t.Fatalf("section %q: %q and %q", name, first[name], sections[name])
				}
			}
			if s.Pending() != 0 {
				t.Fatalf("%d records pend after the last tick", s.Pending())
			}
		}
	})
}

func TestUnknownUpstream(t *testing.T) {
	s := streaming.NewShard(1, []int32{0}, newTally())
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, streaming.ErrUnknownUpstream) {
			t.Errorf("panic with %v, want ErrUnknownUpstream", err)
		}
	}()
	s.Feed(0, message{Record: streaming.Record[string]{Origin: streaming.Origin{Partition: 4}}}, func(string) {})
	t.Error("a message of partition 4 was taken")
}

func TestLoadRefusesAnotherShardsState(t *testing.T) {
	sections := save(streaming.NewShard(3, []int32{0, 1}, newTally()))
	get := func(name string) ([]byte, error) { return sections[name], nil }
	for name, s := range map[string]*streaming.Shard[string, string]{
		"generation": streaming.NewShard(4, []int32{0, 1}, newTally()),
		"partitions": streaming.NewShard(3, []int32{0, 1, 2}, newTally()),
	} {
		if err := s.Load(get); !errors.Is(err, streaming.ErrDamaged) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	delete(sections, "shard")
	if err := streaming.NewShard(3, []int32{0, 1}, newTally()).Load(get); !errors.Is(err, streaming.ErrDamaged) {
		t.Errorf("no section: %v", err)
	}
}

func TestShardThroughAStore(t *testing.T) {
	store := &snapshottest.Memory{}
	s := streaming.NewShard(3, []int32{0}, newTally())
	for offset := range int64(10) {
		m := message{Record: streaming.Record[string]{Origin: streaming.Origin{Offset: offset}, Value: "ship"}}
		if offset%3 == 2 {
			m = message{IsTick: true, Tick: timeline.Millis(offset) * 1000}
		}
		s.Feed(offset, m, func(string) {})
	}
	m, chunks := streaming.Capture("route-3-0", 1, s.Save)
	m.Resume = s.Resume()
	if m.Resume != 9 {
		t.Errorf("resume %d, want 9, the record after the tick at offset 8", m.Resume)
	}
	if err := store.Publish(context.Background(), m, func(h streaming.Hash) []byte { return chunks[h] }); err != nil {
		t.Fatal(err)
	}
	get, m, err := streaming.Restore(context.Background(), store, "route-3-0")
	if err != nil {
		t.Fatal(err)
	}
	restored := streaming.NewShard(3, []int32{0}, newTally())
	if err := restored.Load(get); err != nil {
		t.Fatal(err)
	}
	if restored.Resume() != m.Resume || restored.Clock() != 8000 {
		t.Errorf("restored at %d with clock %s, want %d with 8 s", restored.Resume(), restored.Clock(), m.Resume)
	}
}

func BenchmarkFeed(b *testing.B) {
	s := streaming.NewShard(1, []int32{0, 1, 2, 3, 4, 5}, nothing{})
	emit := func(struct{}) {}
	b.ReportAllocs()
	for i := range int64(b.N) {
		m := streaming.Message[int64]{Record: streaming.Record[int64]{Origin: streaming.Origin{Partition: int32(i % 6), Offset: i}, Value: i}}
		if i%6000 >= 5994 {
			m.IsTick, m.Tick = true, timeline.Millis(i/6000)*500
		}
		s.Feed(i, m, emit)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

type nothing struct{}

func (nothing) Apply(streaming.Clock, streaming.Record[int64], func(struct{})) {}
func (nothing) Tick(streaming.Clock, streaming.Version, func(struct{}))        {}
func (nothing) Save(func(string, []byte))                                      {}
func (nothing) Load(func(string) ([]byte, error)) error                        { return nil }

func ExampleShard() {
	s := streaming.NewShard(1, []int32{0}, newTally())
	emit := func(row string) { fmt.Println(row) }
	s.Feed(0, message{Record: streaming.Record[string]{Origin: streaming.Origin{Offset: 0}, Value: "ship"}}, emit)
	s.Feed(1, message{IsTick: true, Tick: 500}, emit)
	// Output:
	// apply 0/0.0 ship at no clock
	// tick 00:00:00.5 generation 1 round 1: ship=1 1bb0584f
}
