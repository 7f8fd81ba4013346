package kafka

import (
	"context"
	"sync"

	"meridian/streaming"
)

// pause is the round at which the shards of a runner have to stand, if any.
type pause struct {
	mu   sync.Mutex
	at   streaming.Round
	set  bool
	wake context.Context // ends at the next change
	end  context.CancelFunc

	inspections int64
}

func (p *pause) change(at streaming.Round, set bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.set = at, set
	p.wakeAll()
}

// wakeAll ends the context that shards wait with. p.mu is held.
func (p *pause) wakeAll() {
	if p.end != nil {
		p.end()
		p.wake, p.end = nil, nil
	}
}

func (p *pause) get() (at streaming.Round, set bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at, p.set
}

// changed returns a context that ends when the pause is another one.
func (p *pause) changed() context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wake == nil {
		p.wake, p.end = context.WithCancel(context.Background())
	}
	return p.wake
}

// Pause makes every shard apply the rounds up to at, put and flush their rows,
// publish a snapshot, and stand there, with state [Paused] and its clock in its
// status, until Resume; also shards that are given to this process later. A
// shard that is beyond the round already stands where it is, and its clock says
// so.
func (r *Runner[In, Out]) Pause(at streaming.Round) { r.pause.change(at, true) }

// Resume lets the shards go on.
func (r *Runner[In, Out]) Resume() { r.pause.change(0, false) }

// stand does what a pause asks for. It reports whether the shard stood, and
// returns then when that is over or the shard has to stop.
func (s *shardRun[In, Out]) stand() (bool, error) {
	changed := s.pause.changed()
	s.describe()
	at, set := s.pause.get()
	if !set {
		s.stood = 0
		if n := int64(s.shard.Unlimit(s.emit)); n > 0 {
			s.rounds += n
			s.fed.rounds += n
			if s.failed != nil {
				return true, s.failed
			}
			return true, s.put()
		}
		return false, nil
	}
	if s.shard.Limit(at); !s.shard.AtLimit() {
		return false, nil
	}
	if s.stood != at {
		// Also when nothing has changed since the last one: with a snapshot behind it, an
		// owner that was replaced and has not heard of the pause can publish none. It may
		// have put rows beyond the round where they are not moved from any more, and
		// whoever went on from its snapshot would not give them again.
		if err := s.publish(); err != nil {
			return true, err
		}
		s.stood = at
	}
	s.report(func(st *ShardStatus) {
		s.position(st)
		st.State = Paused
	})
	s.describe()
	if s.byHand {
		return true, nil
	}
	select {
	case <-changed.Done():
	case <-s.stop.Done():
	}
	if now, set := s.pause.get(); !set || now != at {
		s.report(func(st *ShardStatus) { st.State = Running })
	}
	return true, nil
}
