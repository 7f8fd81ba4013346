package main

import (
	"context"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// settleEngine gives out the rows of an engine's history. It leaves the state
// from which its shard goes on.
func (h *history) settleEngine(ctx context.Context, e *historyEngine) error {
	end := h.manifest.HistoryEnd
	t, err := h.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer t.giveBack()
	rows := h.sink.writer(e.partition)
	var failed error
	put := func() {
		if failed == nil && rows.Len() > 0 {
			t.giveBack() // whoever takes the rows may have to be waited for
			if failed = rows.Put(ctx); failed == nil {
				failed = t.again(ctx)
			}
		}
	}
	e.engine.Tick(end.Clock(), streaming.NewVersion(h.manifest.Number, end), func(r metrics.Row) {
		if failed != nil {
			return
		}
		if failed = rows.Add(r); rows.Len() >= historyRows {
			put()
		}
	})
	put()
	return failed
}

// historyRows are put at once.
const historyRows = 8192

// finish folds what is left and hands over to the generation's shards: rows
// durable, then snapshots. The record `following` is the caller's.
func (h *history) finish(ctx context.Context) error {
	err := h.folder.finish(ctx, func(ctx context.Context, e *historyEngine) error {
		if err := h.tuning.reached("rows"); err != nil {
			return err
		}
		shard := streaming.NewShard(h.manifest.Number, h.manifest.Upstreams(), e.engine)
		shard.Adopt(h.manifest.HistoryEnd, h.reachedBy(e))
		// Taken while the last rows are on their way, and kept when they are there.
		var s takenSnapshot
		err := h.inTurn(ctx, 0, func() (err error) {
			s, err = takeSnapshot(ctx, h.snapshots, kafka.ShardName("engine", h.manifest.Number, e.partition), 0, shard.Save)
			return err
		})
		if err != nil {
			return err
		}
		e.engine = nil // its snapshot has it
		if err := h.sink.Flush(ctx, e.partition); err != nil {
			return err
		}
		h.sink.Advance(e.partition, h.manifest.Number, h.manifest.HistoryEnd.Clock())
		if err := s.publish(ctx, h.snapshots); err != nil {
			return err
		}
		return h.tuning.reached("engine")
	})
	if err != nil {
		return err
	}
	for _, r := range h.routes {
		var s takenSnapshot
		err := h.inTurn(ctx, 0, func() (err error) {
			s, err = takeSnapshot(ctx, h.snapshots, kafka.ShardName("route", h.manifest.Number, r.partition), r.next, r.shard.Save)
			return err
		})
		if err == nil {
			err = s.publish(ctx, h.snapshots)
		}
		if err != nil {
			return err
		}
		if err := h.tuning.reached("route"); err != nil {
			return err
		}
	}
	for e := range h.manifest.EventsPartitions { // the progress that Advance told is to be durable too
		if err := h.sink.Flush(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// reachedBy is how far each partition of deliveries is in an engine's state.
func (h *history) reachedBy(e *historyEngine) (all []streaming.Reached) {
	for _, r := range h.routes {
		if r.shard.Clock() == streaming.NoClock {
			continue
		}
		o, any := e.origins[r.partition]
		all = append(all, streaming.Reached{Partition: r.partition, Round: streaming.RoundOf(r.shard.Clock()), Origin: o, Any: any})
	}
	return all
}

// takenSnapshot is one that is kept nowhere yet.
type takenSnapshot struct {
	manifest streaming.Manifest
	chunks   map[streaming.Hash][]byte
}

// takeSnapshot takes one under the next sequence of its shard. Nothing may happen to
// what it is of before it has been published.
func takeSnapshot(ctx context.Context, store streaming.Snapshots, shard string, resume int64, save func(put func(section string, data []byte))) (t takenSnapshot, err error) {
	sequence, err := streaming.NextSequence(ctx, store, shard)
	if err != nil {
		return t, err
	}
	var once streaming.Capturer // a program never writes to what it has put, so nothing is copied
	t.manifest, t.chunks = once.Capture(shard, sequence, save)
	t.manifest.Resume = resume
	return t, nil
}

func (t takenSnapshot) publish(ctx context.Context, store streaming.Snapshots) error {
	return store.Publish(ctx, t.manifest, func(hash streaming.Hash) []byte { return t.chunks[hash] })
}
