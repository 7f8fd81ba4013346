package catalog

import "sync"

// memoMax bounds a memo, so that nobody who sends names can fill the memory.
const memoMax = 1 << 16

// memo remembers what a pure function gave: for repositories, accounts,
// environments, of which there are few. When it is full it forgets all, which
// costs some computing and can change no answer. The zero memo is ready.
type memo[K comparable, V any] struct {
	mu    sync.RWMutex
	known map[K]V
}

func (m *memo[K, V]) get(key K, compute func(K) V) V {
	m.mu.RLock()
	v, ok := m.known[key]
	m.mu.RUnlock()
	if ok {
		return v
	}
	v = compute(key) // perhaps by two at once, with one result
	m.mu.Lock()
	if m.known == nil || len(m.known) >= memoMax {
		m.known = make(map[K]V)
	}
	m.known[key] = v
	m.mu.Unlock()
	return v
}
