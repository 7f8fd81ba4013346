package instance

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"meridian/e2e/senders"
)

// Traffic sends deliveries over and over until each was acknowledged, as senders that insist do.
type Traffic struct {
	allowed chan senders.Received
	answers chan struct{} // one for each that was taken

	mu       sync.Mutex
	in       *Instance
	left     []senders.Received
	taken    []senders.Received // with the times of their answers
	last     time.Time
	failures int
}

// NewTraffic holds everything back until Allow.
func NewTraffic(in *Instance, all []senders.Received) *Traffic {
	return &Traffic{in: in, left: all, allowed: make(chan senders.Received, len(all)), answers: make(chan struct{}, len(all))}
}

// Serve sends what comes to another instance. Until then requests go to the old one, and fail.
func (t *Traffic) Serve(in *Instance) *Instance {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.in = in
	return in
}

// Allow lets the next n deliveries go.
func (t *Traffic) Allow(n int) {
	n = min(n, len(t.left))
	for _, r := range t.left[:n] {
		t.allowed <- r
	}
	t.left = t.left[n:]
	if n > 0 && len(t.left) == 0 {
		close(t.allowed)
	}
}

// Await returns when n more deliveries were taken.
func (t *Traffic) Await(n int) {
	for range n {
		<-t.answers
	}
}

// Run sends over several connections; the channel is closed when all was taken.
func (t *Traffic) Run(workers int) <-chan struct{} {
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for r := range t.allowed {
				t.insist(r)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	return done
}

func (t *Traffic) insist(r senders.Received) {
	_ = Poll(time.Hour, func() error {
		t.mu.Lock()
		in := t.in
		t.mu.Unlock()
		a, err := in.Send(r.Delivery)
		t.mu.Lock()
		defer t.mu.Unlock()
		if err == nil && a.Status == http.StatusAccepted {
			t.last = time.Now()
			r.At = t.last
			t.taken = append(t.taken, r)
			t.answers <- struct{}{}
			return nil
		}
		t.failures++
		if err == nil {
			err = fmt.Errorf("%d: %s", a.Status, strings.TrimSpace(string(a.Body)))
		}
		return err
	})
}

// Taken is what was acknowledged, in order, with the times of the answers.
func (t *Traffic) Taken() []senders.Received {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken
}

// Last is when the last one was acknowledged.
func (t *Traffic) Last() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// Failures counts the requests that got no answer, or another than 202.
func (t *Traffic) Failures() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failures
}

// Compare wants the instance to show, of every window that was over when the traffic began, what `replay` makes of the
// deliveries that were acknowledged: values, and what was left out. Their versions differ, and which of them came late.
func (t *Traffic) Compare(tb testing.TB, dir string, began time.Time) {
	tb.Helper()
	// The instance had ticked before all but the first deliveries, so what is too late for it has to be too late here. An
	// archive that is shorter than half a minute would else have no tick before its last delivery.
	text := senders.Tick(began) + senders.Archive(t.Taken(), false) + senders.Tick(t.Last().Add(time.Second))
	archive := Write(tb, dir, "taken.jsonl", text)
	catalog := Write(tb, dir, "taken.catalog.yaml", senders.Catalog)
	printed, err := ParsePoints(Must(tb, "replay", "--input", archive, "--catalog", catalog, "--print", "--final"))
	if err != nil {
		tb.Fatal(err)
	}
	// A row that holds nothing any more tells in which order its facts came, which retries have changed.
	over := func(p Point) bool {
		return p.End < began.UTC().Format(time.RFC3339) && (p.N > 0 || len(p.Excluded)+len(p.Ignored) > 0)
	}
	want := map[string]Point{}
	for _, p := range printed {
		if over(p) {
			want[p.Key()] = p
		}
	}
	if len(want) < 100 {
		tb.Fatalf("only %d points to compare", len(want))
	}
	t.in.Compare(tb, want, over, func(p Point) string {
		return fmt.Sprintf("%s n=%d value=%s excluded=%v ignored=%v", p.Key(), p.N, p.Number(), p.Excluded, p.Ignored)
	})
}
