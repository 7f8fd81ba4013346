package backfill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	attempts      = 8                // of one request, before a job fails with its error
	firstBackoff  = time.Second      // after a failure that says nothing; doubled each time
	longBackoff   = 2 * time.Minute  // and never longer
	secondaryWait = time.Minute      // GitHub's advice where a secondary limit names no time
	longestWait   = 70 * time.Minute // a primary limit lasts an hour; a longer one is a mistake of the other side
	resetMargin   = time.Second      // their second is not quite ours
	peekLimit     = 64 << 10         // of a refusal's body
)

// Transport sends requests one at a time and waits as the API asks for: for
// Retry-After, for the reset of a primary limit, longer and longer after a
// secondary one, and a little after a server's failure or a broken connection. Its
// callers see answers and lasting errors only. Safe for concurrent use.
type Transport struct {
	Base  http.RoundTripper // nil: http.DefaultTransport
	Clock Clock             // nil: the machine's

	// Reserve is how much of a primary limit is left to others who use the same
	// token; the rest waits for the next period.
	Reserve int

	mu        sync.Mutex
	budget    Budget
	notBefore time.Time
	one       chan struct{}
	once      sync.Once
}

// Budget is what the API has said of its limits.
type Budget struct {
	Requests  int64     // sent, with those that were sent again
	Limit     int       // of a period; 0: the API has told of none
	Remaining int       // of Limit
	Reset     time.Time // when Limit is there again
	Waiting   time.Time // until when nothing is sent; zero: not waiting
	Why       string    // of Waiting
}

// String says it in a few words; "" where the API has told of no limit.
func (b Budget) String() string {
	switch {
	case !b.Waiting.IsZero():
		return fmt.Sprintf("%s, going on at %s", b.Why, b.Waiting.UTC().Format("15:04:05Z"))
	case b.Limit == 0:
		return ""
	}
	return fmt.Sprintf("budget %d of %d until %s", b.Remaining, b.Limit, b.Reset.UTC().Format("15:04Z"))
}

// Budget returns what is known of the limits now.
func (t *Transport) Budget() Budget {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.budget
}

