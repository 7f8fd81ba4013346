package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"meridian/cmd/meridian/demo"
	"meridian/e2e/browser"
	"meridian/streaming/timeline"
)

// BenchmarkCrowd is the figures of docs/performance.md, "Pages", over a whole server: a
// process of its own with everything embedded, the history of many organisations in it.
// Alone, one person goes through the pages; then fifty do at once, each with a page
// that refreshes itself, beside 200 signed webhooks a second: first a part in which they
// come, then the one that counts. Meanwhile a browser has a page open and tells when it
// saw what a webhook had brought.
//
//	CROWD_EVENTS=250000 go test ./cmd/meridian -run '^$' -bench Crowd -benchtime 1x -timeout 30m
//
// 250,000 events are a million observations. CROWD_SECONDS is how long each
// part takes (30), CROWD_READERS and CROWD_WEBHOOKS (a second)
// change the crowd. Times are on the wall, so they mean something on a machine that
// has nothing else to do; the load that was found is told beside them.
func BenchmarkCrowd(b *testing.B) {
	length := time.Duration(number(b, "CROWD_SECONDS", 30)) * time.Second
	readers, rate := number(b, "CROWD_READERS", 50), number(b, "CROWD_WEBHOOKS", 200)
	c := newCrowded(b, number(b, "CROWD_EVENTS", benchEvents))
	probe := c.watch(b)
	for b.Loop() {
		b.ReportMetric(loadAverage(), "load-before")
		alone := c.part(b, probe, length, 1, 0)
		alone.report(b, "alone")
		c.part(b, probe, length, readers, rate).report(b, "coming") // nearly every page is seen for the first time
		crowd := c.part(b, probe, length, readers, rate)
		crowd.report(b, "crowd")
		b.ReportMetric(loadAverage(), "load-after")
	}
	b.ReportMetric(0, "ns/op")
}

func number(b *testing.B, variable string, otherwise int) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(variable), strconv.Itoa(otherwise)))
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// loadAverage is that of the last minute; 0 on a system without /proc.
func loadAverage() (load float64) {
	data, _ := os.ReadFile("/proc/loadavg")
	_, _ = fmt.Sscan(string(data), &load)
	return load
}

// crowded is a server with the history of many organisations.
type crowded struct {
	child
	address       string
	teams         []string
	organisations int
	names         *renamer
	traffic       *demo.Traffic
	secrets       map[string]string // by path
	cookie        *http.Cookie
	probes        int
}

