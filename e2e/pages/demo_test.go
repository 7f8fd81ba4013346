package pages_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"meridian/e2e/browser"
	"meridian/e2e/instance"
	"meridian/e2e/service"
)

// limit is for all of it on a busy machine, patience for each thing that has to happen.
const limit, patience = 9 * time.Minute, 3 * time.Minute

// A visit is one browser on one running demo.
type visit struct {
	t    *testing.T
	demo *instance.Instance
	tab  *browser.Tab
}

// TestDemo looks at one demo all the way through: starting it is what takes the time.
func TestDemo(t *testing.T) {
	began := time.Now()
	demo := instance.Serve(t, instance.Config{Dir: filepath.Join(instance.Folder(t), "demo"), Demo: true, Args: []string{"--speed", "fast"}})
	v := visit{t, demo, browser.ForTest(t).Tab(t, limit)}
	v.look(browser.Light)
	v.open("/")
	t.Logf("the first page was there after %v", time.Since(began))
	v.awaitHistory()
	t.Logf("90 days of history were there after %v", time.Since(began))

	v.numbersMove()
	metric := v.clickThrough()
	if os.Getenv("MERIDIAN_TEST_SCREENSHOTS") == "1" {
		v.pictures(metric)
		return
	}
	for _, scheme := range []browser.Scheme{browser.Light, browser.Dark} {
		for _, path := range []string{"/", "/teams/" + metric.team, "/teams/" + metric.team + "?grain=hour", metric.path, metric.path + "?grain=hour&compare=previous", metric.path + "?grain=day30&sort=longest", "/dora", "/waiting", "/teams/" + metric.team + "/pr_waiting", "/teams/" + metric.team + "/work_heatmap", "/sources", "/quality", "/catalog", "/replays", "/replays/1", "/status", "/nowhere"} {
			v.open(path)
			for _, width := range []int{375, 1280, 1920} {
				v.accessible(path, width, scheme)
			}
		}
	}
	v.look(browser.Light)
	v.keyboard(metric)
	v.still(metric)
	v.quiet()
	if code := demo.Stop(); code != 0 {
		t.Errorf("the demo ended with exit code %d", code)
	}
}

func (v visit) navigate(url string) {
	v.t.Helper()
	if err := chromedp.Do(v.tab.Ctx, chromedp.Navigate(url)); err != nil {
		v.t.Fatal(err)
	}
}

func (v visit) look(scheme browser.Scheme) {
	v.t.Helper()
	if err := v.tab.Look(1280, scheme); err != nil {
		v.t.Fatal(err)
	}
}

// open navigates, and wants a heading.
func (v visit) open(path string) {
	v.t.Helper()
	v.navigate(v.demo.URL + path)
	if text := v.script(`document.querySelector("h1")?.textContent ?? ""`); strings.TrimSpace(text) == "" {
		v.t.Errorf("%s has no heading", path)
	}
}

// script evaluates a text on the page.
func (v visit) script(js string) string {
	v.t.Helper()
	text, err := chromedp.Run(v.tab.Ctx, chromedp.Evaluate[string](js))
	if err != nil {
		v.t.Fatalf("%s: %v", js, err)
	}
	return text
}

// awaitHistory returns when the overview shows several teams with numbers. It asks with its own requests, for the page
// refreshes itself.
func (v visit) awaitHistory() {
	v.t.Helper()
	err := instance.Poll(patience, func() error {
		body, err := v.demo.Get("/api/v1/points?metric=pr_merged&grain=day30&scope=org")
		if err != nil {
			return err
		}
		var answer struct{ Points []instance.Point }
		if err := json.Unmarshal(body, &answer); err != nil {
			return err
		}
		for _, p := range answer.Points {
			if p.N > 100 {
				return nil
			}
		}
		return errors.New("no month of the organisation has a hundred merges yet")
	})
	if err != nil {
		v.t.Fatal(err)
	}
}

// numbersMove watches the overview until what it says has changed, by itself: a mark on the window would not survive a
// reload.
func (v visit) numbersMove() {
	v.t.Helper()
	v.open("/")
	const text = `document.querySelector("main").innerText`
	before := v.script(`window.same = "page", ` + text)
	if err := instance.Poll(patience, func() error {
		if v.script(text) == before {
			return errors.New("the overview has not changed")
		}
		return nil
	}); err != nil {
		v.t.Error(err)
	}
	if v.script(`window.same ?? "another"`) != "page" {
		v.t.Error("the page was loaded again; its numbers were to move without that")
	}
}

// follow clicks the first link that the selector finds, and returns where it led.
func (v visit) follow(selector string) string {
	v.t.Helper()
	before := v.script(`location.pathname`)
	// The page may refresh itself between the look and the click, so that the link is looked up and clicked in one.
	if v.script(fmt.Sprintf(`(() => { const a = document.querySelector(%q); if (!a) return "none"; a.click(); return "clicked" })()`, selector)) != "clicked" {
		v.t.Fatalf("%s has no link %s", before, selector)
	}
	at := before
	if err := instance.Poll(patience, func() error {
		if at = v.script(`document.readyState == "complete" ? location.pathname : ""`); at == "" || at == before {
			return fmt.Errorf("still at %s", before)
		}
		return nil
	}); err != nil {
		v.t.Fatal(err)
	}
	return at
}

// A place is a metric of a team that the demo has, as a person finds it.
type place struct{ team, path string }

