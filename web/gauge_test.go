package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// waiting adds an interval of pr_waiting; until "" it is still open.
func waiting(t testing.TB, o *webtest.Organisation, team, item, from, until string) *metrics.ObservationRow {
	length := metrics.StillOpen
	if until != "" {
		length = int64(at(t, until) - at(t, from))
	}
	o.Rows = append(o.Rows, metrics.ObservationRow{Team: team, Observation: metrics.Observation{
		Metric: "pr_waiting", Entity: event.EntityID("github/repo/1/pr/" + item), Start: at(t, from), At: at(t, from), Value: length,
		Outcome: metrics.Observed, Primary: true, Label: item, URL: "https://github.example/acme/web/pull/" + item,
	}})
	return &o.Rows[len(o.Rows)-1]
}

// Berlin's days of March end at 23:00Z, New York's at 05:00Z; the clock shows
// 2026-03-03T14:05:00Z.
func gauges(t testing.TB) *webtest.Organisation {
	o := byHand(t)
	waiting(t, o, "web", "1", "2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z")
	waiting(t, o, "web", "2", "2026-03-02T12:05:00Z", "")
	waiting(t, o, "web", "3", "2026-03-02T23:00:00Z", "2026-03-03T09:00:00Z") // begins with the day
	waiting(t, o, "core", "4", "2026-02-28T14:05:00Z", "")
	shared := waiting(t, o, "core", "5", "2026-03-03T10:05:00Z", "")
	shared.Primary = false // counted in its own team, and once in sums by another
	return o
}

func TestGauge_IsWhatIsOpenAtAWindowsEnd(t *testing.T) {
	s := newServer(t, gauges(t))
	a := points(t, s, "metric=pr_waiting&team=web&grain=day&from=2026-02-27&to=2026-03-03")
	expect(t, a.Points,
		"web 2026-02-26T23:00:00Z 2026-02-27T23:00:00Z n=0 0 final",
		"web 2026-02-27T23:00:00Z 2026-02-28T23:00:00Z n=0 0 final",
		"web 2026-02-28T23:00:00Z 2026-03-01T23:00:00Z n=1 1 final",
		"web 2026-03-01T23:00:00Z 2026-03-02T23:00:00Z n=2 2 final",
		"web 2026-03-02T23:00:00Z 2026-03-03T23:00:00Z n=1 1 provisional",
	)
	// The running day ends at the clock: 26 h of waiting so far.
	if p := a.Points[4]; p.P50 == nil || p.P50.String() != "93600" || p.Generation != 1 {
		t.Errorf("ages: %+v", p)
	}

	hours := points(t, s, "metric=pr_waiting&team=web&grain=hour&from=2026-03-03T08:00:00Z&to=2026-03-03T10:00:00Z")
	expect(t, hours.Points,
		"web 2026-03-03T08:00:00Z 2026-03-03T09:00:00Z n=1 1 final", // closed at its end: no longer open there
		"web 2026-03-03T09:00:00Z 2026-03-03T10:00:00Z n=1 1 final",
	)
}

