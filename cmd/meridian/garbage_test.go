package main

import (
	"context"
	"runtime/debug"
	"testing"
)

func TestLeanFor(t *testing.T) {
	for live, want := range map[int64]int{0: 100, 20 << 20: 100, 96 << 20: 100, 200 << 20: 45, 400 << 20: 20, 700 << 20: 10, 4 << 30: 10} {
		if got := leanFor(live); got != want {
			t.Errorf("%d MiB alive: %d percent, want %d", live>>20, got, want)
		}
	}
}

func TestKeepLeanLeavesGOGCAlone(t *testing.T) {
	before := debug.SetGCPercent(120)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "200")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	keepLean(ctx)
	if now := debug.SetGCPercent(120); now != 120 {
		t.Errorf("with GOGC it sets %d percent", now)
	}
	t.Setenv("GOGC", "")
	keepLean(ctx)
	if now := debug.SetGCPercent(120); now != leanFirst {
		t.Errorf("without it sets %d percent, want %d", now, leanFirst)
	}
}

// What is usual changes while a history runs, and holds when it is over.
func TestUsualGarbage_BesideAHistory(t *testing.T) {
	before := debug.SetGCPercent(150)
	defer debug.SetGCPercent(before)
	over := easeCollector(1 << 40)
	usualGarbage(35)
	over()
	if now := debug.SetGCPercent(before); now != 35 {
		t.Errorf("%d percent behind a history, want 35", now)
	}
}
