package main

import (
	"testing"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// A tick that does not raise the clock closes nothing, so what came before it
// is still to be judged at the end.
func TestDeliveriesBehindTheLastTickAreCounted(t *testing.T) {
	d := defaultPins(catalog.Empty(catalog.Options{}))
	d.generation = 1
	p, err := newPipeline(d, false)
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(metrics.Row) {}
	at := timeline.Millis(1_772_445_600_000)
	p.feed(ingest.Entry{Tick: at}, nothing)
	p.feed(ingest.Entry{Delivery: &ingest.LoggedDelivery{Outcome: ingest.OutcomePing, Delivery: ingest.Delivery{Provider: "github", Received: at + 1}}}, nothing)
	p.feed(ingest.Entry{Tick: at - timeline.Minute}, nothing)
	if n := p.counts(); n.Deliveries != 1 || n.Ignored != 1 {
		t.Errorf("%d deliveries, %d ignored; want 1 and 1", n.Deliveries, n.Ignored)
	}
}
