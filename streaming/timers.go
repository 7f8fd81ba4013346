package streaming

import (
	"math"
	"slices"

	"meridian/streaming/timeline"
)

// Never is a time that no clock reaches.
const Never timeline.Millis = math.MaxInt64

// Timers are what a program wants to be reminded of in event time. They fire
// in the order of their time, then of their key, also those that are set while
// others fire. So a replay, in which one tick lets hours pass, fires in the
// order of the live run, in which each minute had its own.
//
// A time and a key are one timer, however often it is set. There is no way to
// take one back: whoever no longer wants it ignores it when it fires, or says so
// to [Timers.Prune].
//
// Keys of one time lie in a heap of their own kind: an unsorted list, which is
// sorted once, when its time has come. Setting a timer is an append; many
// timers share a time, since windows end on the hour.
type Timers[K any] struct {
	compare func(a, b K) int
	times   []timeline.Millis // a heap
	due     map[timeline.Millis]*timersOf[K]
	free    []*timersOf[K]
}

// timersOf are the keys of one time.
type timersOf[K any] struct {
	keys   []K
	sorted bool // descending, so that the first is at the end
}

// Timer is one of Timers as it is saved.
type Timer[K any] struct {
	_   struct{} `cbor:",toarray"`
	Due timeline.Millis
	Key K
}

// NewTimers returns an empty set of timers whose keys have this order. Keys
// that compare as equal are one key.
func NewTimers[K any](compare func(a, b K) int) *Timers[K] {
	return &Timers[K]{compare: compare, due: map[timeline.Millis]*timersOf[K]{}}
}

// Set adds a timer.
func (t *Timers[K]) Set(due timeline.Millis, key K) {
	of := t.due[due]
	if of == nil {
		if n := len(t.free); n > 0 {
			of, t.free = t.free[n-1], t.free[:n-1]
		} else {
			of = new(timersOf[K])
		}
		of.sorted = true
		t.due[due] = of
		t.push(due)
	}
	if !of.sorted || len(of.keys) == 0 {
		of.keys = append(of.keys, key)
		return
	}
	// While a time's timers fire, or where keys happen to come in order.
	i, found := slices.BinarySearchFunc(of.keys, key, func(a, b K) int { return t.compare(b, a) })
	switch {
	case found:
	case i == len(of.keys) || len(of.keys)-i <= 8:
		of.keys = slices.Insert(of.keys, i, key)
	default:
		of.keys, of.sorted = append(of.keys, key), false
	}
}

// Next returns when the first timer fires, or Never.
func (t *Timers[K]) Next() timeline.Millis {
	if len(t.times) == 0 {
		return Never
	}
	return t.times[0]
}

// Fire takes out the timers that are due at a clock, and calls fire for each of
// them in order of time and key. fire may set timers: those that are due as well
// take their place in the order; one whose time is before that of the timer that
// sets it is the next.
func (t *Timers[K]) Fire(c Clock, fire func(due timeline.Millis, key K)) {
	for len(t.times) > 0 && t.times[0] <= c {
		due := t.times[0]
		of := t.due[due]
		t.sort(of)
		last := len(of.keys) - 1
		key := of.keys[last]
		clear(of.keys[last:]) // it may point to something
		of.keys = of.keys[:last]
		if last == 0 {
			t.drop()
		}
		fire(due, key)
	}
}

// Prune drops timers that are not alive from the beginning, until the first
// time holds one that is. So Next says when something will really happen; it
// costs what it drops.
func (t *Timers[K]) Prune(alive func(K) bool) {
	for len(t.times) > 0 {
		of := t.due[t.times[0]]
		for n := len(of.keys); n > 0; n = len(of.keys) {
			if alive(of.keys[n-1]) {
				return
			}
			clear(of.keys[n-1:])
			of.keys = of.keys[:n-1]
		}
		t.drop()
	}
}

// Len returns how many timers are set; one that was set twice may count twice.
func (t *Timers[K]) Len() (n int) {
	for _, of := range t.due {
		n += len(of.keys)
	}
	return n
}

// Save returns all timers in the order in which they will fire, each once: equal
// sets give equal lists.
func (t *Timers[K]) Save() []Timer[K] {
	var out []Timer[K]
	times := slices.Clone(t.times)
	slices.Sort(times)
	for _, due := range times {
		of := t.due[due]
		t.sort(of)
		for i := len(of.keys) - 1; i >= 0; i-- {
			out = append(out, Timer[K]{Due: due, Key: of.keys[i]})
		}
	}
	return out
}

// Load replaces all timers by those that Save returned.
func (t *Timers[K]) Load(timers []Timer[K]) {
	t.times, t.due = nil, map[timeline.Millis]*timersOf[K]{}
	for _, timer := range timers {
		t.Set(timer.Due, timer.Key)
	}
}

func (t *Timers[K]) sort(of *timersOf[K]) {
	if of.sorted {
		return
	}
	slices.SortFunc(of.keys, func(a, b K) int { return t.compare(b, a) })
	n := len(of.keys)
	of.keys = slices.CompactFunc(of.keys, func(a, b K) bool { return t.compare(a, b) == 0 })
	clear(of.keys[len(of.keys):n])
	of.sorted = true
}

// drop takes out the first time, which has no keys left.
func (t *Timers[K]) drop() {
	due := t.pop()
	of := t.due[due]
	delete(t.due, due)
	if len(t.free) < 8 && cap(of.keys) <= 1<<12 {
		t.free = append(t.free, of)
	}
}

func (t *Timers[K]) push(due timeline.Millis) {
	h := append(t.times, due)
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if h[parent] <= h[i] {
			break
		}
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
	t.times = h
}

func (t *Timers[K]) pop() timeline.Millis {
	h := t.times
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child] < h[least] {
				least = child
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	t.times = h
	return first
}
