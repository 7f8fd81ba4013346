package main

import (
	"testing"

	"meridian/ingest"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

func TestLastTickAndWhatIsBehindIt(t *testing.T) {
	h := newHeld(t)
	sink := kafka.NewTopicSink(h.Config, h.DeliveriesTopic(), func(e ingest.Entry) (int32, []byte, []byte) { return 0, nil, ingest.EncodeEntry(e) })
	defer sink.Close()
	const at = timeline.Millis(1_772_445_600_000)
	delivery := ingest.Entry{Delivery: &ingest.LoggedDelivery{Outcome: ingest.OutcomePing, Delivery: ingest.Delivery{Provider: "github", Received: at}}}
	for i, step := range []struct {
		entries  []ingest.Entry
		last     streaming.Clock
		unticked bool
	}{
		{nil, streaming.NoClock, false},
		{[]ingest.Entry{delivery}, streaming.NoClock, true},
		{[]ingest.Entry{{Tick: at}}, at, false},
		{[]ingest.Entry{delivery, delivery}, at, true},
		{[]ingest.Entry{{Tick: at + 500}}, at + 500, false},
	} {
		if err := sink.Put(t.Context(), 0, step.entries); err != nil {
			t.Fatal(err)
		}
		if err := sink.Flush(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		got, err := ticksOf(t.Context(), h.deliveryLog)
		if err != nil || got.highest != step.last || got.all != step.last || got.unticked != step.unticked {
			t.Errorf("step %d: last tick %s, unticked %v, %v; want %s and %v", i, got.highest, got.unticked, err, step.last, step.unticked)
		}
	}
}

// A history ends at the last tick before the clock of a partition is beyond its end. A
// lower one that an ingester whose clock is behind gives after that changes nothing:
// what lies between the two is of a later round.
func TestAHistoryEndsBeforeATickThatIsBeyondIt(t *testing.T) {
	h := newHeld(t)
	sink := kafka.NewTopicSink(h.Config, h.DeliveriesTopic(), func(e ingest.Entry) (int32, []byte, []byte) { return 0, nil, ingest.EncodeEntry(e) })
	defer sink.Close()
	const at = timeline.Millis(1_772_445_600_000)
	delivery := ingest.Entry{Delivery: &ingest.LoggedDelivery{Outcome: ingest.OutcomePing, Delivery: ingest.Delivery{Provider: "github", Received: at}}}
	entries := []ingest.Entry{{Tick: at}, delivery, {Tick: at + 9*timeline.Second}, delivery, {Tick: at + 4*timeline.Second}, delivery}
	put := func(more []ingest.Entry) {
		if err := sink.Put(t.Context(), 0, more); err != nil {
			t.Fatal(err)
		}
		if err := sink.Flush(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	check := func(end timeline.Millis, want int64) {
		t.Helper()
		offsets, err := historyOffsets(t.Context(), h.deliveryLog, streaming.RoundOf(end))
		if err != nil || offsets[0] != want {
			t.Errorf("a history up to %s ends at offset %d, %v; want %d", end, offsets[0], err, want)
		}
	}
	put(entries)
	check(at+4*timeline.Second, 1)
	check(at+9*timeline.Second, 3)
	// Also where the three lie further up than is looked at first.
	var many []ingest.Entry
	for range tailRecords - 2 {
		many = append(many, delivery)
	}
	put(many)
	check(at+4*timeline.Second, 1)
	put([]ingest.Entry{{Tick: at + timeline.Hour}})
	check(at+4*timeline.Second, 1)
	check(at+timeline.Hour, int64(len(entries)+len(many)+1))
}
