package main

import (
	"runtime/debug"
	"testing"
)

func TestGarbageFor(t *testing.T) {
	for _, c := range []struct {
		live, budget int64
		before, want int
	}{
		{0, 512, 100, 400},
		{100, 512, 100, 400},
		{200, 512, 100, 150}, // 156, in steps
		{400, 512, 100, 50},  // 28 would be room for
		{400, 512, 25, 25},
		{600, 512, 100, 50},
		{100, 512, 800, 400}, // 412 is all that there is room for
		{10, 512, 800, 800},
	} {
		if got := garbageFor(c.live, c.budget, c.before); got != c.want {
			t.Errorf("%d alive of %d, and %d before: %d percent, want %d", c.live, c.budget, c.before, got, c.want)
		}
	}
}

// Two at once, and what was is put back at the end of the last.
func TestTheCollectorIsPutBack(t *testing.T) {
	before := debug.SetGCPercent(150)
	defer debug.SetGCPercent(before)
	one, two := easeCollector(1<<40), easeCollector(1<<40)
	one()
	two()
	if now := debug.SetGCPercent(before); now != 150 {
		t.Errorf("%d percent, want 150", now)
	}
}
