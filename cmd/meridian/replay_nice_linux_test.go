package main

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
)

func niceHere(t *testing.T) int {
	t.Helper()
	n, err := niceOf(syscall.Gettid())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A goroutine of a history keeps a thread of lower priority, and no other goroutine
// ever has it, or one that was begun from it.
func TestStepBack(t *testing.T) {
	usual, err := usualNice()
	if err != nil {
		t.Fatal(err)
	}
	if usual >= leastPriority {
		t.Skip("the tests have the lowest priority that there is")
	}
	var mu sync.Mutex
	var seen []int
	look := func() {
		n := niceHere(t)
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, n)
	}
	var begun sync.WaitGroup
	var lowered sync.WaitGroup
	for range 4 {
		lowered.Go(func() {
			th := &throttle{}
			for range 3 {
				done, err := th.lowered(context.Background(), 0)
				if err != nil {
					t.Error(err)
					return
				}
				if n := niceHere(t); n != min(usual+niceBeside, leastPriority) {
					t.Errorf("a history's thread has nice value %d, others %d", n, usual)
				}
				for range 10 {
					begun.Go(look)
				}
				done()
				runtime.Gosched()
			}
		})
	}
	lowered.Wait()
	begun.Wait()
	for range 50 { // threads of goroutines that have ended are gone
		begun.Go(func() { runtime.Gosched(); look() })
	}
	begun.Wait()
	if i := slices.IndexFunc(seen, func(n int) bool { return n != usual }); i >= 0 || len(seen) != 170 {
		t.Errorf("of %d other goroutines one ran on a thread of nice value %d, want %d", len(seen), seen[max(i, 0)], usual)
	}
}
