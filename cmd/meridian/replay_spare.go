package main

import (
	"os"
	"runtime"
	"sync"
	"time"
)

// spare gives Go as many more threads to run goroutines on as runs may keep busy,
// while any of them does. Without them a run would have one of two: a webhook whose
// turn it is would wait until the run's goroutine rests or has had its 10 ms. With
// them there are as many for everything else as ever, and which threads get the
// processors is the kernel's to say, by their priority (stepBack).
type spare struct {
	threads int
	set     func(threads int) (before int) // nil: runtime.GOMAXPROCS; tests: what no other test changes

	mu      sync.Mutex
	working int
	before  int // GOMAXPROCS; 0: nothing is added
	rest    *time.Timer
}

// spareFor is how long they stay when nobody works: changing them stops the world.
const spareFor = 2 * time.Second

func (s *spare) begin() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working++; s.before == 0 {
		s.before = s.gomaxprocs(0)
		s.gomaxprocs(s.before + s.threads)
	}
	if s.rest != nil {
		s.rest.Stop()
		s.rest = nil
	}
}

func (s *spare) end() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working--; s.working == 0 {
		s.rest = time.AfterFunc(spareFor, s.takeBack)
	}
}

func (s *spare) takeBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working > 0 || s.before == 0 {
		return
	}
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.SetDefaultGOMAXPROCS() // which goes on following what a container is allowed
	} else {
		s.gomaxprocs(s.before)
	}
	s.before = 0
}

func (s *spare) gomaxprocs(threads int) (before int) {
	if s.set != nil {
		return s.set(threads)
	}
	return runtime.GOMAXPROCS(threads)
}