func newCrowded(b *testing.B, events int) *crowded {
	b.Helper()
	folder := b.TempDir()
	c := &crowded{organisations: max(1, events/19_000), address: browserAddress(b), secrets: map[string]string{}}
	c.file, c.dir = filepath.Join(folder, "meridian.yaml"), filepath.Join(folder, "data")
	c.webhook, c.socket = c.address, filepath.Join(c.dir, adminSocket)
	catalog, archive := filepath.Join(folder, "catalog.yaml"), filepath.Join(folder, "history.jsonl")
	org, names, deliveries := manyArchive(b, archive, catalog, c.organisations, timeline.FromTime(time.Now().Add(-time.Minute)))
	c.names = names
	text := fmt.Sprintf("listen: %s\nbase_url: http://%s\ndata_dir: %s\ncatalog: %s\nsources:\n", c.address, c.address, c.dir, catalog)
	for _, s := range org.Sources() {
		text += fmt.Sprintf("  %s: [{name: %s, secrets: [%s]}]\n", s.Provider, s.Name, s.Secret)
		c.secrets["/webhooks/"+s.Provider+"/"+s.Name] = s.Secret
	}
	if err := os.WriteFile(c.file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	var said bytes.Buffer
	if code := run(b.Context(), []string{"import", "--history", "--config", c.file, archive}, streams{in: bytes.NewReader(nil), out: &said, err: &said}); code != exitOK {
		b.Fatalf("exit code %d: %s", code, said.String())
	}
	_ = os.Remove(archive)
	b.Cleanup(func() { c.end(b) })
	c.begin(b, "")
	c.traffic = org.Live(timeline.FromTime(time.Now()))
	c.signIn(b)
	await(b, c.ended, func() error { // the history is what readers see
		text, err := c.page("/status")
		if err == nil && !strings.Contains(text, "Numbers up to") {
			err = fmt.Errorf("no clock yet")
		}
		return err
	})
	for n := range c.organisations {
		for _, team := range []string{"storefront", "payments", "mobile", "platform"} {
			c.teams = append(c.teams, organisationName(n).name(team))
		}
	}
	await(b, c.ended, func() error {
		text, err := c.page("/teams/" + c.teams[len(c.teams)-1])
		if err == nil && !strings.Contains(text, "n = ") {
			err = fmt.Errorf("the last team has no numbers yet")
		}
		return err
	})
	b.Logf("%d deliveries of %d teams were there after %v", deliveries, len(c.teams), time.Since(began).Round(time.Second))
	return c
}

// browserAddress is one that the test's browser goes to: it resolves 127.0.0.1 alone.
func browserAddress(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// signIn opens a link as a person does, and keeps the cookie.
func (c *crowded) signIn(b *testing.B) {
	b.Helper()
	await(b, c.ended, func() error {
		link, err := command(b, "sign-in", "--config", c.file)
		if err != nil {
			return err
		}
		res, err := http.Get(strings.TrimSpace(link))
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if len(res.Cookies()) == 0 {
			return fmt.Errorf("signing in was answered %s", res.Status)
		}
		c.cookie = res.Cookies()[0]
		return nil
	})
}

// watch opens a page in a browser and notes when it says what.
func (c *crowded) watch(b *testing.B) *browser.Tab {
	b.Helper()
	await(b, c.ended, func() error { return c.probe() })
	await(b, c.ended, func() error { _, err := c.page(probePage); return err })
	tab := browser.ForTest(b).Tab(b, time.Hour)
	link, err := command(b, "sign-in", "--config", c.file)
	if err != nil {
		b.Fatal(err)
	}
	if err := chromedp.Do(tab.Ctx, chromedp.Navigate(strings.TrimSpace(link))); err != nil {
		b.Fatal(err)
	}
	if err := chromedp.Do(tab.Ctx, chromedp.Navigate("http://"+c.address+probePage)); err != nil {
		b.Fatal(err)
	}
	script := `window.seen = [], setInterval(() => { const n = Number(/n = (\d+)/.exec(document.querySelector("main")?.textContent)?.[1]); if (n && n != seen.at(-1)?.[0]) seen.push([n, Date.now()]) }, 10), "watching"`
	if _, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](script)); err != nil {
		b.Fatal(err)
	}
	return tab
}

// A probe is a deployment of a team that nobody else works for, so that its page
// changes with each one.
const (
	probeTeam = "probe"
	probePage = "/teams/" + probeTeam + "/deploy_frequency"
)

func (c *crowded) probe() error {
	body := fmt.Appendf(nil, `{"id": "probe-%d", "service": %q, "environment": "production", "status": "success", "finished_at": %q}`, c.probes, probeTeam, time.Now().UTC().Format(time.RFC3339))
	path := "/webhooks/deploy/conveyor"
	err := deliver("http://"+c.address+path, c.secrets[path], body)
	if err == nil {
		c.probes++
	}
	return err
}

// seen is when the browser first saw a number of deployments, or more.
func seen(b *testing.B, tab *browser.Tab, ctx context.Context, n int) (time.Time, error) {
	b.Helper()
	for {
		list, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[[][2]int64](`window.seen`))
		if err != nil {
			return time.Time{}, err
		}
		for _, s := range list {
			if s[0] >= int64(n) {
				return time.UnixMilli(s[1]), nil
			}
		}
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("the browser has seen %v, and not %d", list, n)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
