package web

import (
	"context"
	"fmt"
	"sync"
	"time"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// renewed keeps what costs too much to be worked out at each clock, or while somebody
// waits: the organisation's windows, what a team's 30 days are made of. An answer serves
// until the next multiple of a length. After that it serves once more while the next
// one is worked out behind it, for as long as lags says behind the clock that the page
// names; an older one is waited for. Another generation, and rows that were rewritten,
// have answers of their own.
type renewed struct {
	length, lags timeline.Millis
	rewritten    func() int64 // how often rows that are over were changed; nil: nobody knows

	mu      sync.Mutex
	of      renewedOf
	answers map[string]*aging
	behind  chan struct{} // holds one while something is worked out that nobody waits for
}

// renewedOf is what all answers are about.
type renewedOf struct {
	as        metrics.AsOf // without its clock
	rewritten int64
}

// aging is one answer. All of it is guarded by renewed.mu.
type aging struct {
	value any // nil until there is one
	clock timeline.Millis
	next  *renewal // that is under way
}

// renewal is an answer that is being worked out.
type renewal struct {
	done  chan struct{}
	value any
	err   error
}

// renewalTime bounds what is worked out behind the pages.
const renewalTime = 30 * time.Second

func newRenewed(length, lags timeline.Millis, rewritten func() int64) *renewed {
	return &renewed{length: length, lags: lags, rewritten: rewritten, behind: make(chan struct{}, 1)}
}

// lately returns what work gave for a key, as of as or not long before. The work goes
// on when who asked first has gone. The value is shared: nobody may write to it.
func lately[T any](ctx context.Context, m *renewed, as metrics.AsOf, key string, work func(context.Context) (T, error)) (none T, err error) {
	m.mu.Lock()
	a := m.at(as, key)
	v, ok := a.value.(T)
	if ok && a.clock >= as.Clock-as.Clock%m.length {
		m.mu.Unlock()
		return v, nil
	}
	serves := ok && as.Clock-a.clock <= m.lags
	next := a.next
	if next == nil {
		next = &renewal{done: make(chan struct{})}
		a.next = next
		go m.renew(context.WithoutCancel(ctx), a, next, as.Clock, serves, func(ctx context.Context) (any, error) { return work(ctx) })
	}
	m.mu.Unlock()
	if serves {
		return v, nil
	}
	select {
	case <-next.done:
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
	if next.err != nil {
		return none, next.err
	}
	v, _ = next.value.(T)
	return v, nil
}

// at finds the answer to a question, and lets go of those that nobody asks for.
func (m *renewed) at(as metrics.AsOf, key string) *aging {
	of := renewedOf{as: as}
	of.as.Clock = 0
	if m.rewritten != nil {
		of.rewritten = m.rewritten()
	}
	if m.answers == nil || m.of != of {
		m.of, m.answers = of, map[string]*aging{}
	}
	a := m.answers[key]
	if a == nil {
		for key, old := range m.answers {
			if old.next == nil && as.Clock-old.clock > m.lags {
				delete(m.answers, key)
			}
		}
		a = new(aging)
		m.answers[key] = a
	}
	return a
}

// renew works an answer out. One at a time is worked out for nobody: pages that are
// waited for go before.
func (m *renewed) renew(ctx context.Context, a *aging, next *renewal, clock timeline.Millis, quietly bool, work func(context.Context) (any, error)) {
	if quietly {
		m.behind <- struct{}{}
		defer func() { <-m.behind }()
	}
	ctx, cancel := context.WithTimeout(ctx, renewalTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil { // no request of anybody's ends with it
			next.value, next.err = nil, fmt.Errorf("panic: %v", p)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if next.err == nil {
			a.value, a.clock = next.value, clock
		}
		a.next = nil
		close(next.done)
	}()
	next.value, next.err = work(ctx)
}
