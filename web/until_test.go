package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// What the overview, a team and DORA's five show can be of any 30 days, and the
// address says which.
func TestPages_ShowThe30DaysOfTheirAddress(t *testing.T) {
	o := byHand(t)
	s := newServer(t, o)
	// To 2 March, web has 1, 3 and 4 h: the review of the 3rd is not in it.
	for target, wants := range map[string][]string{
		"/?to=2026-03-02":                     {"<h1>30 days to 2 Mar</h1>", "1 Feb – 2 Mar", `title="10800 s"`, "n = 3", `href="/?to=2026-01-31" id="earlier"`, `href="/" id="later"`, `href="/" id="newest-days"`},
		"/teams/web?to=2026-03-02":            {"1 Feb – 2 Mar", `title="10800 s"`, `href="/teams/web?grain=day&amp;to=2026-03-02"`, `name="to" id="to" value="2026-03-02" max="2026-03-03"`},
		"/teams/web?grain=day&to=2026-03-02":  {"Mon 2 Mar", `type="hidden" name="grain" value="day"`, `href="/teams/web?grain=day" id="later"`},
		"/teams/web?grain=hour&to=2026-03-02": {"Mon 2 Mar, 11:00–12:00"},
		"/dora?team=web&to=2026-03-02":        {"1 Feb – 2 Mar", `type="hidden" name="team" value="web"`, `href="/dora?team=web" id="newest-days"`},
		"/?to=2030-01-01":                     {"<h1>Last 30 days</h1>", "2 Feb – 3 Mar"},
	} {
		contains(t, page(t, s, target), wants...)
	}
	for _, target := range []string{"/?to=yesterday", "/?to=1969-01-01", "/?to=2026-02-30", "/teams/web?to=x", "/dora?to=x", "/?from=2026-01-01"} {
		if r := request(t, s, "GET", target, "Accept", asBrowser); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", target, r.Status)
		}
	}
}

// What is withheld does not depend on the day that is asked for: a window is shown on
// a page of the past where it is shown in the series of today, and nowhere else.
func TestUntil_WithholdsAsEver(t *testing.T) {
	o := webtest.Acme()
	s := newServer(t, o, func(c *web.Config) { c.Shared = true })
	value := regexp.MustCompile(`(?s)id="cell-web-after_5fhours">.*?</a>`)
	shown := 0
	for day := 1; day <= 60; day++ {
		last := webtest.Zone("Asia/Ho_Chi_Minh").Date(webtest.Clock).AddDays(-day)
		start := webtest.Zone("Asia/Ho_Chi_Minh").Midnight(last - 29)
		a := points(t, s, "metric=after_hours&team=web&grain=day30&from="+start.String()+"&to="+(start+timeline.Minute).String())
		if len(a.Points) != 1 {
			t.Fatalf("%s: %d points", last, len(a.Points))
		}
		withheld := a.Points[0].Missing == string(metrics.BelowMinPeople)
		cell := value.FindString(page(t, s, "/?to="+last.String()))
		if cell == "" {
			t.Fatal("the overview has no such cell")
		}
		// A page shows the last window that may be shown, and says that it is not the one asked for.
		if onPage := strings.Contains(cell, `class="value"`) && !strings.Contains(cell, "30 days to"); onPage == withheld {
			t.Errorf("%s: withheld %t, on the page %t", last, withheld, onPage)
		}
		if !withheld {
			shown++
		}
	}
	t.Logf("%d of 60 are shown", shown)
}
