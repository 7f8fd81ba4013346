package catalog

import (
	"maps"
	"sync"
	"sync/atomic"
)

// memoMax bounds a memo, so that nobody who sends names can fill the memory.
const memoMax = 1 << 16

// memo remembers what a pure function gave: for repositories, accounts,
// environments, of which there are few. When it is full it forgets all, which
// costs some computing and can change no answer. The zero memo is ready.
//
// Routes and engines ask it a dozen times for each event, from all cores, and what
// is asked is nearly always known: so what is known is read without a lock, in a map
// that nobody writes to. What is new goes into a second one, which holds all of the
// first, and takes its place when it has been asked for as often as copying it costs.
type memo[K comparable, V any] struct {
	known atomic.Pointer[map[K]V]

	mu    sync.Mutex
	fresh map[K]V // nil: nothing is new
	asked int     // how often fresh was asked since it was made
}

func (m *memo[K, V]) get(key K, compute func(K) V) V {
	if known := m.known.Load(); known != nil {
		if v, ok := (*known)[key]; ok {
			return v
		}
	}
	if v, ok := m.ask(key); ok {
		return v
	}
	v := compute(key) // perhaps by two at once, with one result
	m.add(key, v)
	return v
}

// ask looks among what is new.
func (m *memo[K, V]) ask(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.fresh[key]
	if m.asked++; m.fresh != nil && m.asked >= len(m.fresh) {
		fresh := m.fresh
		m.known.Store(&fresh)
		m.fresh, m.asked = nil, 0
	}
	return v, ok
}

func (m *memo[K, V]) add(key K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fresh == nil {
		m.asked = 0
		known := m.known.Load()
		switch {
		case known == nil:
			m.fresh = map[K]V{}
		case len(*known) >= memoMax:
			m.known.Store(nil)
			m.fresh = map[K]V{}
		default:
			m.fresh = maps.Clone(*known)
		}
	}
	if len(m.fresh) >= memoMax {
		m.fresh = map[K]V{}
	}
	m.fresh[key] = v
}
