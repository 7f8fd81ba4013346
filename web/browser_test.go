package web_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"meridian/e2e/browser"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// served is a server over a network, with a page open in a browser.
func served(t *testing.T, o *webtest.Organisation) (tab *browser.Tab, address string) {
	t.Helper()
	tab = browser.ForTest(t).Tab(t, 8*time.Minute)
	return tab, overNetwork(t, newServer(t, o, func(c *web.Config) { c.Shared = true }).Handler())
}

func overNetwork(t *testing.T, h http.Handler) (address string) {
	s := httptest.NewServer(h)
	t.Cleanup(func() { // a stream of news has no end of its own
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func evaluate[T any](t *testing.T, tab *browser.Tab, script string) T {
	t.Helper()
	v, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return v
}

// Every page, in both themes and on a phone, a laptop and a large screen: axe-core finds
// nothing of any level, nothing scrolls sideways, and the console is silent but for the
// answers that are errors on purpose.
func TestBrowser_NoPageIsHardToUse(t *testing.T) {
	tab := browser.ForTest(t).Tab(t, 8*time.Minute)
	servers := map[string]string{}
	for name, h := range lookedAt(t) {
		servers[name] = overNetwork(t, h)
	}
	said := 0
	for _, p := range allPages() {
		if err := chromedp.Do(tab.Ctx, chromedp.Navigate(servers[p.name]+p.path)); err != nil {
			t.Fatal(err)
		}
		for _, scheme := range []browser.Scheme{browser.Light, browser.Dark} {
			for _, width := range []int{375, 1280, 2560} {
				if err := tab.Look(width, scheme); err != nil {
					t.Fatal(err)
				}
				found, err := tab.Axe()
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range found {
					t.Errorf("%s %s at %d, %s: %s", p.name, p.path, width, scheme, v)
				}
				if evaluate[bool](t, tab, `document.documentElement.scrollWidth > innerWidth`) {
					t.Errorf("%s %s at %d scrolls sideways", p.name, p.path, width)
				}
			}
		}
		problems, err := tab.Problems()
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range problems[said:] {
			if p.status == http.StatusOK || !strings.Contains(problem, "status of "+strconv.Itoa(p.status)) {
				t.Errorf("%s %s: %s", p.name, p.path, problem)
			}
		}
		said = len(problems)
	}
}

// What somebody is doing on a page is still so after it has refreshed itself.
func TestBrowser_ARefreshDisturbsNobody(t *testing.T) {
	o := webtest.Acme()
	tab, address := served(t, o)
	if err := chromedp.Do(tab.Ctx, chromedp.Navigate(address+"/teams/web/pr_merged")); err != nil {
		t.Fatal(err)
	}
	const ready = `new Promise(done => { const look = () => document.querySelector("[data-live-state]:not([hidden])") && document.querySelector(".drawn") ? done(true) : requestAnimationFrame(look); look(); })`
	evaluate[bool](t, tab, ready)
	evaluate[bool](t, tab, `document.querySelector("#rows").scrollTop = 120, document.querySelector("#range-60").focus({preventScroll: true}), scrollTo(0, 300), true`)
	before := evaluate[string](t, tab, `document.querySelector(".figure.first .value").textContent`)
	if before != "135" {
		t.Fatalf("the page says %q", before)
	}

	// Rows are written: five more merges, one second later.
	merge := func(n int) {
		o.Change(func() {
			for range n {
				o.Rows = append(o.Rows, metrics.ObservationRow{Team: "web", Observation: metrics.Observation{
					Metric: "pr_merged", At: webtest.Clock, Value: 1, Outcome: metrics.Observed, Primary: true, Entity: "new",
				}})
			}
			o.AsOfAnswer.Clock += timeline.Second
		})
	}
	merge(5)
	if n := o.Publish(o.AsOfAnswer.Clock); n != 1 {
		t.Fatalf("%d pages are subscribed", n)
	}
	evaluate[bool](t, tab, `new Promise(done => { const look = () => document.querySelector(".figure.first .value").textContent == "140" && document.querySelector(".drawn .uplot") ? done(true) : requestAnimationFrame(look); look(); })`)
	if got, want := evaluate[string](t, tab, `[document.querySelector("#rows").scrollTop, document.activeElement.id, scrollY, document.querySelectorAll(".uplot").length].join(" ")`), "120 range-60 300 1"; got != want {
		t.Errorf("after the refresh %s, want %s", got, want)
	}

	// While text is selected nothing moves; afterwards it catches up.
	evaluate[bool](t, tab, `getSelection().selectAllChildren(document.querySelector("h1")), true`)
	merge(1)
	o.Publish(o.AsOfAnswer.Clock)
	evaluate[bool](t, tab, `new Promise(done => { let n = 0; const look = () => ++n > 60 ? done(true) : requestAnimationFrame(look); look(); })`)
	if got := evaluate[string](t, tab, `getSelection().toString() + " " + document.querySelector(".figure.first .value").textContent`); got != "Merged pull requests 140" {
		t.Errorf("while text is selected: %q", got)
	}
	evaluate[bool](t, tab, `getSelection().removeAllRanges(), new Promise(done => { const look = () => document.querySelector(".figure.first .value").textContent == "141" ? done(true) : requestAnimationFrame(look); look(); })`)
}

// On paper there is nothing to click, tables are whole, and nothing is cut at the edge.
func TestBrowser_OnPaper(t *testing.T) {
	tab := browser.ForTest(t).Tab(t, 8*time.Minute)
	address := overNetwork(t, lookedAt(t)["whole"])
	for _, path := range []string{"/", "/teams/web", "/teams/web/pr_pickup_time?compare=previous", "/teams/web/work_heatmap", "/dora", "/waiting", "/quality", "/sources", "/replays/3", "/catalog"} {
		if err := chromedp.Do(tab.Ctx, chromedp.Navigate(address+path)); err != nil {
			t.Fatal(err)
		}
		if err := tab.Paper(); err != nil {
			t.Fatal(err)
		}
		const shown = `[...document.querySelectorAll("nav:not(.crumbs), form, button, .live, .skip")].filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 80)).join("; ")`
		if got := evaluate[string](t, tab, shown); got != "" {
			t.Errorf("%s on paper has %s", path, got)
		}
		const cut = `[...document.querySelectorAll("main svg, main canvas, main table")].filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80)).join("; ")`
		if got := evaluate[string](t, tab, cut); got != "" {
			t.Errorf("%s on paper cuts %s", path, got)
		}
		const scrolls = `[...document.querySelectorAll(".scroll")].filter(e => e.checkVisibility() && e.scrollHeight > e.clientHeight + 1).map(e => e.id).join("; ")`
		if got := evaluate[string](t, tab, scrolls); got != "" {
			t.Errorf("%s on paper holds back rows of %s", path, got)
		}
		const dark = `getComputedStyle(document.body).backgroundColor`
		if got := evaluate[string](t, tab, dark); got != "rgb(255, 255, 255)" {
			t.Errorf("%s on paper is %s", path, got)
		}
	}
}
