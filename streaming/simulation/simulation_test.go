package simulation

import (
	"flag"
	"testing"
)

var (
	seeds = flag.Int("seeds", 300, "how many seeds to play")
	first = flag.Uint64("first", 1, "the first of them")
	only  = flag.Uint64("seed", 0, "play this seed alone")
	tell  = flag.Bool("tell", false, "print what happens, step by step")
)

// Whatever goes wrong, nothing is lost, nothing is counted twice, and every row
// of every round is the one that a straight run gives.
func TestSimulation(t *testing.T) {
	from, to := *first, *first+uint64(*seeds)
	if *only > 0 {
		from, to = *only, *only+1
	}
	happened := map[fault]int{}
	for seed := from; seed < to; seed++ {
		w := newWorld(seed)
		if *tell {
			w.say = t.Logf
		}
		if err := w.run(); err != nil {
			t.Fatalf("%v\nplay it again with:\n  go test ./streaming/simulation -run 'TestSimulation$' -seed %d -tell", err, seed)
		}
		for f, n := range w.happened {
			happened[f] += n
		}
	}
	// A fault that never came proves nothing. Some seeds are few enough to miss one.
	for f := none + 1; f < notMoved; f++ {
		if happened[f] == 0 && to-from >= 100 {
			t.Errorf("%q never came about in %d seeds", f, to-from)
		}
		if testing.Verbose() {
			t.Logf("%7d times %s", happened[f], f)
		}
	}
}
