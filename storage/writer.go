package storage

import (
	"context"
	"time"
)

// The pause between two attempts to insert doubles from the first to the last.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
)

// Run writes until ctx ends, and returns nil then. End it after the shards have
// flushed: what was put and not flushed is lost here, and comes again from the
// last snapshot.
func (s *Sink) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, s.wake)()
	defer s.stop()
	alarm := time.AfterFunc(time.Hour, s.wake)
	defer alarm.Stop()
	for {
		b, ok := s.take(ctx, alarm)
		if !ok || !s.insert(ctx, b) {
			return nil
		}
		s.db.generations.forget() // readers' clock has moved
		if s.onWrite != nil {
			s.onWrite(b.clock())
		}
		b.release()
	}
}

func (s *Sink) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.changed.Broadcast()
}

// roundShare is the part of an interval for which one shard's rows wait for what the
// others have to say of the same round. One that has gone elsewhere never says it.
const roundShare = 5

// take waits for rows and lets them collect until an interval has passed since
// the last insert began, unless somebody is in a hurry. So the first rows after
// a pause are written at once, when their round is whole.
func (s *Sink) take(ctx context.Context, alarm *time.Timer) (*batches, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ctx.Err() == nil {
		if !s.waiting.empty() {
			rest := s.db.cfg.Interval - time.Since(s.began)
			if !s.whole() {
				rest = max(rest, s.db.cfg.Interval/roundShare-time.Since(s.arrived))
			}
			if rest <= 0 || s.urgent {
				if !s.whole() {
					s.forgetLate()
				}
				b := s.waiting
				s.waiting, s.urgent, s.began = newBatches(s.side), false, time.Now()
				s.number++
				s.changed.Broadcast() // there is room again
				return b, true
			}
			alarm.Reset(rest)
		}
		s.changed.Wait()
	}
	return nil, false
}

// insert writes b, again and again with the same content, until it is durable
// or ctx ends; false means that it is not.
func (s *Sink) insert(ctx context.Context, b *batches) bool {
	pause := firstPause
	for {
		err := refusedRows(classify(ctx, "insert rows", s.write(ctx, b)))
		if err == nil {
			s.succeeded(b)
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		s.failed(err)
		s.db.cfg.Log.Error("rows are not written; trying again", "err", err, "rows", b.size(), "pause", pause)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

func (s *Sink) succeeded(b *batches) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Trouble = nil
	s.state.Inserted += int64(b.size())
	s.state.Inserts++
	s.written++
	s.changed.Broadcast()
}

func (s *Sink) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Trouble = err
	s.state.Retries++
}
