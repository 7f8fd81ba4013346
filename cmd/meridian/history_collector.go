package main

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// While a history runs, nearly everything that is allocated is garbage a moment
// later, and what lives grows all the time. With Go's own setting the collector
// took a fifth of the CPU; so garbage may grow as far as the memory allows that a
// history is given. Where that becomes short, most of what lives is state that rests
// in bytes, which the collector need not look into, and less garbage is cheap.

// Between these lies how many percent of what lives garbage may become: above there
// is next to nothing to win, and below the collector would do little else.
const leastGarbage, mostGarbage = 50, 400

var eased struct {
	sync.Mutex
	histories int
	before    int // percent
}

// easeCollector lets garbage grow until the heap has budget bytes. What it returns
// puts back what was.
func easeCollector(budget int64) (restore func()) {
	eased.Lock()
	defer eased.Unlock()
	if eased.histories++; eased.histories == 1 {
		eased.before = debug.SetGCPercent(100)
		debug.SetGCPercent(eased.before)
	}
	before := eased.before
	if before < 0 {
		return leaveCollector // somebody has turned it off
	}
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		live := []metrics.Sample{{Name: liveBytes}}
		now := 0
		look := time.NewTicker(100 * time.Millisecond)
		defer look.Stop()
		for {
			metrics.Read(live)
			if percent := garbageFor(int64(live[0].Value.Uint64()), budget, before); percent != now {
				debug.SetGCPercent(percent)
				now = percent
			}
			select {
			case <-over:
				return
			case <-look.C:
			}
		}
	})
	return func() {
		close(over)
		done.Wait()
		leaveCollector()
	}
}

// garbageFor is the percentage for which a heap with that much alive has no more
// than budget bytes, in steps, so that it does not change all the time. Whoever has
// set less or more than is usual is taken at their word.
func garbageFor(live, budget int64, before int) int {
	const step = 25
	percent := int64(mostGarbage)
	if live > 0 {
		percent = 100 * max(0, budget-live) / live / step * step
	}
	return int(min(max(percent, min(leastGarbage, int64(before))), max(mostGarbage, int64(before))))
}

func leaveCollector() {
	eased.Lock()
	defer eased.Unlock()
	if eased.histories--; eased.histories == 0 {
		debug.SetGCPercent(eased.before)
	}
}
