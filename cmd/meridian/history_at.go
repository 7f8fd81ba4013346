package main

import (
	"context"
	"sync"

	"meridian/streaming"
)

// historyProgress is how far a history is, in records of deliveries.
type historyProgress struct {
	Done, Total int64
	Resumed     int64           // of Done, by an earlier run
	Clock       streaming.Clock // the lowest that its routes have come to; NoClock before
}

// standing is the progress that a history's routes tell.
type standing struct {
	mu            sync.Mutex
	done, resumed int64
	clocks        []streaming.Clock // by partition of deliveries
}

func (s *standing) begin(partitions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done, s.resumed, s.clocks = 0, 0, make([]streaming.Clock, partitions)
	for i := range s.clocks {
		s.clocks[i] = streaming.NoClock
	}
}

// resume adds what an earlier run has done.
func (s *standing) resume(partition int32, records int64, clock streaming.Clock) {
	s.routed(partition, records, clock)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resumed += records
}

// routed adds records of one partition.
func (s *standing) routed(partition int32, records int64, clock streaming.Clock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += records
	s.clocks[partition] = clock
}

// at may be asked at any time, also while the history runs.
func (h *history) at() historyProgress {
	h.standing.mu.Lock()
	defer h.standing.mu.Unlock()
	p := historyProgress{Done: h.standing.done, Total: h.records(), Resumed: h.standing.resumed, Clock: streaming.NoClock}
	for i, c := range h.standing.clocks {
		if h.manifest.HistoryOffsets[i] == h.manifest.First[i] {
			continue // it has none of the history
		}
		if p.Clock == streaming.NoClock || c < p.Clock {
			p.Clock = c
		}
		if c == streaming.NoClock {
			break
		}
	}
	return p
}

// inTurn does a piece of work when it is its turn. Nothing in it may wait for
// another piece: where one processor is all there is, that one would never come.
func (h *history) inTurn(ctx context.Context, records int, do func() error) error {
	if h.tuning.turn == nil {
		return do()
	}
	done, err := h.tuning.turn(ctx, records)
	if err != nil {
		return err
	}
	defer done()
	return do()
}

// heldTurn is a turn that can be given back for a while.
type heldTurn struct {
	h    *history
	done func() // nil: it is not held
}

func (h *history) takeTurn(ctx context.Context) (*heldTurn, error) {
	t := &heldTurn{h: h}
	return t, t.again(ctx)
}

func (t *heldTurn) again(ctx context.Context) (err error) {
	if t.h.tuning.turn != nil {
		t.done, err = t.h.tuning.turn(ctx, 0)
	}
	return err
}

func (t *heldTurn) giveBack() {
	if t.done != nil {
		t.done()
		t.done = nil
	}
}
