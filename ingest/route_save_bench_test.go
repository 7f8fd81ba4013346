package ingest

import (
	"fmt"
	"testing"
	"time"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// BenchmarkRouteSnapshot is the pause of one snapshot after a quiet minute, five
// facts and a tick, at the state of a million events of 100,000 pull requests over
// 30 days, and the share of the state that has other bytes than before. Restoring
// it is timed once.
func BenchmarkRouteSnapshot(b *testing.B) {
	r := testRoute(b, nil)
	d := LoggedDelivery{Outcome: OutcomeAccepted, Events: make([]event.Event, 1)}
	n, clock := 0, streaming.NoClock
	fact := func() {
		d.Events[0] = event.Event{
			ID: event.NewID("snapshot", fmt.Sprint(n)), Source: event.GitHub, Kind: event.PullRequestUpdated, Time: instant0 + timeline.Millis(n)*2592,
			Entity: event.EntityID(fmt.Sprintf("github/repo/%d/pr/%d", n%200, n/20_000*2_000+n%2_000)), Scope: event.Scope{Repository: "acme/web"}, PullRequest: &event.PullRequest{},
		}
		d.Delivery.Received = d.Events[0].Time
		r.Apply(clock, streaming.Record[Entry]{Origin: streaming.Origin{Offset: int64(n)}, Value: Entry{Delivery: &d}}, func(Copy) {})
		n++
	}
	for range 1_000_000 {
		fact()
	}
	var capturer streaming.Capturer
	m, chunks := capturer.Capture("route-1-0", 1, r.Save)
	size := 0
	for _, c := range chunks {
		size += len(c)
	}

	start := time.Now()
	again := testRoute(b, nil)
	if err := again.Load(func(name string) ([]byte, error) {
		s, ok := m.Section(name)
		if !ok {
			return nil, nil
		}
		var data []byte
		for _, h := range s.Chunks {
			data = append(data, chunks[h]...)
		}
		return data, nil
	}); err != nil {
		b.Fatal(err)
	}
	restored := time.Since(start)

	known := chunks
	written, seq := 0, uint64(1)
	for b.Loop() {
		b.StopTimer()
		for range 5 {
			fact()
		}
		clock = streaming.RoundOf(d.Events[0].Time).Clock()
		r.Tick(clock, streaming.NewVersion(1, streaming.RoundOf(clock)), func(Copy) {})
		b.StartTimer()
		seq++
		_, now := capturer.Capture("route-1-0", seq, r.Save)
		b.StopTimer()
		for h, c := range now {
			if _, ok := known[h]; !ok {
				written += len(c)
			}
		}
		known = now
		b.StartTimer()
	}
	b.ReportMetric(float64(written)/float64(b.N)/float64(size), "share-written")
	b.ReportMetric(float64(size), "state-B")
	b.ReportMetric(restored.Seconds(), "restore-s")
}
