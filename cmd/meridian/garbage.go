package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A server lets about leanRoom of garbage grow, whatever lives: a state of 700 MB then
// takes 800 and not 1,400, and a small one is not collected all the time for the
// garbage of pages and webhooks. Most of a large state is bytes in which the engine's
// entities rest, and the collector has nothing to follow in them.
const (
	leanRoom            = 96 << 20
	leanLeast, leanMost = 10, 100 // percent of what lives
	leanFirst           = 25      // while a state is read, whose size nobody knows yet
	leanLook            = time.Second
	liveBytes           = "/gc/heap/live:bytes"
)

// keepLean sees to that until ctx ends, unless GOGC says how it is wanted. A history
// lets more grow while it runs, and puts it back.
func keepLean(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	usualGarbage(leanFirst)
	go func() {
		live := []metrics.Sample{{Name: liveBytes}}
		look := time.NewTicker(leanLook)
		defer look.Stop()
		for now := leanFirst; ; {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
			metrics.Read(live)
			if percent := leanFor(int64(live[0].Value.Uint64())); percent != now {
				usualGarbage(percent)
				now = percent
			}
		}
	}()
}

// leanFor is the percentage with which so much alive has leanRoom of garbage, in
// steps, so that it does not change all the time.
func leanFor(live int64) int {
	const step = 5
	if live <= 0 {
		return leanMost
	}
	return int(min(max(100*leanRoom/live/step*step, leanLeast), leanMost))
}

// usualGarbage sets how many percent garbage may be of what lives when no history runs.
func usualGarbage(percent int) {
	eased.Lock()
	defer eased.Unlock()
	if eased.before = percent; eased.histories == 0 {
		debug.SetGCPercent(percent)
	}
}
