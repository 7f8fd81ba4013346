package web_test

import (
	"encoding/csv"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// A revised number stands beside what it was when it was final.
func TestMetricPage_SaysWhatARevisedNumberWas(t *testing.T) {
	o := byHand(t)
	monday := at(t, "2026-03-01T23:00:00Z") // its beginning in Berlin: 1, 3 and 4 h, median 3 h
	o.Revised = map[timeline.Millis]bool{monday: true}
	text := page(t, newServer(t, o), "/teams/web/pr_pickup_time?range=14d")
	contains(t, text, `<span class="was">was <data value="8640 s" title="8640 s">2`+"\u202f"+`h 24`+"\u202f"+`min</data>`, "n</abbr> = 1", `<circle class="was"`, `<line class="was"`, "what it said when it was final",
		"Mon 2 Mar: 3\u202fh, n = 3, revised, was 2\u202fh 24\u202fmin, n = 1, when it was final")
	if svg := body(t, request(t, newServer(t, o), "GET", "/teams/web/pr_pickup_time/chart.svg?range=14d")); strings.Count(svg, "when it was final") < 2 {
		t.Error("the chart's file does not say it")
	}
}

// Who builds on the API finds both numbers too, in JSON and in CSV.
func TestAPI_SaysWhatARevisedNumberWas(t *testing.T) {
	o := byHand(t)
	o.Revised = map[timeline.Millis]bool{at(t, "2026-03-01T23:00:00Z"): true}
	s := newServer(t, o)
	const query = "/api/v1/points?metric=pr_pickup_time&team=web&grain=day&from=2026-03-02&to=2026-03-03"
	text := body(t, request(t, s, "GET", query))
	if strings.Contains(text, "given_") {
		t.Error("a point says what nobody has asked for")
	}
	text = body(t, request(t, s, "GET", query+"&given=true"))
	contains(t, text, `,"given_n":1,"given_value":8640}`)
	if n := strings.Count(text, "given_n"); n != 1 {
		t.Errorf("%d points say what they were, one is revised: %s", n, text)
	}
	rows, err := csv.NewReader(strings.NewReader(body(t, request(t, s, "GET", query+"&given=true&format=csv")))).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, want := range [][]string{{"given_n", "given_value"}, {"1", "8640"}, {"", ""}} {
		if got := rows[i][len(rows[i])-2:]; !slices.Equal(got, want) {
			t.Errorf("line %d of CSV ends with %q, want %q", i+1, got, want)
		}
	}
}

// Of a number about people the two would differ by what one of them did.
func TestGuard_NeverSaysWhatANumberAboutPeopleWas(t *testing.T) {
	o := webtest.Acme()
	s := newServer(t, o, func(c *web.Config) { c.MinPeople = 2 })
	revised := 0
	for _, p := range points(t, s, "metric=after_hours&team=web&grain=day&from=2025-12-07&to=2026-03-01").Points {
		if p.Status == string(metrics.Revised) && p.Value != nil {
			revised++
		}
	}
	text := page(t, s, "/teams/web/after_hours?range=90d")
	if revised == 0 || !strings.Contains(text, `word revised`) {
		t.Fatal("no window about people was revised")
	}
	if strings.Contains(text, `class="was"`) || strings.Contains(text, "when it was final") {
		t.Error("the page says what it was")
	}
	if text := body(t, request(t, s, "GET", "/api/v1/points?metric=after_hours&team=web&grain=day&from=2025-12-07&to=2026-03-01&given=true")); strings.Contains(text, "given_") {
		t.Error("the API says what it was")
	}
}

// The border of what generation 0 has kept is at the foot of each page and in charts.
func TestPages_SayWhereKeptNumbersEnd(t *testing.T) {
	o := webtest.Acme()
	o.AsOfAnswer.HistoryFrom = at(t, "2026-01-31T23:00:00Z")
	s := newServer(t, o)
	contains(t, page(t, s, "/"), "Numbers of before 1 Feb are of generation 0")
	contains(t, page(t, s, "/teams/payments/pr_merged?range=60d"), `<line class="border"`, "kept numbers before this")
	if text := page(t, s, "/teams/payments/pr_merged?range=14d"); strings.Contains(text, `class="border"`) {
		t.Error("a chart that begins after it shows it")
	}
	o.AsOfAnswer.HistoryFrom = 0
	if text := page(t, newServer(t, o), "/"); strings.Contains(text, "generation 0") {
		t.Error("nothing is kept, and the foot says so")
	}
}

// The navigation offers what its reader may open.
func TestNavigation_OffersWhatMayBeOpened(t *testing.T) {
	o := webtest.Acme()
	for name, c := range map[string]struct {
		headers []string
		config  func(*web.Config)
		want    []string
	}{
		"a demo's visitor": {nil, func(c *web.Config) { c.Mode = web.ModeNone }, []string{"overview", "dora", "waiting", "sources", "quality", "status"}},
		"a viewer":         {[]string{"X-User", "mai@acme.example", "X-Groups", "viewer"}, proxied, []string{"overview", "dora", "waiting", "quality", "status"}},
		"an admin":         {[]string{"X-User", "mai@acme.example", "X-Groups", "admin"}, proxied, []string{"overview", "dora", "waiting", "sources", "quality", "status"}},
	} {
		text := page(t, newServer(t, o, c.config), "/dora", c.headers...)
		for _, entry := range []string{"overview", "dora", "waiting", "sources", "quality", "catalog", "replays", "status"} {
			if has := strings.Contains(text, `id="nav-`+entry+`"`); has != slices.Contains(c.want, entry) {
				t.Errorf("%s: %s is offered: %t", name, entry, has)
			}
		}
	}
}

var exportLinks = regexp.MustCompile(`<a href="(/api/[^"]+)" id="[^"]+"`)

// Every page with numbers says how to take them along, and each way leads somewhere.
func TestPages_CanBeTakenAlong(t *testing.T) {
	s := newServer(t, webtest.Acme())
	for _, target := range []string{"/", "/?to=2026-02-01", "/teams/web", "/teams/web?grain=hour", "/teams/web?grain=day&to=2026-02-01", "/teams/web/pr_merged", "/dora", "/dora?team=web", "/quality", "/sources", "/status"} {
		text := page(t, s, target)
		links := exportLinks.FindAllStringSubmatch(text, -1)
		if len(links) == 0 {
			t.Errorf("%s: nothing can be taken along", target)
		}
		for _, m := range links {
			if r := request(t, s, "GET", strings.ReplaceAll(m[1], "&amp;", "&")); r.StatusCode != http.StatusOK || strings.Contains(m[1], "format=csv") != strings.HasPrefix(r.Header.Get("Content-Type"), "text/csv") {
				t.Errorf("%s: %s is %s, %s", target, m[1], r.Status, r.Header.Get("Content-Type"))
			}
		}
	}
}
