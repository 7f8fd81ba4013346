package main

import (
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Go has as many more threads as runs may keep busy, from the first turn until some
// time after the last.
func TestSpare(t *testing.T) {
	if os.Getenv("GOMAXPROCS") == "" {
		t.Setenv("GOMAXPROCS", "given") // so that what was is put back, and not the default
	}
	const before = 3
	var threads atomic.Int64 // not the process's: what earlier tests have begun may still be taken back
	threads.Store(before)
	set := func(n int) int {
		if n > 0 {
			return int(threads.Swap(int64(n)))
		}
		return int(threads.Load())
	}
	th := &throttle{procs: make(chan struct{}, 2), spare: &spare{threads: 2, set: set}}
	take := func() func() {
		t.Helper()
		done, err := th.turn(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if n := set(0); n != before+2 {
			t.Errorf("%d threads while a run works, want %d", n, before+2)
		}
		return done
	}
	one, two := take(), take()
	one()
	th.spare.takeBack() // the time of an earlier rest is over: nothing follows of it
	two()
	take()()
	th.spare.rest.Reset(0)
	for end := time.Now().Add(time.Minute); set(0) != before; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d threads when nobody works, want %d", set(0), before)
		}
	}
}
