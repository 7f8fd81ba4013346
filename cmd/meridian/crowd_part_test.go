package main

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"meridian/e2e/browser"
	"meridian/streaming/timeline"
)

// crowdPart is what one part of BenchmarkCrowd took.
type crowdPart struct {
	mu                                sync.Mutex
	pages, refreshes, webhooks, shown []time.Duration
	wall, cpu                         time.Duration
}

func (p *crowdPart) add(to *[]time.Duration, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*to = append(*to, took)
}

func (p *crowdPart) report(b *testing.B, name string) {
	for what, took := range map[string][]time.Duration{"page": p.pages, "refresh": p.refreshes, "webhook": p.webhooks, "shown": p.shown} {
		if len(took) == 0 {
			continue
		}
		slices.Sort(took)
		ms := func(share int) float64 { return float64(took[len(took)*share/100].Microseconds()) / 1000 }
		b.Logf("%s: %d of %s, ms: p50 %.0f, p95 %.0f, p99 %.0f, longest %.0f", name, len(took), what, ms(50), ms(95), ms(99), float64(took[len(took)-1].Milliseconds()))
		b.ReportMetric(ms(95), what+"-p95-ms-"+name)
	}
	b.ReportMetric(p.cpu.Seconds()/p.wall.Seconds(), "cores-"+name)
	b.ReportMetric(float64(len(p.pages)+len(p.refreshes))/p.wall.Seconds(), "pages/s-"+name)
}

// part lets people read, webhooks come and the browser look for a while.
func (c *crowded) part(b *testing.B, tab *browser.Tab, length time.Duration, readers, rate int) *crowdPart {
	b.Helper()
	p := new(crowdPart)
	ctx, stop := context.WithTimeout(b.Context(), length)
	defer stop()
	began, cpu := time.Now(), treeCPU(c.cmd.Process.Pid)
	var all sync.WaitGroup
	for n := range readers {
		all.Go(func() { c.reader(ctx, b, p, uint64(n)) })
	}
	if rate > 0 {
		all.Go(func() { c.webhooks(ctx, b, p, rate) })
	}
	random := rand.New(rand.NewPCG(1, 9))
	for ctx.Err() == nil {
		sent := time.Now()
		if err := c.probe(); err != nil {
			b.Error(err)
			break
		}
		limit, cancel := context.WithTimeout(b.Context(), 30*time.Second)
		at, err := seen(b, tab, limit, c.probes)
		cancel()
		if err != nil {
			b.Error(err)
			break
		}
		p.add(&p.shown, at.Sub(sent))
		time.Sleep(time.Duration(200+random.IntN(1500)) * time.Millisecond)
	}
	all.Wait()
	p.wall, p.cpu = time.Since(began), treeCPU(c.cmd.Process.Pid)-cpu
	return p
}

// reader goes from page to page, some seconds on each, which refreshes itself as the
// pages' script does.
func (c *crowded) reader(ctx context.Context, b *testing.B, p *crowdPart, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 4))
	rows := make(chan struct{}, 1)
	go c.follow(ctx, rows)
	get := func(to *[]time.Duration, path string) time.Duration {
		began := time.Now()
		_, err := c.page(path)
		took := time.Since(began)
		if err != nil && ctx.Err() == nil {
			b.Error(err)
		}
		if err == nil {
			p.add(to, took)
		}
		return took
	}
	for ctx.Err() == nil {
		path := c.somewhere(random)
		rested := time.Now().Add(rest(get(&p.pages, path)))
		leaves := time.After(time.Duration(2000+random.IntN(6000)) * time.Millisecond)
		for here, changed := true, false; here; {
			var again <-chan time.Time
			if changed {
				again = time.After(time.Until(rested))
			}
			select {
			case <-ctx.Done():
				return
			case <-leaves:
				here = false
			case <-rows:
				changed = true
			case <-again:
				changed = false
				rested = time.Now().Add(rest(get(&p.refreshes, path)))
			}
		}
	}
}

