package main

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// slowCheckpoints keeps a history's checkpoints waiting for as long as they are wanted.
type slowCheckpoints struct {
	streaming.Snapshots
	begun atomic.Int64
}

func (s *slowCheckpoints) Publish(ctx context.Context, m streaming.Manifest, chunk func(streaming.Hash) []byte) error {
	if !strings.HasPrefix(m.Shard, "history-") {
		return s.Snapshots.Publish(ctx, m, chunk)
	}
	s.begun.Add(1)
	<-ctx.Done()
	return ctx.Err()
}

// A history that has been read needs no checkpoint any more: one that is under way is
// given up, and holds nothing up.
func TestHistory_EndsDuringACheckpoint(t *testing.T) {
	p := newPast(t, 2000)
	store, sink := &slowCheckpoints{Snapshots: kafka.NewSnapshotDir(t.TempDir())}, &keptRows{}
	h := p.history(t, store, sink, 1<<40)
	h.tuning.checkpoint = time.Microsecond
	if err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if store.begun.Load() == 0 {
		t.Error("no checkpoint was begun")
	}
	if len(sink.texts()) == 0 {
		t.Error("there are no rows")
	}
}
