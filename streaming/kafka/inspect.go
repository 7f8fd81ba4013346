package kafka

import (
	"context"
	"time"
)

// inspection counts how often somebody wanted to know what the programs hold.
// Describing a large state takes as long as a round does, so it is done when it
// is asked for and not before.

// describer is a program that can say what it holds.
type describer interface{ Describe() string }

// Inspect asks every shard of this process to describe its program, and waits
// until they have, or ctx ends, or a second has passed: a shard that waits for
// its sink is described as it was. The answers are in Shards and Describe.
func (r *Runner[In, Out]) Inspect(ctx context.Context) {
	want := r.pause.inspect()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !r.inspected(want) {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

func (r *Runner[In, Out]) inspected(want int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, st := range r.status {
		if (st.State == Running || st.State == Paused) && st.inspected < want {
			return false
		}
	}
	return true
}

// inspect wakes the shards, and returns the number of this inspection.
func (p *pause) inspect() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inspections++
	p.wakeAll()
	return p.inspections
}

func (p *pause) wanted() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inspections
}

// describe answers an inspection that this shard has not answered yet.
func (s *shardRun[In, Out]) describe() {
	want := s.pause.wanted()
	if want == s.answered {
		return
	}
	s.answered = want
	text := ""
	if d, ok := s.program.(describer); ok {
		text = d.Describe()
	}
	s.described = time.Time{}
	s.report(func(st *ShardStatus) {
		s.position(st)
		st.Program, st.inspected = text, want
	})
}

// counter is a program that counts: what it left as it was, what it forgot.
type counter interface {
	Counted(yield func(name string, n int64))
}

// counted is what the program has counted so far.
func (s *shardRun[In, Out]) counted() map[string]int64 {
	c, ok := s.program.(counter)
	if !ok {
		return nil
	}
	counts := map[string]int64{} // a new one: whoever reads the status keeps the last
	c.Counted(func(name string, n int64) { counts[name] = n })
	return counts
}
