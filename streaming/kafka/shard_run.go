package kafka

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"meridian/streaming"
)

// shardRun is one life of a shard: from its snapshot to a stop or a failure.
// It runs in one goroutine.
type shardRun[In, Out any] struct {
	stage     Stage[In, Out]
	cfg       RunnerConfig
	partition int32
	name      string

	// stop ends the reading, hard everything that waits for others.
	stop, hard context.Context
	rim        Rim
	report     func(func(*ShardStatus))

	pause    *pause
	stood    streaming.Round // of the pause at which it stands; 0: it does not
	byHand   bool            // a [Life] moves it, so nothing waits
	program  any
	answered int64       // the inspection that was
	ahead    []LogRecord // read, and not fed since the shard reached its limit

	shard    *streaming.Shard[In, Out]
	reader   Reader
	sequence uint64 // of the next snapshot
	captures streaming.Capturer

	rows   []Out
	failed error // of a Put inside Feed; emit has no other way to tell

	records, rounds int64 // since the last snapshot
	due             time.Time

	fed       struct{ records, rounds, dropped int64 } // since the last report
	described time.Time
}

// run returns nil after a stop that left a snapshot behind.
func (s *shardRun[In, Out]) run() (err error) {
	defer func() {
		if p := recover(); p != nil {
			if e, ok := p.(error); ok {
				err = e
			} else {
				err = fmt.Errorf("%v", p)
			}
			err = fmt.Errorf("panic: %w\n%s", err, debug.Stack())
		}
		if s.reader != nil {
			s.reader.Close()
		}
	}()
	if err := s.restore(); err != nil {
		if s.stop.Err() != nil {
			return nil
		}
		return err
	}
	for s.stop.Err() == nil {
		if err := s.step(); err != nil {
			return err
		}
	}
	return s.snapshot()
}

// turn waits until work may be done that is no record's. Whoever has to stop does it
// at once. What it returns may be called twice.
func (s *shardRun[In, Out]) turn() (worked func()) {
	if s.cfg.Turn != nil {
		if done, err := s.cfg.Turn(s.stop, 0); err == nil {
			return sync.OnceFunc(done)
		}
	}
	return func() {}
}

func (s *shardRun[In, Out]) restore() error {
	program, err := s.stage.Program(s.partition)
	if err != nil {
		return fmt.Errorf("make the program: %w", err)
	}
	s.program = program
	s.shard = streaming.NewShard(s.stage.Generation, s.stage.Upstreams(s.partition), program)
	if s.sequence, err = streaming.NextSequence(s.stop, s.stage.Snapshots, s.name); err != nil {
		return err
	}
	first := int64(0)
	if s.stage.First != nil {
		first = s.stage.First(s.partition)
	}
	worked := s.turn()
	defer worked()
	get, m, err := streaming.Restore(s.stop, s.stage.Snapshots, s.name)
	switch {
	case errors.Is(err, streaming.ErrNoSnapshot):
		if s.stage.NeedsSnapshot {
			return fmt.Errorf("%s: %w", s.name, ErrForgotten)
		}
		if s.sequence > 1 {
			s.stage.Input.Config.log().Error("no snapshot of this shard is whole; it is computed again from the beginning", "shard", s.name, "err", err)
		}
	case err != nil:
		return err
	default:
		if err := s.shard.Load(get); err != nil {
			return fmt.Errorf("snapshot %d: %w", m.Sequence, err)
		}
	}
	worked() // others need not wait for the broker
	from := max(first, s.shard.Resume())
	if s.reader, err = s.rim.Open(s.stop, s.partition, from); err != nil {
		return err
	}
	s.due = time.Now().Add(s.cfg.SnapshotEvery)
	s.report(func(st *ShardStatus) {
		st.State, st.Snapshot, st.Resume = Running, m.Sequence, from
		s.position(st)
	})
	return nil
}

