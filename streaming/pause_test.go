package streaming_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meridian/streaming"
	"meridian/streaming/snapshottest"
)

// A shard that is held at a round, saved there, restored and let go emits what
// one emits that was never held.
func TestALimitHoldsRoundsBackAndChangesNothing(t *testing.T) {
	held := 0
	rapid.Check(t, func(rt *rapid.T) {
		var upstreams [][]message
		partitions := []int32{0, 1}
		for _, p := range partitions {
			upstreams = append(upstreams, genUpstream(rt, p))
		}
		var input []message
		next := make([]int, len(upstreams))
		for len(input) < len(upstreams[0])+len(upstreams[1]) {
			p := rapid.IntRange(0, 1).Draw(rt, "partition")
			if next[p] == len(upstreams[p]) {
				p = 1 - p
			}
			input = append(input, upstreams[p][next[p]])
			next[p]++
		}
		limit := streaming.Round(rapid.IntRange(-2, 60).Draw(rt, "limit"))
		want := oracle(7, upstreams)

		var got []string
		emit := func(s string) { got = append(got, s) }
		s := streaming.NewShard(7, partitions, newTally())
		s.Limit(limit)
		for i, m := range input {
			s.Feed(int64(i), m, emit)
		}
		if s.Clock() != streaming.NoClock && s.Clock() > limit.Clock() {
			rt.Fatalf("at %s, beyond the limit %s", s.Clock(), limit.Clock())
		}
		if s.AtLimit() {
			held++
			store := &snapshottest.Memory{}
			m, chunks := streaming.Capture("engine-7-0", 1, s.Save)
			if err := store.Publish(t.Context(), m, func(h streaming.Hash) []byte { return chunks[h] }); err != nil {
				rt.Fatal(err)
			}
			get, _, err := streaming.Restore(t.Context(), store, "engine-7-0")
			if err != nil {
				rt.Fatal(err)
			}
			s = streaming.NewShard(7, partitions, newTally())
			if err := s.Load(get); err != nil {
				rt.Fatal(err)
			}
			for i := s.Resume(); i < int64(len(input)); i++ {
				s.Feed(i, input[i], emit)
			}
		}
		s.Unlimit(emit)
		if !slices.Equal(got, want) {
			rt.Fatalf("limit %d:\n%v\nwant\n%v", limit, got, want)
		}
	})
	if held == 0 {
		t.Error("no shard was held")
	}
}

func TestAdoptDropsWhatWasReached(t *testing.T) {
	var got []string
	emit := func(s string) { got = append(got, s) }
	s := streaming.NewShard(1, []int32{0, 1}, newTally())
	s.Adopt(10, []streaming.Reached{{Partition: 0, Round: 10, Origin: streaming.Origin{Partition: 0, Offset: 7, Ordinal: 2}, Any: true}})
	if s.Clock() != 5000 || s.Resume() != 0 {
		t.Fatalf("clock %d, resume %d", s.Clock(), s.Resume())
	}
	record := func(p int32, offset int64, ordinal int32, v string) message {
		return message{Record: streaming.Record[string]{Origin: streaming.Origin{Partition: p, Offset: offset, Ordinal: ordinal}, Value: v}}
	}
	tick := func(p int32, at streaming.Clock) message {
		return message{Record: streaming.Record[string]{Origin: streaming.Origin{Partition: p}}, IsTick: true, Tick: at}
	}
	for i, m := range []message{record(0, 7, 2, "old"), tick(0, 5000), record(0, 7, 3, "new"), record(1, 0, 0, "other"), tick(0, 5500), tick(1, 5500)} {
		s.Feed(int64(i), m, emit)
	}
	if s.Dropped() != 1 || s.Clock() != 5500 || s.Pending() != 0 {
		t.Errorf("dropped %d, clock %d, pending %d\n%v", s.Dropped(), s.Clock(), s.Pending(), got)
	}
}
