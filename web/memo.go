package web

import (
	"sync"

	"meridian/metrics"
)

// memo keeps what was worked out for the newest clock, so that fifty open pages
// that refresh at one tick cost as much as one. Nothing outlives its clock, so
// nothing has to be invalidated.
type memo struct {
	mu      sync.Mutex
	as      metrics.AsOf
	answers map[string]*remembered
}

type remembered struct {
	mu    sync.Mutex
	value any // nil until somebody has succeeded
}

func (m *memo) at(as metrics.AsOf, key string) *remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	if as != m.as || m.answers == nil {
		m.as, m.answers = as, map[string]*remembered{}
	}
	r := m.answers[key]
	if r == nil {
		r = new(remembered)
		m.answers[key] = r
	}
	return r
}

// remember returns what work gives for a key as of a clock, and does the work
// once. Others wait for it; where it failed (its asker may have gone) the next
// one does it again. The value is shared: nobody may write to it.
func remember[T any](m *memo, as metrics.AsOf, key string, work func() (T, error)) (T, error) {
	r := m.at(as, key)
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.value.(T); ok {
		return v, nil
	}
	v, err := work()
	if err == nil {
		r.value = v
	}
	return v, err
}
