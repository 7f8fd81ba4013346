package jobs

import (
	"context"
	"maps"
	"strings"
	"sync"
)

// Memory is a Store that forgets: for tests, and to show what a Store is.
type Memory struct {
	mu       sync.Mutex
	values   map[string][]byte
	watchers map[*memoryWatch]bool
}

type memoryWatch struct {
	prefix string
	keys   chan string
}

// Put implements Store.
func (m *Memory) Put(_ context.Context, key string, value []byte) error {
	m.change(key, func() { m.values[key] = value })
	return nil
}

// Delete implements Store.
func (m *Memory) Delete(_ context.Context, key string) error {
	m.change(key, func() { delete(m.values, key) })
	return nil
}

func (m *Memory) change(key string, do func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[string][]byte{}
	}
	do()
	for w := range m.watchers {
		if strings.HasPrefix(key, w.prefix) {
			select {
			case w.keys <- key:
			default: // a watcher of a test that has not kept up would lose one: give it room
				panic("jobs.Memory: a watcher is too slow")
			}
		}
	}
}

// Get implements Store.
func (m *Memory) Get(key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	return v, ok
}

// All implements Store.
func (m *Memory) All(prefix string) map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := maps.Clone(m.values)
	maps.DeleteFunc(out, func(k string, _ []byte) bool { return !strings.HasPrefix(k, prefix) })
	return out
}

// Watch implements Store.
func (m *Memory) Watch(ctx context.Context, prefix string, changed func(string)) {
	w := &memoryWatch{prefix, make(chan string, 1<<16)}
	m.mu.Lock()
	if m.watchers == nil {
		m.watchers = map[*memoryWatch]bool{}
	}
	m.watchers[w] = true
	for key := range m.values {
		if strings.HasPrefix(key, prefix) {
			w.keys <- key
		}
	}
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		delete(m.watchers, w)
		m.mu.Unlock()
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case key := <-w.keys:
			changed(key)
		}
	}
}
