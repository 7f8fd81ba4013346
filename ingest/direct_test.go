package ingest

import (
	"encoding/binary"
	"slices"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Copies that are handed over are those that would be emitted, and a step allocates
// nothing for them.
func TestCopiesThatAreHandedOver(t *testing.T) {
	events := []event.Event{{
		Source: event.GitHub, Kind: event.PullRequestUpdated, Created: instant0, Entity: "github/repo/1/pr/1", Time: instant0,
		Scope: event.Scope{Provider: "github", Repository: "acme/web"}, PullRequest: &event.PullRequest{},
		Actor: event.Account{Provider: "github", Key: "7", Login: "ada"},
	}}
	record := streaming.Record[Entry]{Value: Entry{Delivery: &LoggedDelivery{
		Outcome: OutcomeAccepted, Events: events, Delivery: Delivery{Provider: "github", Received: instant0},
	}}}
	step := func(r *Route, n int, emit func(Copy)) {
		binary.BigEndian.PutUint64(events[0].ID[:], uint64(n)*0x9e3779b97f4a7c15)
		record.Origin.Offset = int64(n)
		r.Apply(streaming.NoClock, record, emit)
	}

	var emitted, taken []Copy
	one, other := testRoute(t, nil), testRoute(t, nil)
	other.Direct(func(partition int32, origin streaming.Origin, routed *event.Routed) {
		taken = append(taken, Copy{partition, streaming.Message[event.Routed]{Record: streaming.Record[event.Routed]{Origin: origin, Value: *routed}}})
	})
	for n := range 20 {
		step(one, n/2, func(c Copy) { emitted = append(emitted, c) }) // each second one is a duplicate
		step(other, n/2, func(Copy) { t.Fatal("a copy was emitted") })
	}
	if !slices.EqualFunc(emitted, taken, func(a, b Copy) bool {
		return a.Partition == b.Partition && string(AppendMessage(nil, &a.Message)) == string(AppendMessage(nil, &b.Message))
	}) || len(taken) != 20 {
		t.Errorf("%d copies were handed over, %d emitted, and they should be 20 of the same", len(taken), len(emitted))
	}

	kept := 0
	other.Direct(func(int32, streaming.Origin, *event.Routed) { kept++ })
	n := 1_000
	if allocations := testing.AllocsPerRun(1_000, func() {
		n++
		step(other, n, nil)
	}); allocations > 0 {
		t.Errorf("a step allocates %.0f times", allocations)
	}
	if kept != 1_001 {
		t.Errorf("%d copies of 1,001 events", kept)
	}
	ticks := 0
	other.Tick(timeline.Millis(instant0+1000), streaming.NewVersion(1, streaming.RoundOf(instant0+1000)), func(c Copy) {
		if !c.Message.IsTick {
			t.Error("a tick emitted a copy")
		}
		ticks++
	})
	if ticks == 0 {
		t.Error("ticks are emitted all the same")
	}
}
