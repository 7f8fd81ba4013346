package simulation

import (
	"slices"

	"meridian/ingest"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// ingester takes deliveries and gives ticks, as far as the log can tell.
type ingester struct {
	world    *world
	skew     timeline.Millis // of its clock: behind
	unticked bool
	given    timeline.Millis
	ticks    []int32 // partitions that the tick at given has still to reach
}

func (i *ingester) step() {
	w := i.world
	if w.hurt(30, ingesterCrash) != none {
		w.note(ingesterCrash)
		i.ticks, i.unticked = nil, false // what it had is in no partition, and nobody was told otherwise
		return
	}
	switch {
	case len(i.ticks) > 0:
		i.tick()
	case len(w.waiting) > 0 && one(w.rng, 2):
		i.deliver()
	default:
		now := w.now + i.skew
		if i.unticked && now >= i.given+timeline.Second || now >= i.given+timeline.Minute {
			i.given, i.unticked = streaming.RoundOf(now).Clock(), false
			for _, p := range w.rng.Perm(len(w.deliveries)) {
				i.ticks = append(i.ticks, int32(p))
			}
		}
	}
}

func (i *ingester) tick() {
	w, p := i.world, i.ticks[0]
	f := w.hurt(20, tickedAndFailed, tickNotProduced)
	if f != none {
		w.note(f)
	}
	if f != tickNotProduced {
		if i.skew < 0 {
			w.note(ingesterClock)
		}
		w.deliveries[p].append(ingest.EncodeEntry(ingest.Entry{Tick: i.given}))
	}
	if f == none {
		i.ticks = i.ticks[1:]
	} else if one(w.rng, 2) {
		i.ticks = nil // it gives up, and comes with a later one
	}
}

// deliver takes one of the waiting deliveries. Its sender comes again unless it
// was acknowledged.
func (i *ingester) deliver() {
	w := i.world
	n := w.rng.IntN(len(w.waiting))
	s := w.waiting[n]
	f := w.hurt(12, producedAndFailed, notProduced)
	if f != none {
		w.note(f)
	}
	if f != notProduced {
		p := s.key % int64(len(w.deliveries))
		w.deliveries[p].append(ingest.EncodeEntry(ingest.Entry{Delivery: s.delivery}))
		i.unticked = true
	}
	if f == none {
		for _, e := range s.delivery.Events {
			w.acked[e.ID] = true
		}
		w.waiting = slices.Delete(w.waiting, n, n+1)
	}
}