func TestGauge_AddsUpOverTeamsAndTakesTheLastOverTime(t *testing.T) {
	s := newServer(t, gauges(t))
	for query, want := range map[string]string{
		"scope=org&grain=day":                                    "2 provisional", // 2 and 4, and not what core counts beside its first team
		"scope=group:shop&grain=day30&from=2026-02-02":           "2 provisional",
		"team=core&grain=day":                                    "2 provisional",
		"team=web&grain=month&from=2026-03-01&to=2026-03-31":     "1 provisional",
		"team=web&grain=range&from=2026-02-28&to=2026-03-02":     "2 final",
		"team=web&grain=week&from=2026-02-23&to=2026-03-01":      "1 final",
		"team=web&grain=day&from=2026-02-20&to=2026-02-20":       "null final before_coverage",
		"team=web&service=nobody&grain=day&from=2026-03-02":      "0 provisional",
		"team=web&service=*&grain=day&from=2026-03-02&limit=100": "1 provisional",
	} {
		a := points(t, s, "metric=pr_waiting&"+query)
		if len(a.Points) == 0 {
			t.Errorf("%s: no points", query)
			continue
		}
		got := line(a.Points[len(a.Points)-1])
		if !strings.HasSuffix(got, " "+want) {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestGauge_EvidenceIsWhatOverlaps(t *testing.T) {
	s := newServer(t, gauges(t))
	seen := []string{}
	for cursor := ""; ; {
		r := request(t, s, "GET", "/api/v1/evidence?metric=pr_waiting&scope=org&from=2026-03-02T11:00:00Z&to=2026-03-03T09:30:00Z&limit=2&cursor="+cursor)
		var a struct {
			Items []web.EvidenceJSON `json:"items"`
			Next  *string            `json:"next"`
		}
		if text := body(t, r); r.StatusCode != http.StatusOK || json.Unmarshal([]byte(text), &a) != nil {
			t.Fatalf("%s\n%s", r.Status, text)
		}
		for _, i := range a.Items {
			seen = append(seen, i.Label)
		}
		if a.Next == nil {
			break
		}
		cursor = *a.Next
	}
	if got := strings.Join(seen, " "); got != "3 2 4" { // the youngest first; 1 has ended, 5 has not begun
		t.Errorf("evidence: %s", got)
	}
	for _, cursor := range []string{"!", "eA", "MTI"} {
		if r := request(t, s, "GET", "/api/v1/evidence?metric=pr_waiting&team=web&cursor="+cursor); r.StatusCode != http.StatusBadRequest {
			t.Errorf("cursor %q: %s", cursor, r.Status)
		}
	}
}

func TestWaiting_ListsWhatIsOpenTheOldestFirst(t *testing.T) {
	o := gauges(t)
	waiting(t, o, "web", `<img src=x onerror=alert(1)>`, "2026-03-03T14:00:00Z", "")
	page := body(t, request(t, newServer(t, o), "GET", "/waiting"))
	contains(t, page, `value="259200 s"`, `value="93600 s"`, `value="300 s"`, "&lt;img src=x", `<span class="count">3</span>`)
	if strings.Contains(page, "<img src=x") {
		t.Error("a label is not escaped")
	}
	if oldest, younger := strings.Index(page, `pull/4"`), strings.Index(page, `pull/2"`); oldest < 0 || oldest > younger {
		t.Errorf("the oldest stands at %d, behind %d", oldest, younger)
	}
	one := body(t, request(t, newServer(t, o), "GET", "/waiting?team=core"))
	if strings.Contains(one, `pull/2"`) || !strings.Contains(one, `pull/4"`) || !strings.Contains(one, `pull/5"`) {
		t.Error("a team's list is not its own")
	}
	if strings.Contains(page, `pull/5"`) {
		t.Error("what another team counts first is listed twice")
	}
	if r := request(t, newServer(t, o), "GET", "/waiting?team=nobody"); r.StatusCode != http.StatusNotFound {
		t.Errorf("a team that is not there: %s", r.Status)
	}
	// Who has sent nothing has no zero.
	contains(t, body(t, request(t, newServer(t, o), "GET", "/waiting")), metrics.NoSource.Sentence())
}

// An hour that is asked for by itself, and one that ends where an interval
// begins: nothing is open before it begins, and at its first instant it is.
func TestGauge_Borders(t *testing.T) {
	o := byHand(t)
	waiting(t, o, "web", "1", "2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z")
	s := newServer(t, o)
	for from, want := range map[timeline.Millis]string{
		at(t, "2026-03-03T08:00:00Z"): "n=0 0 final", at(t, "2026-03-03T09:00:00Z"): "n=1 1 final", at(t, "2026-03-03T10:00:00Z"): "n=0 0 final",
	} {
		a := points(t, s, "metric=pr_waiting&team=web&grain=hour&from="+from.String()+"&to="+(from+timeline.Hour).String())
		if len(a.Points) != 1 || !strings.HasSuffix(line(a.Points[0]), want) {
			t.Errorf("%s: %v, want %s", from, lines(a.Points), want)
		}
	}
}

// The chart counts things, the ages of which are seconds: one axis cannot have both.
func TestGauge_ChartHasNoAges(t *testing.T) {
	text := page(t, newServer(t, gauges(t)), "/teams/web/pr_waiting")
	contains(t, text, "half of them older than")
	if strings.Contains(text, "up to p90") || strings.Contains(text, "50,000") {
		t.Error("ages are drawn on an axis of counts")
	}
	contains(t, text, "still open", `value="86400 s"`)
	if strings.Contains(text, "Events older than the horizon") {
		t.Error("late events are said to be none, and nobody counted them")
	}
}

// An interval that has ended has its length in seconds, one that has not has none.
func TestGauge_EvidenceHasLengths(t *testing.T) {
	var a struct {
		Items []web.EvidenceJSON `json:"items"`
	}
	r := request(t, newServer(t, gauges(t)), "GET", "/api/v1/evidence?metric=pr_waiting&team=web&from=2026-03-01&to=2026-03-03")
	if text := body(t, r); json.Unmarshal([]byte(text), &a) != nil || len(a.Items) != 3 {
		t.Fatalf("%s\n%s", r.Status, text)
	}
	for _, i := range a.Items {
		switch {
		case i.Label == "2" && i.Value != nil:
			t.Errorf("what is open has a length: %g", *i.Value)
		case i.Label == "1" && (i.Value == nil || *i.Value != 86400):
			t.Errorf("a day of waiting: %v", i.Value)
		}
	}
}