func (t *Transport) clock() Clock {
	if t.Clock == nil {
		return WallClock{}
	}
	return t.Clock
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.once.Do(func() { t.one = make(chan struct{}, 1) })
	select { // one at a time: requests at once are what secondary limits count
	case t.one <- struct{}{}:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	defer func() { <-t.one }()
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	for attempt := 1; ; attempt++ {
		if err := t.turn(r.Context()); err != nil {
			return nil, err
		}
		again, err := repeat(r, attempt)
		if err != nil {
			return nil, err
		}
		res, err := base.RoundTrip(again)
		if err == nil && r.Method == http.MethodGet && res.StatusCode == http.StatusOK {
			err = whole(res) // a connection may end within an answer too
			if err != nil {
				res = nil
			}
		}
		wait, why := t.judge(r, res, err, attempt)
		if why == "" || attempt == attempts {
			return res, err
		}
		if res != nil {
			res.Body.Close()
		}
		if err := t.wait(r.Context(), wait, why); err != nil {
			return nil, err
		}
	}
}

// whole reads an answer to its end and lets it be read from memory: a page is a
// megabyte at most.
func whole(res *http.Response) error {
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	res.Body = io.NopCloser(bytes.NewReader(body))
	return err
}

// repeat returns r for another attempt: its body has been read.
func repeat(r *http.Request, attempt int) (*http.Request, error) {
	if attempt == 1 || r.Body == nil || r.Body == http.NoBody {
		return r, nil
	}
	if r.GetBody == nil {
		return nil, errors.New("the request cannot be sent again: its body has been read")
	}
	again := r.Clone(r.Context())
	body, err := r.GetBody()
	again.Body = body
	return again, err
}

// turn waits until a request may be sent.
func (t *Transport) turn(ctx context.Context) error {
	t.mu.Lock()
	until := t.notBefore
	t.budget.Requests++
	t.mu.Unlock()
	if d := until.Sub(t.clock().Now()); d > 0 {
		return t.wait(ctx, d, "the API's budget is used up")
	}
	return ctx.Err()
}

func (t *Transport) wait(ctx context.Context, d time.Duration, why string) error {
	t.mu.Lock()
	t.budget.Waiting, t.budget.Why = t.clock().Now().Add(d), why
	t.mu.Unlock()
	err := t.clock().Sleep(ctx, d)
	t.mu.Lock()
	t.budget.Waiting, t.budget.Why = time.Time{}, ""
	t.mu.Unlock()
	return err
}

// judge says for how long to wait before the request is sent again, and why; no
// reason means that the answer stands. The body of an answer that stands can be
// read in full.
func (t *Transport) judge(r *http.Request, res *http.Response, err error, attempt int) (wait time.Duration, why string) {
	backoff := min(firstBackoff<<(attempt-1), longBackoff)
	if err != nil {
		if r.Context().Err() != nil || !repeatable(r) {
			return 0, "" // another method may have done its work
		}
		return backoff, "the connection failed"
	}
	limits := readLimits(res, t.clock().Now())
	t.note(limits)
	switch {
	case res.StatusCode == http.StatusForbidden || res.StatusCode == http.StatusTooManyRequests:
		switch {
		case limits.retryAfter > 0:
			return min(limits.retryAfter, longestWait), "the API asks to wait"
		case limits.known && limits.remaining == 0:
			return min(max(limits.reset, 0)+resetMargin, longestWait), "the API's budget is used up"
		case res.StatusCode == http.StatusTooManyRequests || secondary(res):
			return min(secondaryWait<<(attempt-1), longestWait), "the API asks to slow down"
		}
	case res.StatusCode >= 500 && repeatable(r) && res.StatusCode != http.StatusNotImplemented:
		if limits.retryAfter > 0 {
			backoff = min(limits.retryAfter, longestWait)
		}
		return backoff, fmt.Sprintf("the API answered %d", res.StatusCode)
	}
	// go-github would go by these with the machine's clock, and refuse what has
	// been waited for.
	if limits.known && limits.remaining == 0 {
		res.Header.Del("X-RateLimit-Remaining")
		res.Header.Del("X-RateLimit-Reset")
	}
	return 0, ""
}

type repeatableKey struct{}

// Repeatable marks requests whose method may do something, and which are harmless
// to send twice all the same: that for a token, or for a number of issues.
func Repeatable(ctx context.Context) context.Context {
	return context.WithValue(ctx, repeatableKey{}, true)
}

func repeatable(r *http.Request) bool {
	marked, _ := r.Context().Value(repeatableKey{}).(bool)
	return marked || r.Method == http.MethodGet
}

// note keeps what a response says of the budget, and lets nothing more be sent
// in this period when that is used up.
func (t *Transport) note(l limits) {
	if !l.known {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock().Now()
	t.budget.Limit, t.budget.Remaining, t.budget.Reset = l.limit, l.remaining, now.Add(l.reset)
	t.notBefore = time.Time{}
	if l.remaining <= min(t.Reserve, l.limit/10) && l.reset > 0 {
		t.notBefore = now.Add(min(l.reset+resetMargin, longestWait))
	}
}

// limits are the headers of an answer. Times are lengths from the answer's own
// Date, so that a clock here that is wrong waits neither too long nor too short.
type limits struct {
	known      bool
	limit      int
	remaining  int
	reset      time.Duration
	retryAfter time.Duration
}

func readLimits(res *http.Response, now time.Time) (l limits) {
	if date, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		now = date
	}
	number := func(name string) (int64, bool) {
		n, err := strconv.ParseInt(strings.TrimSpace(res.Header.Get(name)), 10, 64)
		return n, err == nil
	}
	if n, ok := number("Retry-After"); ok {
		l.retryAfter = max(time.Duration(min(n, 1e6))*time.Second, 0)
	} else if at, err := http.ParseTime(res.Header.Get("Retry-After")); err == nil {
		l.retryAfter = max(at.Sub(now), 0)
	}
	limit, haveLimit := number("X-RateLimit-Limit")
	remaining, haveRemaining := number("X-RateLimit-Remaining")
	if !haveLimit || !haveRemaining {
		return l
	}
	l.known, l.limit, l.remaining = true, int(limit), int(remaining)
	if at, ok := number("X-RateLimit-Reset"); ok { // GitHub: seconds
		l.reset = time.Unix(at, 0).Sub(now)
	} else if at, err := time.Parse(time.RFC3339, res.Header.Get("X-RateLimit-Reset")); err == nil { // Jira Cloud: text
		l.reset = at.Sub(now)
	}
	return l
}

// secondary reports whether a refusal is one for sending too fast, which GitHub
// tells from a missing permission by its words alone.
func secondary(res *http.Response) bool {
	body, err := io.ReadAll(io.LimitReader(res.Body, peekLimit))
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), res.Body), res.Body}
	if err != nil {
		return false
	}
	text := strings.ToLower(string(body))
	return strings.Contains(text, "secondary rate limit") || strings.Contains(text, "secondary-rate-limits") || strings.Contains(text, "abuse detection")
}
