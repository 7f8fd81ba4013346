package main

import (
	"context"
	"slices"
	"sync"
	"testing"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// Two coordinators overlap, and neither has heard of the other's number when it takes its
// own: they number apart all the same.
func TestCoordinatorsThatOverlapNumberApart(t *testing.T) {
	h := newHeld(t)
	c := h.Config
	c.Embedded = false
	var ledgers [2]ledger
	for i := range ledgers {
		control, err := kafka.OpenControl(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		ledgers[i] = ledger{control}
		if highest, err := ledgers[i].highest(); err != nil || highest != 0 {
			t.Fatalf("%d, %v", highest, err)
		}
	}
	// Both have claimed before either reads on: that is the overlap.
	ctx, stop := context.WithCancel(context.Background())
	var following, numbering sync.WaitGroup
	t.Cleanup(func() {
		stop()
		following.Wait()
		for _, l := range ledgers {
			l.control.Close()
		}
	})
	var numbers [2]streaming.Generation
	var failed [2]error
	for i := range ledgers {
		numbering.Go(func() { numbers[i], failed[i] = ledgers[i].next(t.Context(), 0) })
	}
	for i := range ledgers {
		written, heard := context.WithCancel(t.Context())
		ledgers[i].control.Watch(written, "claim/generation/1/", func(kafka.ControlEntry) { heard() })
	}
	for i := range ledgers {
		following.Go(func() { _ = ledgers[i].control.Run(ctx) })
	}
	numbering.Wait()
	slices.Sort(numbers[:])
	if failed != [2]error{} || numbers != [2]streaming.Generation{1, 2} {
		t.Errorf("generations %v, %v; want 1 and 2", numbers, failed)
	}
}
