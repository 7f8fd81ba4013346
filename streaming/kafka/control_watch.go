package kafka

import (
	"context"
	"slices"
	"sync"
)

// watcher holds what its reader has not taken yet: the last entry of each key,
// so that a slow reader costs no more memory than the keys.
type watcher struct {
	prefix string

	mu      sync.Mutex
	pending map[string]ControlEntry
	wake    chan struct{}
	closed  bool
}

func (w *watcher) add(e ControlEntry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending[e.Key] = e
	w.notify()
}

func (w *watcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.notify()
}

func (w *watcher) notify() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *watcher) take() (entries []ControlEntry, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.pending {
		entries = append(entries, e)
	}
	clear(w.pending)
	slices.SortFunc(entries, func(a, b ControlEntry) int { return int(a.Offset - b.Offset) })
	return entries, w.closed
}

// Watch calls f with the entries whose key begins with prefix: first those
// that are there, then each change, in the order of the topic, until ctx ends
// or the store is closed. Changes of one key that come while f is running
// arrive as the last of them.
func (s *Control) Watch(ctx context.Context, prefix string, f func(ControlEntry)) {
	w := &watcher{prefix: prefix, pending: map[string]ControlEntry{}, wake: make(chan struct{}, 1)}
	s.mu.Lock()
	for _, e := range s.all(prefix) {
		w.add(e)
	}
	s.watchers[w] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.watchers, w)
		s.mu.Unlock()
	}()
	for {
		entries, closed := w.take()
		for _, e := range entries {
			if ctx.Err() != nil {
				return
			}
			f(e)
		}
		if closed {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
	}
}