// clickThrough goes from the overview to a team, to one of its metrics, and to the sources.
func (v visit) clickThrough() place {
	v.t.Helper()
	v.open("/")
	team := v.follow(`main .teams th a`)
	metric := v.follow(`main .cards h3 a`)
	if got := v.script(`String(document.querySelectorAll("main svg, main canvas").length > 0 && document.querySelectorAll("main table tbody tr").length > 5)`); got != "true" {
		v.t.Errorf("%s has no chart, or no table under it", metric)
	}
	if sources := v.follow(`nav a[href="/sources"]`); sources != "/sources" {
		v.t.Errorf("the navigation leads to %s", sources)
	}
	name, err := url.PathUnescape(strings.TrimPrefix(team, "/teams/"))
	if err != nil {
		v.t.Fatal(err)
	}
	return place{url.PathEscape(name), metric}
}

// accessible wants no violation of any level, and no sideways scrolling.
func (v visit) accessible(path string, width int, scheme browser.Scheme) {
	v.t.Helper()
	if err := v.tab.Look(width, scheme); err != nil {
		v.t.Fatal(err)
	}
	found, err := v.tab.Axe()
	if err != nil {
		v.t.Fatal(err)
	}
	for _, violation := range found {
		v.t.Errorf("%s at %d, %s: %s", path, width, scheme, violation)
	}
	if v.script(`String(document.documentElement.scrollWidth > innerWidth)`) != "false" {
		v.t.Errorf("%s at %d scrolls sideways", path, width)
	}
}

// keyboard reads a chart with its keys alone: to the first value, one on, closer, and back to all.
func (v visit) keyboard(m place) {
	v.t.Helper()
	v.open(m.path)
	press := func(key string) string {
		return v.script(fmt.Sprintf(`(() => { const c = document.querySelector(".chart.drawn"); if (!c) return "no chart"; c.focus(); c.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true, cancelable: true})); return c.querySelector(".says").textContent + (c.classList.contains("zoomed") ? " zoomed" : "") })()`, key))
	}
	if err := instance.Poll(patience, func() error {
		if press("Home") == "no chart" {
			return errors.New("the chart is not drawn")
		}
		return nil
	}); err != nil {
		v.t.Fatal(err)
	}
	first, second := press("Home"), press("ArrowRight")
	if first == "" || second == "" || first == second {
		v.t.Errorf("the keys read %q and then %q", first, second)
	}
	press("+")
	if err := instance.Poll(patience, func() error {
		if got := v.script(`String(document.querySelector(".chart").classList.contains("zoomed"))`); got != "true" {
			return errors.New("+ does not zoom")
		}
		return nil
	}); err != nil {
		v.t.Error(err)
	}
	press("Escape")
	if err := instance.Poll(patience, func() error {
		if got := v.script(`String(document.querySelector(".chart").classList.contains("zoomed"))`); got != "false" {
			return errors.New("Escape does not show all")
		}
		return nil
	}); err != nil {
		v.t.Error(err)
	}
}

// still wants that a page which refreshes itself does not move what somebody looks at: the browser's own measure of it.
func (v visit) still(m place) {
	v.t.Helper()
	for _, path := range []string{"/", "/teams/" + m.team, m.path, "/quality"} {
		v.open(path)
		v.script(`window.moved = 0, window.swaps = 0, new PerformanceObserver(l => l.getEntries().forEach(e => window.moved += e.value)).observe({type: "layout-shift"}), document.addEventListener("htmx:afterSettle", () => window.swaps++), "watching"`)
		if err := instance.Poll(patience, func() error {
			if v.script(`String(window.swaps > 1)`) != "true" {
				return errors.New("the page has not refreshed itself twice")
			}
			return nil
		}); err != nil {
			v.t.Errorf("%s: %v", path, err)
			continue
		}
		if moved := v.script(`String(window.moved.toFixed(4))`); moved > "0.0100" {
			v.t.Errorf("%s: a refresh moved it by %s", path, moved)
		}
	}
}

// quiet wants a console without errors. That a page which does not exist answers 404 is on purpose.
func (v visit) quiet() {
	v.t.Helper()
	problems, err := v.tab.Problems()
	if err != nil {
		v.t.Fatal(err)
	}
	for _, p := range problems {
		if !strings.Contains(p, "404") {
			v.t.Errorf("the console says: %s", p)
		}
	}
}

// most is how large a picture in the repository may be.
const most = 150 << 10

// pictures takes those of the README.
func (v visit) pictures(m place) {
	v.t.Helper()
	for _, p := range []struct {
		path, name string
		scheme     browser.Scheme
	}{
		{"/", "overview-light", browser.Light}, {"/", "overview-dark", browser.Dark},
		{"/teams/" + m.team, "team-light", browser.Light},
		{"/teams/" + m.team + "/pr_pickup_time", "metric-light", browser.Light}, {"/teams/" + m.team + "/pr_pickup_time", "metric-dark", browser.Dark},
		{"/teams/" + m.team + "/work_heatmap", "week-light", browser.Light},
		{"/dora", "dora-light", browser.Light}, {"/waiting", "waiting-light", browser.Light},
		{"/sources", "sources-light", browser.Light},
	} {
		file, err := service.Tree("docs", "screenshots", p.name+".png")
		if err != nil {
			v.t.Fatal(err)
		}
		v.look(p.scheme)
		v.open(p.path)
		if err := v.tab.Window(file, 1280, 800, p.scheme); err != nil {
			v.t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Size() > most {
			v.t.Errorf("%s: %v, %v; at most %d bytes are wanted", file, info, err, most)
		}
	}
}