// rest is how long the script waits after a refresh that took this long.
func rest(took time.Duration) time.Duration { return max(300*time.Millisecond, 10*took) }

// somewhere is a page that people look at, as often as they do, more or less.
func (c *crowded) somewhere(random *rand.Rand) string {
	team := "/teams/" + c.teams[random.IntN(len(c.teams))]
	metric := []string{"pr_pickup_time", "pr_merged", "lead_time", "issue_cycle_time", "after_hours"}[random.IntN(5)]
	switch n := random.IntN(100); {
	case n < 30:
		return "/"
	case n < 55:
		return team
	case n < 75:
		return team + "/" + metric
	case n < 80:
		return team + "/" + metric + "?grain=hour"
	case n < 85:
		return team + "?grain=hour"
	case n < 90:
		return "/waiting?team=" + c.teams[random.IntN(len(c.teams))]
	case n < 94:
		return "/dora"
	case n < 97:
		return "/waiting"
	}
	return "/quality"
}

var crowdClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 300}}

// page asks for a page as a browser does, and reads it whole.
func (c *crowded) page(path string) (string, error) {
	r, err := http.NewRequest(http.MethodGet, "http://"+c.address+path, nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("Accept", "text/html")
	r.AddCookie(c.cookie)
	res, err := crowdClient.Do(r) // which asks for gzip
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s was answered %s", path, res.Status)
	}
	return string(text), err
}

// follow tells when rows have been written, as the server says to open pages.
func (c *crowded) follow(ctx context.Context, rows chan<- struct{}) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.address+"/events", nil)
	if err != nil {
		return
	}
	r.AddCookie(c.cookie)
	res, err := crowdClient.Do(r)
	if err != nil {
		return
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "event: rows") {
			select {
			case rows <- struct{}{}:
			default:
			}
		}
	}
}

// webhooks sends what happens, to each organisation the same, at a steady rate: when
// it is due, whatever becomes of those before.
func (c *crowded) webhooks(ctx context.Context, b *testing.B, p *crowdPart, rate int) {
	due := time.NewTicker(time.Second / time.Duration(rate))
	defer due.Stop()
	var sent sync.WaitGroup
	defer sent.Wait()
	for {
		happened := c.traffic.Next(timeline.FromTime(time.Now()))
		for n := range c.organisations {
			body, ok := c.names.body(happened.Body, n)
			if !ok {
				break
			}
			select {
			case <-ctx.Done():
				return
			case at := <-due.C:
				sent.Go(func() {
					if err := c.signed(happened.Path, happened.Headers, body); err != nil && ctx.Err() == nil {
						b.Error(err)
					}
					p.add(&p.webhooks, time.Since(at))
				})
			}
		}
	}
}

func (c *crowded) signed(path string, headers map[string]string, body []byte) error {
	r, err := http.NewRequest(http.MethodPost, "http://"+c.address+path, strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(c.secrets[path]))
	mac.Write(body)
	for name, value := range headers {
		if strings.HasPrefix(value, "sha256=") {
			value = "sha256=" + hex.EncodeToString(mac.Sum(nil))
		}
		r.Header.Set(name, value)
	}
	res, err := crowdClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		text, _ := io.ReadAll(res.Body)
		return fmt.Errorf("a webhook was answered %s: %s", res.Status, text)
	}
	return nil
}

// treeCPU is what a process and all below it have used; 0 on a system without /proc.
func treeCPU(root int) time.Duration {
	type process struct {
		parent int
		ticks  int64
	}
	all := map[int]process{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		text := string(data)
		fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		parent, _ := strconv.Atoi(fields[1])
		user, _ := strconv.ParseInt(fields[11], 10, 64)
		system, _ := strconv.ParseInt(fields[12], 10, 64)
		all[pid] = process{parent, user + system}
	}
	var ticks int64
	for pid, p := range all {
		for up := pid; up > 1; up = all[up].parent {
			if up == root {
				ticks += p.ticks
				break
			}
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
