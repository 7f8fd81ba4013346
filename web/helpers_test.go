package web_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// at is an instant of the tests' one week in March 2026.
func at(t testing.TB, s string) timeline.Millis {
	t.Helper()
	m, err := timeline.ParseInstant(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func config(change ...func(*web.Config)) web.Config {
	c := web.DefaultConfig()
	c.Mode, c.Definitions = web.ModeNone, metrics.Definitions()
	c.Now = func() time.Time { return webtest.Clock.Time() }
	c.Log = slog.New(slog.DiscardHandler)
	for _, f := range change {
		f(&c)
	}
	return c
}

func newServer(t testing.TB, o *webtest.Organisation, change ...func(*web.Config)) *web.Server {
	t.Helper()
	s, err := web.New(config(change...), o.Results(), o.Directory(), o, o, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// request asks a handler without a network. Pairs are headers.
func request(t testing.TB, s *web.Server, method, target string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+target, nil)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t testing.TB, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const asBrowser = "text/html,application/xhtml+xml"

func page(t testing.TB, s *web.Server, target string, headers ...string) string {
	t.Helper()
	r := request(t, s, "GET", target, append(headers, "Accept", asBrowser)...)
	text := body(t, r)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s\n%s", target, r.Status, text)
	}
	return text
}

// answer is the part of the points' answer that tests look at.
type answer struct {
	Points []metrics.PointJSON `json:"points"`
	AsOf   struct {
		Generation int
		Clock      string
	} `json:"as_of"`
	Next *string `json:"next"`
}

// pointsAs are the points that somebody gets.
func pointsAs(t testing.TB, s *web.Server, query string, headers ...string) []metrics.PointJSON {
	t.Helper()
	return answered(t, s, query, headers...).Points
}

func points(t testing.TB, s *web.Server, query string) answer {
	t.Helper()
	return answered(t, s, query)
}

func answered(t testing.TB, s *web.Server, query string, headers ...string) answer {
	t.Helper()
	r := request(t, s, "GET", "/api/v1/points?"+query, headers...)
	text := body(t, r)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s\n%s", query, r.Status, text)
	}
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%s: %v\n%s", query, err, text)
	}
	return a
}

// byHand is one team in Berlin with four pickup times, worked out by hand:
//
//	Mon 2 Mar  09:30Z  1 h
//	Mon 2 Mar  10:15Z  3 h
//	Tue 3 Mar  08:00Z  2 h, and one review ignored as a bot's
//	Sun 1 Mar  23:30Z  4 h   (Monday 00:30 in Berlin)
//
// and a second one in the group, in New York, with one of 10 h on 2 March, 22:00Z.
func byHand(t testing.TB) *webtest.Organisation {
	o := webtest.Empty()
	o.AsOfAnswer = metrics.AsOf{Generation: 1, Clock: webtest.Clock}
	o.EngineState.Generation, o.EngineState.Clock = 1, webtest.Clock
	o.List = []web.Team{
		{Name: "web", Group: "shop", Zone: webtest.Zone("Europe/Berlin")},
		{Name: "core", Group: "shop", Zone: webtest.Zone("America/New_York")},
	}
	put := func(team, when string, hours int64) *metrics.ObservationRow {
		o.Rows = append(o.Rows, metrics.ObservationRow{Team: team, Observation: metrics.Observation{
			Metric: "pr_pickup_time", At: at(t, when), Value: hours * 3600 * 1000, Outcome: metrics.Observed, Primary: true,
			Entity: event.EntityID("github/repo/1/pr/" + when), Label: "acme/web#1", URL: "https://github.example/acme/web/pull/1",
		}})
		return &o.Rows[len(o.Rows)-1]
	}
	put("web", "2026-03-02T09:30:00Z", 1)
	put("web", "2026-03-02T10:15:00Z", 3)
	put("web", "2026-03-03T08:00:00Z", 2)
	bot := put("web", "2026-03-03T08:00:00Z", 0)
	bot.Outcome, bot.Reason, bot.Item = metrics.Ignored, metrics.Bot, "review/2"
	put("web", "2026-03-01T23:30:00Z", 4)
	put("core", "2026-03-02T22:00:00Z", 10)
	for _, team := range []string{"web", "core"} {
		o.Covered = append(o.Covered, metrics.CoverageRow{Team: team, Source: event.GitHub, From: at(t, "2026-02-27T12:00:00Z"), Last: webtest.Clock})
	}
	return o
}

// hostile are names that break pages that do not escape.
var hostile = []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `acme/web`, `../../etc`, `a&b=c?d#e`, `javascript:alert(1)`, "tab\tnew\nline", `日本`, `%2F`, `{{.}}`}

func contains(t testing.TB, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not there", want)
		}
	}
}

func newRecorder() *httptest.ResponseRecorder { return httptest.NewRecorder() }
