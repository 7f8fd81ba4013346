package ingest

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"testing"
	"time"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// BenchmarkRoute is the route step over 30 days of a log of a million events:
// verdict, place, copies. Ten events are about one pull request, over some days
// among those of others, and every tenth event is a duplicate. One operation is
// one event. The event at hand is warm, as a decoder leaves it; what the route
// remembers is not.
func BenchmarkRoute(b *testing.B) {
	r := testRoute(b, nil)
	const total, perTick = 1_000_000, 4
	entities := make([]event.EntityID, total/10+1)
	for i := range entities {
		entities[i] = event.EntityID(fmt.Sprintf("github/repo/%d/pr/%d", i%200, i))
	}
	repositories := make([]string, 200)
	for i := range repositories {
		repositories[i] = fmt.Sprintf("acme/repo-%d", i)
	}
	events := []event.Event{{
		Source: event.GitHub, Kind: event.PullRequestUpdated, Created: instant0,
		Scope: event.Scope{Provider: "github"}, PullRequest: &event.PullRequest{},
	}}
	d := LoggedDelivery{Outcome: OutcomeAccepted, Events: events}
	entry := Entry{Delivery: &d}
	copies := 0
	emit := func(Copy) { copies++ }
	b.ReportAllocs()
	b.ResetTimer()
	clock, cpu := streaming.NoClock, cpuTime()
	for i := range b.N {
		n := i % total
		if n == 0 && i > 0 {
			b.StopTimer()
			r.reset()
			clock = streaming.NoClock
			b.StartTimer()
		}
		of := n
		if n%10 == 9 {
			of -= 5 // a copy
		}
		e := &events[0]
		binary.BigEndian.PutUint64(e.ID[:], uint64(of)*0x9e3779b97f4a7c15)
		pull := of/20_000*2_000 + of%2_000 // two thousand are open at a time
		e.Entity, e.Time = entities[pull], instant0+timeline.Millis(of)*2592
		e.Scope.Repository = repositories[pull%200]
		d.Delivery.Received = e.Time
		r.Apply(clock, streaming.Record[Entry]{Origin: streaming.Origin{Offset: int64(i)}, Value: entry}, emit)
		if n%perTick == perTick-1 {
			round := streaming.RoundOf(e.Time)
			if round.Clock() > clock {
				clock = round.Clock()
				r.Tick(clock, streaming.NewVersion(1, round), emit)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(b.N)/(cpuTime()-cpu).Seconds(), "events/cpu-s")
}

// cpuTime is what this process has used of all cores, the collector included: it
// can be compared where other processes are about, and time on the wall cannot.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkDuplicate asks for an id among a million.
func BenchmarkDuplicate(b *testing.B) {
	m := newMemory(92 * timeline.Day)
	ids := make([]event.ID, 1_000_000)
	for i := range ids {
		binary.BigEndian.PutUint64(ids[i][:], uint64(i)*0x9e3779b97f4a7c15)
		m.claim(ids[i], instant0+timeline.Millis(i)*2592, streaming.NoClock)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if _, fresh := m.claim(ids[i%len(ids)], instant0, instant0+30*timeline.Day); fresh {
			b.Fatal("forgotten")
		}
	}
}
