package backfill

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// leap is a clock that does not wait: whoever sleeps is there at once.
type leap struct {
	now   time.Time
	slept []time.Duration
}

func (c *leap) Now() time.Time { return c.now }

func (c *leap) Sleep(ctx context.Context, d time.Duration) error {
	c.slept = append(c.slept, d)
	c.now = c.now.Add(d)
	return ctx.Err()
}

// say is one answer of a script; a status of 0 is a connection that is cut, and
// cut one that is cut within the body.
type say struct {
	status int
	header map[string]string
	body   string
	cut    bool
}

var errCut = errors.New("connection reset by peer")

// script answers with one after another, and with 200 when it is at its end.
type script struct {
	answers []say
	bodies  []string // of the requests
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := ""
	if r.Body != nil {
		b, _ := io.ReadAll(r.Body)
		sent = string(b)
	}
	s.bodies = append(s.bodies, sent)
	a := say{status: 200, body: "ok"}
	if len(s.answers) > 0 {
		a, s.answers = s.answers[0], s.answers[1:]
	}
	if a.status == 0 {
		return nil, errCut
	}
	h := http.Header{}
	for k, v := range a.header {
		h.Set(k, v)
	}
	var body io.Reader = strings.NewReader(a.body)
	if a.cut {
		body = io.MultiReader(body, cutReader{})
	}
	return &http.Response{StatusCode: a.status, Header: h, Body: io.NopCloser(body), Request: r}, nil
}

type cutReader struct{}

func (cutReader) Read([]byte) (int, error) { return 0, errCut }

var epoch = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

const slowDown = `{"message":"You have exceeded a secondary rate limit."}`

func TestTransport_Waits(t *testing.T) {
	unix := func(d time.Duration) string { return strconv.FormatInt(epoch.Add(d).Unix(), 10) }
	limit := func(remaining string, reset time.Duration) map[string]string {
		return map[string]string{"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": unix(reset)}
	}
	skewed := limit("0", 10*time.Minute) // their clock is 4 minutes before ours
	skewed["Date"] = epoch.Add(4 * time.Minute).Format(http.TimeFormat)
	cloud := limit("0", 0)
	cloud["X-RateLimit-Reset"] = epoch.Add(90 * time.Second).Format(time.RFC3339)
	const s, m = time.Second, time.Minute
	for _, c := range []struct {
		name   string
		say    []say
		waits  []time.Duration
		status int
	}{
		{"nothing to wait for", []say{{status: 200}}, nil, 200},
		{"Retry-After in seconds", []say{{status: 403, header: map[string]string{"Retry-After": "7"}}}, []time.Duration{7 * s}, 200},
		{"Retry-After as a date", []say{{status: 429, header: map[string]string{"Retry-After": epoch.Add(30 * s).Format(http.TimeFormat)}}}, []time.Duration{30 * s}, 200},
		{"Retry-After of a failure", []say{{status: 503, header: map[string]string{"Retry-After": "9"}}}, []time.Duration{9 * s}, 200},
		{"Retry-After of a day", []say{{status: 429, header: map[string]string{"Retry-After": "86400"}}}, []time.Duration{70 * m}, 200},
		{"primary limit", []say{{status: 403, header: limit("0", 10*m)}}, []time.Duration{10*m + s}, 200},
		{"primary limit by their clock", []say{{status: 403, header: skewed}}, []time.Duration{6*m + s}, 200},
		{"primary limit of Jira Cloud", []say{{status: 429, header: cloud}}, []time.Duration{91 * s}, 200},
		{"primary limit that is over", []say{{status: 403, header: limit("0", -m)}}, []time.Duration{s}, 200},
		{"secondary limit grows", []say{{status: 403, body: slowDown}, {status: 403, body: slowDown}, {status: 403, body: slowDown}}, []time.Duration{m, 2 * m, 4 * m}, 200},
		{"429 without a word", []say{{status: 429}, {status: 429}}, []time.Duration{m, 2 * m}, 200},
		{"failures", []say{{status: 502}, {status: 500}, {status: 503}}, []time.Duration{s, 2 * s, 4 * s}, 200},
		{"cut connections", []say{{}, {}, {status: 502}}, []time.Duration{s, 2 * s, 4 * s}, 200},
		{"cut within the answer", []say{{status: 200, body: "o", cut: true}}, []time.Duration{s}, 200},
		{"no permission", []say{{status: 403, body: `{"message":"Resource not accessible by integration"}`}}, nil, 403},
		{"not there", []say{{status: 404}}, nil, 404},
		{"not implemented", []say{{status: 501}}, nil, 501},
		{"never better", slices.Repeat([]say{{status: 500}}, 20), []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s}, 500},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := &leap{now: epoch}
			tr := &Transport{Base: &script{answers: c.say}, Clock: clock}
			res, err := tr.RoundTrip(request(t, http.MethodGet, ""))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Errorf("the body that stands cannot be read: %v", err)
			}
			if res.StatusCode != c.status || !slices.Equal(clock.slept, c.waits) {
				t.Errorf("status %d after waiting %v, want %d after %v", res.StatusCode, clock.slept, c.status, c.waits)
			}
			if c.status == 403 && !strings.Contains(string(body), "not accessible") {
				t.Errorf("the body that was looked at is lost: %q", body)
			}
			if b := tr.Budget(); b.Requests != int64(len(c.waits)+1) || !b.Waiting.IsZero() {
				t.Errorf("budget %+v after %d waits", b, len(c.waits))
			}
		})
	}
}

