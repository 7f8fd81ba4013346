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
