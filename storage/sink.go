package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Sink upserts the engine's rows into one side of the tables. It implements
// [streaming.Sink]. Rows of all shards are collected and inserted together,
// about every Config.Interval, by one writer (Run); while that writes, the next
// ones collect. A sink has one life: when Run has ended it takes no more.
type Sink struct {
	db      *Database
	write   func(context.Context, *batches) error // into the database
	onWrite func(timeline.Millis)

	mu      sync.Mutex
	changed *sync.Cond
	waiting *batches // not yet taken by the writer
	side    Side     // where rows go that are put from now on
	number  int64    // of the waiting batches, from 0
	written int64    // all batches below this number are durable
	urgent  bool     // somebody flushes, or memory runs low
	stopped bool
	began   time.Time // of the last insert
	arrived time.Time // the first of what waits
	state   SinkState

	advanced map[progressKey]streaming.Round // what Advance has said last
	open     map[progressKey]streaming.Round // rounds of waiting rows whose end Advance has not said yet
}

var _ streaming.Sink[metrics.Row] = (*Sink)(nil)

// NewSink returns a sink for one side. onWrite, which may be nil, is called by
// Run after each insert, when its rows can be read, with the highest clock
// among its shards. It must return at once.
func (d *Database) NewSink(side Side, onWrite func(clock timeline.Millis)) *Sink {
	s := &Sink{db: d, side: side, onWrite: onWrite, waiting: newBatches(side), advanced: map[progressKey]streaming.Round{}, open: map[progressKey]streaming.Round{}}
	s.write = func(ctx context.Context, b *batches) error { return b.insert(ctx, d) }
	s.changed = sync.NewCond(&s.mu)
	return s
}

// Put implements [streaming.Sink]. The rows are taken together, and nothing of
// them is kept: they become bytes before it returns. A Put may go beyond the bound
// on rows that wait; the next one waits for that.
func (s *Sink) Put(ctx context.Context, shard int32, rows []metrics.Row) error {
	if len(rows) == 0 {
		return nil
	}
	e, err := encode(rows)
	if err != nil {
		return err
	}
	return s.put(ctx, shard, e)
}

func (s *Sink) put(ctx context.Context, shard int32, e *encoded) error {
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.waiting.size() >= s.db.cfg.MaxRows && !s.stopped && ctx.Err() == nil {
		s.hurry()
		s.changed.Wait()
	}
	if err := s.ended(ctx); err != nil {
		e.release()
		return err
	}
	s.arrive()
	s.waiting.join(e)
	for _, r := range e.rounds {
		key := progressKey{r.generation, shard}
		if last, ok := s.advanced[key]; ok && last < r.round {
			s.open[key] = r.round
		}
		// More of this round may follow in the next Put; the ones before it
		// are whole.
		s.waiting.advance(r.generation, shard, r.round-1)
	}
	if s.waiting.size() >= s.db.cfg.MaxRows/2 {
		s.urgent = true
	}
	s.changed.Broadcast()
	return nil
}

// Advance says that a shard of generation g has put everything that it has to
// say up to clock c. It goes into the tables behind the rows, and readers' clock
// is the lowest of all shards: without it one quiet shard would hold all back.
// It returns at once, so that it can be called by a kafka.Observer.
func (s *Sink) Advance(shard int32, g streaming.Generation, c streaming.Clock) {
	if c == streaming.NoClock {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key, round := progressKey{g, shard}, streaming.Round(c/streaming.RoundLength)
	if last, ok := s.advanced[key]; ok && last >= round {
		return
	}
	s.advanced[key] = round
	if s.open[key] <= round {
		delete(s.open, key)
	}
	s.arrive()
	s.waiting.advance(g, shard, round)
	s.changed.Broadcast()
}

func (s *Sink) arrive() {
	if s.waiting.empty() {
		s.arrived = time.Now()
	}
}

// whole reports whether every shard that speaks has said that it is through with the
// round of what waits. What a tick brings comes from all of them, some milliseconds
// apart: the first one's words alone would be an insert, and the rows of the others
// would wait an interval for the next.
func (s *Sink) whole() bool {
	if len(s.open) > 0 {
		return false
	}
	latest := map[streaming.Generation]streaming.Round{}
	for key, r := range s.waiting.progress {
		latest[key.generation] = max(latest[key.generation], r)
	}
	for key, r := range s.advanced {
		if r < latest[key.generation] {
			return false
		}
	}
	return true
}

// forgetLate forgets the shards that were waited for in vain. One that has gone to
// another process, or whose generation was dropped, says nothing ever again; one that
// was slow is waited for again from its next word on.
func (s *Sink) forgetLate() {
	latest := map[streaming.Generation]streaming.Round{}
	for key, r := range s.waiting.progress {
		latest[key.generation] = max(latest[key.generation], r)
	}
	maps.DeleteFunc(s.advanced, func(key progressKey, r streaming.Round) bool {
		_, open := s.open[key]
		return open || r < latest[key.generation]
	})
	clear(s.open)
}

// Use makes the rows that are put from now on go to another half of the tables: a
// generation that becomes the current one writes live. It returns when everything
// put before is durable in the other half. The shards have to be paused, or nobody
// could say which half has which rows.
func (s *Sink) Use(ctx context.Context, side Side) error {
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.side != side && (s.waiting.size() > 0 || s.written < s.number) {
		if err := s.ended(ctx); err != nil {
			return err
		}
		s.hurry()
		s.changed.Wait()
	}
	s.side, s.waiting.side = side, side
	return nil
}

// Flush implements [streaming.Sink].
func (s *Sink) Flush(ctx context.Context, _ int32) error {
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.number
	if s.waiting.empty() {
		last--
	}
	for s.written <= last && !s.stopped && ctx.Err() == nil {
		s.hurry()
		s.changed.Wait()
	}
	if s.written > last {
		return nil
	}
	return s.ended(ctx)
}

// ended says why nobody should wait any longer, or nil. What the database said
// last is part of it: a shard that could not flush in time tells the reason.
func (s *Sink) ended(ctx context.Context) error {
	var err error
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case s.stopped:
		err = ErrStopped
	default:
		return nil
	}
	return fmt.Errorf("storage: rows are not written: %w", errors.Join(err, s.state.Trouble))
}

func (s *Sink) hurry() {
	if !s.urgent {
		s.urgent = true
		s.changed.Broadcast()
	}
}

func (s *Sink) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// SinkState is how writing goes.
type SinkState struct {
	Waiting  int   // rows that are not in the tables yet, besides those being inserted
	Inserted int64 // rows, since the start
	Inserts  int64 // how many times rows were inserted, since the start
	Retries  int64 // failed attempts, since the start
	Trouble  error // why the last attempt failed; nil when it went well
}

// State returns how writing goes.
func (s *Sink) State() SinkState {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state
	state.Waiting = s.waiting.size()
	return state
}
