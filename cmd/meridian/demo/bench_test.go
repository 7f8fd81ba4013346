package demo

import "testing"

// Ninety days are to take at most two seconds.
func BenchmarkHistory(b *testing.B) {
	o := New(1, instant(b, "2026-03-02T09:30:00Z"))
	deliveries := 0
	for b.Loop() {
		for range o.History() {
			deliveries++
		}
	}
	b.ReportMetric(float64(deliveries)/float64(b.N), "deliveries")
}

func BenchmarkLive(b *testing.B) {
	o := New(1, instant(b, "2026-03-02T09:30:00Z"))
	traffic, at := o.Live(o.now), o.now
	for b.Loop() {
		traffic.Next(at)
		at += 500
	}
}
