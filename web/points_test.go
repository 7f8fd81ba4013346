package web_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/web"
	"meridian/web/webtest"
)

// line is a point as these tests write it.
func line(p metrics.PointJSON) string {
	value := "null"
	if p.Value != nil {
		value = p.Value.String()
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s n=%d %s %s %s", p.Team, p.Start, p.End, p.N, value, p.Status, p.Missing))
}

func lines(ps []metrics.PointJSON) (out []string) {
	for _, p := range ps {
		out = append(out, line(p))
	}
	return out
}

func expect(t *testing.T, got []metrics.PointJSON, want ...string) {
	t.Helper()
	if g, w := strings.Join(lines(got), "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func TestPoints_DaysAreOfTheTeamsZoneAndFilledIn(t *testing.T) {
	a := points(t, newServer(t, byHand(t)), "metric=pr_pickup_time&team=web&grain=day&from=2026-02-27&to=2026-03-03")
	// 23:30Z on 1 March is Monday in Berlin: 1 h, 3 h, 4 h have the median 3 h.
	expect(t, a.Points,
		"web 2026-02-26T23:00:00Z 2026-02-27T23:00:00Z n=0 null final nothing_observed",
		"web 2026-02-27T23:00:00Z 2026-02-28T23:00:00Z n=0 null final nothing_observed",
		"web 2026-02-28T23:00:00Z 2026-03-01T23:00:00Z n=0 null final nothing_observed",
		"web 2026-03-01T23:00:00Z 2026-03-02T23:00:00Z n=3 10800 final",
		"web 2026-03-02T23:00:00Z 2026-03-03T23:00:00Z n=1 7200 provisional",
	)
	if p := a.Points[4]; p.Ignored["bot"] != 1 || p.Generation != 1 || p.Zone != "Europe/Berlin" || p.Unit != "seconds" {
		t.Errorf("%+v", p)
	}
	if a.AsOf.Generation != 1 || a.AsOf.Clock != "2026-03-03T14:05:00Z" || a.Next != nil {
		t.Errorf("as of %+v, next %v", a.AsOf, a.Next)
	}
}

func TestPoints_ThreeAnswersAndNeverAFourth(t *testing.T) {
	s := newServer(t, byHand(t))
	// Counts are zero inside coverage, which begins on 27 February at noon, and null before.
	a := points(t, s, "metric=pr_merged&team=web&grain=day&from=2026-02-26&to=2026-03-01")
	expect(t, a.Points,
		"web 2026-02-25T23:00:00Z 2026-02-26T23:00:00Z n=0 null final before_coverage",
		"web 2026-02-26T23:00:00Z 2026-02-27T23:00:00Z n=0 null final before_coverage",
		"web 2026-02-27T23:00:00Z 2026-02-28T23:00:00Z n=0 0 final",
		"web 2026-02-28T23:00:00Z 2026-03-01T23:00:00Z n=0 0 final",
	)
	// The team's issues have no source at all.
	a = points(t, s, "metric=issue_cycle_time&team=web&grain=day&from=2026-03-03")
	for _, p := range a.Points {
		if p.Value != nil || p.Missing == "" {
			t.Errorf("%s", line(p))
		}
	}
}

func TestPoints_WiderGrainsAreMergedFromDays(t *testing.T) {
	s := newServer(t, byHand(t))
	// The week from Monday 2 March: 1, 2, 3, 4 h have the median 2.5 h.
	expect(t, points(t, s, "metric=pr_pickup_time&team=web&grain=week&from=2026-02-23&to=2026-03-03").Points,
		"web 2026-02-22T23:00:00Z 2026-03-01T23:00:00Z n=0 null final nothing_observed",
		"web 2026-03-01T23:00:00Z 2026-03-08T23:00:00Z n=4 9000 provisional",
	)
	expect(t, points(t, s, "metric=pr_pickup_time&team=web&grain=month&from=2026-01-15&to=2026-03-03").Points,
		"web 2026-01-31T23:00:00Z 2026-02-28T23:00:00Z n=0 null final nothing_observed",
		"web 2026-02-28T23:00:00Z 2026-03-31T22:00:00Z n=4 9000 provisional",
	)
	expect(t, points(t, s, "metric=pr_pickup_time&team=web&grain=quarter&from=2026-01-01&to=2026-03-03").Points,
		"web 2025-12-31T23:00:00Z 2026-03-31T22:00:00Z n=4 9000 provisional",
	)
	expect(t, points(t, s, "metric=pr_pickup_time&team=web&grain=range&from=2026-03-02&to=2026-03-02").Points,
		"web 2026-03-01T23:00:00Z 2026-03-02T23:00:00Z n=3 10800 final",
	)
}

func TestPoints_ATeamsMonthIsTheMergeOfItsStoredDays(t *testing.T) {
	s := newServer(t, webtest.Acme())
	for _, team := range []string{"web", "platform"} {
		stored := points(t, s, "metric=pr_time_to_merge&team="+team+"&grain=day30&from=2026-01-20&to=2026-02-01").Points
		if len(stored) < 10 {
			t.Fatalf("%d points", len(stored))
		}
		for _, p := range stored {
			q := url.Values{"metric": {"pr_time_to_merge"}, "team": {team}, "grain": {"range"}, "from": {p.Start}, "to": {p.End}}
			merged := points(t, s, q.Encode()).Points
			if len(merged) != 1 || merged[0].N != p.N || *merged[0].Value != *p.Value || *merged[0].P90 != *p.P90 || merged[0].Start != p.Start || merged[0].End != p.End {
				t.Fatalf("stored %s, merged %s", line(p), lines(merged))
			}
		}
	}
}

func TestPoints_GroupsAndTheOrganisationMergeEachTeamsOwnDays(t *testing.T) {
	s := newServer(t, byHand(t))
	// 2 March is Berlin's and New York's own: 1, 3, 4 and 10 h, median 3.5 h.
	for _, scope := range []string{"group:shop", "org"} {
		a := points(t, s, "metric=pr_pickup_time&grain=day&from=2026-03-02&to=2026-03-02&scope="+scope)
		expect(t, a.Points, scope+" 2026-03-01T23:00:00Z 2026-03-02T23:00:00Z n=4 12600 final")
	}
	a := points(t, s, "metric=pr_pickup_time&grain=day30&from=2026-02-02&to=2026-02-02&scope=org")
	expect(t, a.Points, "org 2026-02-01T23:00:00Z 2026-03-03T23:00:00Z n=5 10800 provisional") // 1 2 3 4 10
	if d := a.Points[0].CoveredDays; d == nil || *d != 5 {
		t.Errorf("covered days %v, want 5 (27 February to 3 March)", d)
	}
}

func TestPoints_SomebodyInTwoTeamsCountsOnceInTheOrganisation(t *testing.T) {
	o := byHand(t)
	second := o.Rows[0]
	second.Team, second.Primary = "core", false
	o.Rows = append(o.Rows, second)
	s := newServer(t, o)
	if a := points(t, s, "metric=pr_pickup_time&grain=day&from=2026-03-02&to=2026-03-02&team=core"); a.Points[0].N != 2 {
		t.Errorf("in the team n = %d, want 2", a.Points[0].N)
	}
	if a := points(t, s, "metric=pr_pickup_time&grain=day&from=2026-03-02&to=2026-03-02&scope=org"); a.Points[0].N != 4 {
		t.Errorf("in the organisation n = %d, want 4", a.Points[0].N)
	}
}

func TestPoints_AnswersOfSeveralPagesAreTheWhole(t *testing.T) {
	s := newServer(t, webtest.Acme())
	const query = "grain=day&from=2026-02-20&to=2026-03-03"
	whole := points(t, s, query)
	if len(whole.Points) < 300 || whole.Next != nil {
		t.Fatalf("%d points, next %v", len(whole.Points), whole.Next)
	}
	var parts []metrics.PointJSON
	cursor := ""
	for range 100 {
		a := points(t, s, query+"&limit=37&cursor="+cursor)
		parts = append(parts, a.Points...)
		if a.Next == nil {
			break
		}
		if len(a.Points) != 37 {
			t.Fatalf("a page of %d", len(a.Points))
		}
		cursor = *a.Next
	}
	if strings.Join(lines(parts), "\n") != strings.Join(lines(whole.Points), "\n") {
		t.Errorf("%d points in pages, %d at once, and they differ", len(parts), len(whole.Points))
	}
}

func TestPoints_AreTheBytesOfReplayPrint(t *testing.T) {
	o := byHand(t)
	text := body(t, request(t, newServer(t, o), "GET", "/api/v1/points?metric=pr_pickup_time&team=web&from=2026-03-02&to=2026-03-02"))
	z := webtest.Zone("Europe/Berlin")
	w := z.Day(z.Date(at(t, "2026-03-02T12:00:00Z")))
	stored, err := o.Points(t.Context(), metrics.Query{Metric: "pr_pickup_time", Teams: []string{"web"}, Grain: metrics.Day, From: w.Start, To: w.End})
	if err != nil || len(stored) != 1 {
		t.Fatal(stored, err)
	}
	contains(t, text, string(stored[0].AppendJSON(nil)))
}

func TestPoints_ETag(t *testing.T) {
	o := byHand(t)
	s := newServer(t, o)
	const target = "/api/v1/points?metric=pr_pickup_time&team=web"
	r := request(t, s, "GET", target)
	tag := r.Header.Get("ETag")
	if !strings.HasPrefix(tag, `W/"1-1772546700000-`) {
		t.Fatalf("ETag %q", tag)
	}
	reads := 0
	o.Reads = func(metrics.Query) { reads++ }
	for _, match := range []string{tag, `"x", ` + tag, "*", strings.TrimPrefix(tag, "W/")} {
		r := request(t, s, "GET", target, "If-None-Match", match)
		if r.StatusCode != http.StatusNotModified || body(t, r) != "" || r.Header.Get("ETag") != tag {
			t.Errorf("If-None-Match %s: %s", match, r.Status)
		}
	}
	if reads != 0 {
		t.Errorf("unchanged answers read points %d times", reads)
	}
	o.AsOfAnswer.Clock += 500
	if r := request(t, s, "GET", target, "If-None-Match", tag); r.StatusCode != http.StatusOK {
		t.Errorf("after a tick: %s", r.Status)
	}
	stricter := newServer(t, byHand(t), func(c *web.Config) { c.MinPeople = 7 })
	if other := request(t, stricter, "GET", target).Header.Get("ETag"); other == tag {
		t.Error("another threshold has the same ETag")
	}
}

func TestPoints_Gzip(t *testing.T) {
	r := request(t, newServer(t, webtest.Acme()), "GET", "/api/v1/points?metric=pr_merged&team=web", "Accept-Encoding", "gzip")
	if r.Header.Get("Content-Encoding") != "gzip" || r.Header.Get("ETag") == "" {
		t.Fatalf("%v", r.Header)
	}
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil || !json.Valid(b) {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
}

func TestPoints_WrongQuestions(t *testing.T) {
	s := newServer(t, byHand(t))
	for query, want := range map[string]string{
		"metric=nope":                   `no metric "nope"`,
		"metrics=pr_merged":             `no parameter "metrics"`,
		"grain=minute":                  `grain="minute"`,
		"scope=web":                     `write team:NAME`,
		"scope=team:web&team=web":       "say the same",
		"from=yesterday":                `from="yesterday"`,
		"from=2026-03-03&to=2026-03-01": "must be before",
		"from=9999-01-01":               "lies outside",
		"limit=0":                       "from 1 to 20000",
		"limit=20001":                   "from 1 to 20000",
		"run=x":                         "number of a generation",
		"cursor=!!!":                    "not made by this server",
		"cursor=e30":                    "not made by this server",
		"scope=org&grain=hour":          "Hours belong to teams",
		"grain=hour&from=1990-01-01":    "more than 1000000 points",
		"team=web&team=core":            "stands 2 times",
	} {
		r := request(t, s, "GET", "/api/v1/points?"+query, "Accept", asBrowser)
		var p web.Problem
		text := body(t, r)
		if r.StatusCode != http.StatusBadRequest || r.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s %s", query, r.Status, r.Header.Get("Content-Type"))
			continue
		}
		if err := json.Unmarshal([]byte(text), &p); err != nil || !strings.Contains(p.Detail, want) || p.Status != 400 {
			t.Errorf("%s: %q does not say %q", query, p.Detail, want)
		}
	}
	if r := request(t, s, "GET", "/api/v1/points?scope=group:nobody"); r.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown group: %s", r.Status)
	}
}

func TestPoints_AreOfOneGeneration(t *testing.T) {
	o := byHand(t)
	o.AsOfAnswer.Generation = 7
	var asked []uint32
	o.Reads = func(q metrics.Query) { asked = append(asked, uint32(q.Generation)) }
	s := newServer(t, o)
	points(t, s, "metric=pr_pickup_time&team=web")
	points(t, s, "metric=pr_pickup_time&team=web&run=9")
	page(t, s, "/")
	page(t, s, "/teams/web/pr_pickup_time")
	for i, g := range asked {
		want := uint32(7)
		if i == 1 {
			want = 9
		}
		if g != want {
			t.Errorf("read %d asked for generation %d, want %d", i, g, want)
		}
	}
}

func TestPoints_SlidingWindowsEndWithTheRunningDay(t *testing.T) {
	s := newServer(t, byHand(t))
	for _, query := range []string{"team=web", "scope=org", "team=web&to=2027-01-01&from=2026-01-04"} {
		a := points(t, s, "metric=pr_pickup_time&grain=day30&"+query)
		if len(a.Points) != 30 {
			t.Fatalf("%s: %d points, want 30", query, len(a.Points))
		}
		if first, last := a.Points[0], a.Points[29]; first.End != "2026-02-02T23:00:00Z" || last.End != "2026-03-03T23:00:00Z" || last.Status != "provisional" {
			t.Errorf("%s: from %s to %s", query, line(first), line(last))
		}
	}
}