// What is left to others is not spent: the next request waits for the reset.
func TestTransport_Reserve(t *testing.T) {
	clock := &leap{now: epoch}
	at := func(remaining string) say {
		return say{status: 200, header: map[string]string{"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": strconv.FormatInt(epoch.Add(20*time.Minute).Unix(), 10)}}
	}
	tr := &Transport{Base: &script{answers: []say{at("101"), at("100"), at("4999")}}, Clock: clock, Reserve: 100}
	for i, want := range []time.Duration{0, 0, 20*time.Minute + time.Second} {
		clock.slept = nil
		if _, err := tr.RoundTrip(request(t, http.MethodGet, "")); err != nil {
			t.Fatal(err)
		}
		var got time.Duration
		for _, d := range clock.slept {
			got += d
		}
		if got != want {
			t.Errorf("request %d waited %s, want %s", i+1, got, want)
		}
	}
	if s := (Budget{Limit: 5000, Remaining: 7, Reset: epoch}).String(); s != "budget 7 of 5000 until 10:00Z" {
		t.Errorf("a budget in words: %q", s)
	}
}

// A client that goes by the machine's clock must not see a limit that is used up.
func TestTransport_HidesAnEmptyBudget(t *testing.T) {
	tr := &Transport{Clock: &leap{now: epoch}, Base: &script{answers: []say{{status: 200, header: map[string]string{
		"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(epoch.Add(time.Hour).Unix(), 10)}}}}}
	res, err := tr.RoundTrip(request(t, http.MethodGet, ""))
	if err != nil || res.Header.Get("X-RateLimit-Remaining") != "" {
		t.Errorf("%v, %v", res.Header, err)
	}
}

// Only what is safe to repeat is repeated after a failure; a refusal did nothing, so
// its request is sent again with its body.
func TestTransport_OtherMethods(t *testing.T) {
	for _, c := range []struct {
		name   string
		first  say
		sent   int
		status int
	}{
		{"failure", say{status: 502}, 1, 502},
		{"refusal", say{status: 429}, 2, 200},
	} {
		base := &script{answers: []say{c.first}}
		tr := &Transport{Base: base, Clock: &leap{now: epoch}}
		res, err := tr.RoundTrip(request(t, http.MethodPost, "ask"))
		if err != nil || res.StatusCode != c.status || len(base.bodies) != c.sent || base.bodies[c.sent-1] != "ask" {
			t.Errorf("%s: %v, sent %q", c.name, err, base.bodies)
		}
	}
	tr := &Transport{Base: &script{answers: []say{{}}}, Clock: &leap{now: epoch}}
	if _, err := tr.RoundTrip(request(t, http.MethodPost, "ask")); !errors.Is(err, errCut) {
		t.Errorf("a cut connection: %v", err)
	}
}

// What is marked as harmless to send twice is sent again, with its body, after a
// failure and after a cut.
func TestTransport_Repeatable(t *testing.T) {
	base := &script{answers: []say{{status: 502}, {}, {status: 201}}}
	tr := &Transport{Base: base, Clock: &leap{now: epoch}}
	r := request(t, http.MethodPost, "ask")
	res, err := tr.RoundTrip(r.WithContext(Repeatable(r.Context())))
	if err != nil || res.StatusCode != 201 || !slices.Equal(base.bodies, []string{"ask", "ask", "ask"}) {
		t.Errorf("%v, sent %q", err, base.bodies)
	}
}

// Whoever ends the job does not wait for a limit.
func TestTransport_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	clock := &leap{now: epoch}
	base := &script{answers: []say{{status: 429}}}
	tr := &Transport{Base: roundTrip(func(r *http.Request) (*http.Response, error) { cancel(); return base.RoundTrip(r) }), Clock: clock}
	if _, err := tr.RoundTrip(request(t, http.MethodGet, "").WithContext(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if len(base.bodies) != 1 {
		t.Errorf("%d requests were sent", len(base.bodies))
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func request(t *testing.T, method, body string) *http.Request {
	t.Helper()
	var from io.Reader
	if body != "" {
		from = strings.NewReader(body)
	}
	r, err := http.NewRequest(method, "http://api.example/x", from)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
