package streaming

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ErrUnknownUpstream says that a message comes from a partition of deliveries
// that the shard was not made for: a wrong topic, or a changed partition count.
var ErrUnknownUpstream = errors.New("message of an unknown upstream partition")

// Shard runs a program over one partition of a stage's input. It holds records
// back until the round they belong to is complete, which is when every
// upstream partition has ticked at or past it, and applies them in the order
// of their origins. So what the program sees depends on the upstreams' own
// order alone, never on how they interleave in the input.
//
// It is not safe for concurrent use.
type Shard[In, Out any] struct {
	generation Generation
	program    Program[In, Out]
	upstreams  []*upstream[In] // by partition
	index      map[int32]*upstream[In]
	round      Round // the last that was applied
	limit      Round // none above it is applied
	next       int64 // one above the highest input offset that was fed
	rounds     int64 // applied since the start; not in the snapshot
	dropped    int64 // origins seen before; not in the snapshot
}

// NewShard returns a shard at the beginning of its input. upstreams are the
// partitions of deliveries whose records and ticks it receives.
func NewShard[In, Out any](generation Generation, upstreams []int32, program Program[In, Out]) *Shard[In, Out] {
	s := &Shard[In, Out]{
		generation: generation,
		program:    program,
		index:      make(map[int32]*upstream[In], len(upstreams)),
		round:      noRound,
		limit:      noLimit,
	}
	for _, p := range upstreams {
		if s.index[p] == nil {
			u := newUpstream[In](p)
			s.index[p] = u
			s.upstreams = append(s.upstreams, u)
		}
	}
	slices.SortFunc(s.upstreams, func(a, b *upstream[In]) int { return cmp.Compare(a.partition, b.partition) })
	return s
}

// Feed takes the message at inputOffset and applies the rounds that it
// completes; it returns how many. Offsets rise, but may begin again at or
// below [Shard.Resume] after a restore.
//
// It panics with ErrUnknownUpstream on a message that cannot belong here,
// since nothing that would be computed after it could be right.
func (s *Shard[In, Out]) Feed(inputOffset int64, m Message[In], emit func(Out)) (closedRounds int) {
	u := s.index[m.Origin.Partition]
	if u == nil {
		panic(fmt.Errorf("%w: input offset %d has partition %d, this shard reads %v", ErrUnknownUpstream, inputOffset, m.Origin.Partition, s.partitions()))
	}
	s.next = max(s.next, inputOffset+1)
	if !m.IsTick {
		if !u.add(inputOffset, m.Record) {
			s.dropped++
		}
		return 0
	}
	if !u.tick(inputOffset, RoundOf(m.Tick)) {
		return 0
	}
	return s.advance(emit)
}

// advance applies what is complete, up to the limit.
func (s *Shard[In, Out]) advance(emit func(Out)) (closedRounds int) {
	for {
		r, ok := s.complete()
		if !ok || r > s.limit {
			return closedRounds
		}
		s.apply(r, emit)
		closedRounds++
	}
}

// complete returns the lowest round that waits, if every upstream has reached it.
func (s *Shard[In, Out]) complete() (Round, bool) {
	lowest, reached, waits := Round(math.MaxInt64), Round(math.MaxInt64), false
	for _, u := range s.upstreams {
		reached = min(reached, u.round)
		if r, ok := u.next(); ok {
			lowest, waits = min(lowest, r), true
		}
	}
	return lowest, waits && lowest <= reached
}

// apply runs one round: its records with the clock of the round before, in
// (partition, offset, ordinal) order, then its tick. Upstreams are sorted and
// each one's origins ascend, so that the order needs no sorting.
func (s *Shard[In, Out]) apply(r Round, emit func(Out)) {
	c := s.Clock()
	for _, u := range s.upstreams {
		b, ok := u.take(r)
		if !ok {
			continue
		}
		for _, rec := range b.records {
			s.program.Apply(c, rec, emit)
		}
		u.reuse(b)
	}
	s.round = r
	s.rounds++
	s.program.Tick(r.Clock(), NewVersion(s.generation, r), emit)
}

// Clock returns the clock of the last round that was applied, else [NoClock].
func (s *Shard[In, Out]) Clock() Clock {
	if s.round == noRound {
		return NoClock
	}
	return s.round.Clock()
}

// Resume returns the lowest input offset that a shard restored from a snapshot
// taken now has to read again.
func (s *Shard[In, Out]) Resume() int64 {
	resume := s.next
	for _, u := range s.upstreams {
		if first, ok := u.firstPending(); ok {
			resume = min(resume, first)
		}
	}
	return resume
}

// Pending returns how many records wait for a tick, or for another upstream.
func (s *Shard[In, Out]) Pending() int {
	n := 0
	for _, u := range s.upstreams {
		n += u.pending()
	}
	return n
}

// Dropped returns how many records were dropped since the start because their
// origin had been taken before.
func (s *Shard[In, Out]) Dropped() int64 { return s.dropped }

func (s *Shard[In, Out]) partitions() []int32 {
	ps := make([]int32, len(s.upstreams))
	for i, u := range s.upstreams {
		ps[i] = u.partition
	}
	return ps
}

// Describe tells where the shard stands, for tests, logs and the debug page.
func (s *Shard[In, Out]) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "generation %d, clock %s, resume %d, pending %d\n", s.generation, describeRound(s.round), s.Resume(), s.Pending())
	for _, u := range s.upstreams {
		fmt.Fprintf(&b, "  deliveries/%d: ticked %s, applied %s up to %s, seen %s", u.partition, describeRound(u.round), describeRound(u.applied), describeOrigin(u.origin), describeOrigin(u.seen))
		for _, c := range u.closed {
			fmt.Fprintf(&b, ", %d for %s", len(c.records), describeRound(c.round))
		}
		if n := len(u.open.records); n > 0 {
			fmt.Fprintf(&b, ", %d open", n)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func describeRound(r Round) string {
	if r == noRound {
		return "none"
	}
	return r.Clock().String()
}

func describeOrigin(o Origin) string {
	if o == noOrigin {
		return "none"
	}
	return o.String()
}