// step reads what there is, feeds it, puts what comes of it, and takes a
// snapshot when one is due.
func (s *shardRun[In, Out]) step() error {
	changed := s.pause.changed() // before it is looked at, so that no change is missed
	if stands, err := s.stand(); stands || err != nil {
		return err
	}
	ctx, cancel := s.stop, context.CancelFunc(func() {})
	if s.rounds > 0 {
		ctx, cancel = context.WithDeadline(s.stop, s.due)
	}
	ctx, interrupt := context.WithCancel(ctx)
	defer context.AfterFunc(changed, interrupt)()
	defer interrupt()
	records := s.ahead
	s.ahead = nil
	var err error
	if len(records) == 0 {
		records, err = s.reader.Next(ctx)
	}
	ended := ctx.Err() != nil
	cancel()
	if err != nil && !ended {
		return err
	}
	worked := func() {}
	if s.cfg.Turn != nil && len(records) > 0 {
		if len(records) > turnRecords {
			records, s.ahead = records[:turnRecords], records[turnRecords:]
		}
		done, err := s.cfg.Turn(s.stop, len(records))
		if err != nil {
			return nil // asked to stop; what was read is read again
		}
		worked = sync.OnceFunc(done)
		defer worked()
	}
	for i, r := range records {
		if s.stop.Err() != nil {
			break
		}
		if s.shard.AtLimit() {
			s.ahead = slices.Concat(records[i:], s.ahead)
			break
		}
		m, err := s.stage.Decode(s.partition, r)
		if err != nil {
			return fmt.Errorf("decode offset %d of %s/%d: %w", r.Offset, s.stage.Input.Topic, s.partition, err)
		}
		closed := int64(s.shard.Feed(r.Offset, m, s.emit))
		s.records, s.rounds = s.records+1, s.rounds+closed
		s.fed.records, s.fed.rounds = s.fed.records+1, s.fed.rounds+closed
		if s.failed != nil {
			return s.failed
		}
	}
	if err := s.put(); err != nil {
		return err
	}
	worked() // a snapshot waits for others
	if len(records) > 0 {
		s.report(s.position)
	}
	if s.rounds > 0 && (s.records >= s.cfg.SnapshotRecords || !time.Now().Before(s.due)) {
		return s.snapshot()
	}
	return nil
}

// emit collects rows. A round may emit more than should lie in memory, so it
// puts them while the program is still running.
func (s *shardRun[In, Out]) emit(row Out) {
	if s.failed != nil {
		return
	}
	s.rows = append(s.rows, row)
	if len(s.rows) >= s.cfg.PutRows {
		s.failed = s.put()
	}
}

func (s *shardRun[In, Out]) put() error {
	if len(s.rows) == 0 {
		return nil
	}
	rows := s.rows
	s.rows = nil // they are the sink's now
	if err := s.stage.Sink.Put(s.hard, s.partition, rows); err != nil {
		return fmt.Errorf("put %d rows: %w", len(rows), err)
	}
	return nil
}

// snapshot keeps the one order that loses nothing and repeats harmlessly: rows
// durable, then the state that has emitted them, then the group's offset.
func (s *shardRun[In, Out]) snapshot() error {
	if s.rounds == 0 {
		return nil // nothing happened between rounds that a restore would not see again
	}
	return s.publish()
}

func (s *shardRun[In, Out]) publish() error {
	if err := s.stage.Sink.Flush(s.hard, s.partition); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	worked := s.turn()
	m, chunks := s.captures.Capture(s.name, s.sequence, s.shard.Save)
	worked()
	m.Resume = s.shard.Resume()
	if err := s.stage.Snapshots.Publish(s.hard, m, func(h streaming.Hash) []byte { return chunks[h] }); err != nil {
		return fmt.Errorf("publish snapshot %d: %w", m.Sequence, err)
	}
	s.sequence++
	s.records, s.rounds = 0, 0
	s.due = time.Now().Add(s.cfg.SnapshotEvery)
	// The offset is for people who look at lag: recovery begins at the snapshot.
	if err := s.rim.Commit(s.hard, s.partition, m.Resume); err != nil {
		s.stage.Input.Config.log().Warn("the group's offset was not committed; lag displays are behind", "shard", s.name, "err", err)
	}
	s.described = time.Time{}
	s.report(func(st *ShardStatus) {
		s.position(st)
		st.Snapshot, st.Resume, st.SnapshotAt = m.Sequence, m.Resume, time.Now()
		st.Snapshots++
	})
	if s.stage.TrimInput {
		return s.trim()
	}
	return nil
}

func (s *shardRun[In, Out]) trim() error {
	kept, err := s.stage.Snapshots.Manifests(s.hard, s.name)
	if err != nil || len(kept) < streaming.KeptSnapshots {
		return err
	}
	lowest := kept[0].Resume
	for _, m := range kept {
		lowest = min(lowest, m.Resume)
	}
	return s.rim.Trim(s.hard, s.partition, lowest)
}

// position brings a status up to date.
func (s *shardRun[In, Out]) position(st *ShardStatus) {
	st.Next, st.End = s.reader.Position()
	st.Clock, st.Pending = s.shard.Clock(), s.shard.Pending()
	st.Records += s.fed.records
	st.Rounds += s.fed.rounds
	st.Dropped += s.shard.Dropped() - s.fed.dropped
	s.fed.records, s.fed.rounds, s.fed.dropped = 0, 0, s.shard.Dropped()
	if now := time.Now(); now.Sub(s.described) >= time.Second {
		s.described = now
		st.Detail, st.Counted = s.shard.Describe(), s.counted()
	}
}
