package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// When ticks come.
const (
	tickDelay     = 500 * time.Millisecond // after the first delivery that no tick has followed
	tickPause     = time.Second            // between any two, given or not
	tickQuiet     = time.Minute            // without deliveries
	tickIdle      = 5 * time.Minute        // after ten minutes without
	tickIdleAfter = 10 * time.Minute
	tickTimeout   = 4 * time.Second
)

// Partitions is where ticks go.
type Partitions interface {
	// AppendTick returns nil when the tick is durable at the end of a partition of
	// deliveries, behind everything appended to it before the call. It returns an
	// error soon after ctx is done at the latest; the tick may land all the same.
	// Safe for concurrent use.
	AppendTick(ctx context.Context, partition int32, tick timeline.Millis) error
}

// TickerConfig is what a ticker needs.
type TickerConfig struct {
	Partitions int32 // of deliveries: each gets every tick
	Appender   Partitions

	// Last is the highest tick on the log, [streaming.NoClock] when there is none.
	Last streaming.Clock

	// Unticked says that deliveries are on the log behind its last tick, as a
	// stop or a crash leaves them: they wait for the next one.
	Unticked bool

	// Wall is the wall clock; nil: time.Now.
	Wall func() time.Time
}

// Ticker moves time: it appends ticks to every partition of deliveries, soon
// after deliveries and now and then without. No event can do that, so a wrong
// clock of this machine is the one thing that could spoil the log; when there is
// reason to doubt it, no tick is given and Health says why.
type Ticker struct {
	config TickerConfig
	wake   chan struct{}
	giving chan struct{} // holds one while a tick is appended; Hold waits for it

	mu       sync.Mutex
	start    time.Time // with its monotonic reading: all durations count from it
	holds    int
	guard    guard
	first    time.Duration // of the deliveries that no tick has followed; only when unticked
	unticked bool
	latest   time.Duration // delivery
	given    time.Duration // the last tick, or the start
	retry    time.Duration // not before: the pause, or a failure
	failed   error         // of the last attempt to append
}

// NewTicker returns a ticker; Run starts it.
func NewTicker(c TickerConfig) (*Ticker, error) {
	if c.Partitions < 1 || c.Appender == nil {
		return nil, errors.New("ticker: it needs at least one partition and somewhere to append to")
	}
	if c.Wall == nil {
		c.Wall = time.Now
	}
	t := &Ticker{config: c, wake: make(chan struct{}, 1), giving: make(chan struct{}, 1), start: time.Now(), unticked: c.Unticked}
	t.guard = newGuard(c.Last, t.now())
	return t, nil
}

// moment is one instant by both clocks.
type moment struct {
	wall timeline.Millis
	mono time.Duration
}

func (t *Ticker) now() moment {
	return moment{timeline.FromTime(t.config.Wall()), time.Since(t.start)}
}

// Run gives ticks until ctx is done, which is no error.
func (t *Ticker) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.wake:
		case <-timer.C:
		}
		wait := t.wait()
		if wait <= 0 {
			t.tick(ctx)
			wait = t.wait()
		}
		timer.Reset(max(wait, 0))
	}
}

// wait is how long it is until the next tick; it is asked again after a wake.
func (t *Ticker) wait() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Since(t.start)
	if t.holds > 0 {
		return tickQuiet
	}
	due := t.given + tickQuiet
	if due-t.latest > tickIdleAfter {
		due = t.given + tickIdle
	}
	if t.unticked {
		due = t.first + tickDelay
	}
	return max(due, t.retry) - now
}

// Delivered tells of a delivery that is durable. It does not block.
func (t *Ticker) Delivered(d *LoggedDelivery) {
	t.mu.Lock()
	now := t.now()
	t.latest = now.mono
	if !t.unticked {
		t.unticked, t.first = true, now.mono
	}
	t.guard.delivered(d, now)
	t.mu.Unlock()
	t.nudge()
}

func (t *Ticker) nudge() {
	select {
	case t.wake <- struct{}{}:
	default: // one is on its way
	}
}

// tick gives one tick, unless the clock is in doubt.
func (t *Ticker) tick(ctx context.Context) {
	t.giving <- struct{}{}
	defer func() { <-t.giving }()

	t.mu.Lock()
	now := t.now()
	held := t.holds > 0
	ok := t.guard.check(now)
	if held || !ok {
		t.retry = now.mono + tickPause
		t.mu.Unlock()
		return
	}
	tick := streaming.RoundOf(now.wall).Clock()
	due, first := t.unticked, t.first
	t.unticked = false // what comes from here on needs another one
	t.mu.Unlock()

	err := t.appendAll(ctx, tick)

	t.mu.Lock()
	defer t.mu.Unlock()
	t.given, t.retry, t.failed = now.mono, now.mono+tickPause, err
	if err == nil {
		t.guard.ticked(tick, now)
	} else if due {
		t.unticked, t.first = true, first
	}
}

func (t *Ticker) appendAll(ctx context.Context, tick timeline.Millis) error {
	ctx, cancel := context.WithTimeout(ctx, tickTimeout)
	defer cancel()
	var group errgroup.Group
	for p := range t.config.Partitions {
		group.Go(func() error {
			if err := t.config.Appender.AppendTick(ctx, p, tick); err != nil {
				return fmt.Errorf("partition %d: %w", p, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// Hold stops the ticks while an import appends its own; it returns when none is
// on its way. release lets them go on, behind the highest tick that was imported
// ([streaming.NoClock]: none).
func (t *Ticker) Hold() (release func(last streaming.Clock)) {
	t.giving <- struct{}{}
	defer func() { <-t.giving }()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holds++
	var once sync.Once
	return func(last streaming.Clock) {
		once.Do(func() {
			t.mu.Lock()
			t.holds--
			t.guard.last = max(t.guard.last, last)
			t.mu.Unlock()
			t.nudge()
		})
	}
}

// Heard tells of a tick that another ingester of the instance has given. A clock that
// is behind it by more than a moment gives none itself: they would move nothing, and
// nobody would know that one of the two is wrong.
func (t *Ticker) Heard(tick streaming.Clock) {
	t.mu.Lock()
	t.guard.others = max(t.guard.others, tick)
	t.mu.Unlock()
}

// Trust says that the wall clock is right (`meridian clock trust`).
func (t *Ticker) Trust() {
	t.mu.Lock()
	t.guard.trust(t.now())
	t.retry = 0
	t.mu.Unlock()
	t.nudge()
}

// Last returns the highest tick known.
func (t *Ticker) Last() streaming.Clock {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.guard.last
}

// Health reports whether time moves, and in a sentence why not.
func (t *Ticker) Health() (ok bool, detail string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	doubt := t.guard
	switch ok := doubt.check(t.now()); {
	case t.holds > 0:
		return true, "no ticks are given while an import runs"
	case !ok:
		return false, doubt.doubt
	case t.failed != nil:
		return false, fmt.Sprintf("the last tick could not be appended: %v", t.failed)
	case t.guard.last == streaming.NoClock:
		return true, "no tick has been given yet"
	}
	return true, fmt.Sprintf("the last tick was at %s", t.guard.last)
}
