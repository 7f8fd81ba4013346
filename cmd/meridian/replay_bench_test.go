package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"meridian/cmd/meridian/demo"
	"meridian/ingest"
	"meridian/streaming/timeline"
)

// The figure of docs/performance.md: what webhooks and pages take beside a replay of
// 90 days of an organisation, and without one. The server is a process of its own
// with everything embedded; replays follow each other without a pause.
//
//	go test ./cmd/meridian -run xxx -bench BenchmarkBesideAReplay -benchtime 1x
func BenchmarkBesideAReplay(b *testing.B) {
	c := newChild(b)
	end := timeline.FromTime(time.Now().Add(-time.Hour))
	file := filepath.Join(filepath.Dir(c.file), "history.jsonl")
	f, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	out, lines := ingest.NewArchiveWriter(f), 0
	for line := range demo.New(1, end).History() {
		if err := out.Write(line); err != nil {
			b.Fatal(err)
		}
		lines++
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	var said bytes.Buffer
	if code := run(b.Context(), []string{"import", "--history", "--data-dir", c.dir, file}, streams{in: bytes.NewReader(nil), out: &said, err: &said}); code != exitOK {
		b.Fatalf("exit code %d: %s", code, said.String())
	}
	c.begin(b, "")
	c.sends(b, 5)
	c.becomesLive(b, 1)
	for b.Loop() {
		webhook, page := c.measure(b, 15*time.Second)
		stop, stopped := make(chan struct{}), make(chan int)
		go func() {
			n := 0
			for {
				select {
				case <-stop:
					stopped <- n
					return
				default:
				}
				if _, err := command(b, "replay", "--mode", "restate", "--data-dir", c.dir); err != nil {
					b.Error(err)
				}
				n++
				if _, err := command(b, "replay", "drop", fmt.Sprint(n+1), "--data-dir", c.dir); err != nil {
					b.Error(err)
				}
			}
		}()
		webhookBeside, pageBeside := c.measure(b, 15*time.Second)
		close(stop)
		b.ReportMetric(float64(<-stopped), "replays")
		b.ReportMetric(webhook.Seconds()*1000, "webhook-p99-ms")
		b.ReportMetric(webhookBeside.Seconds()*1000, "webhook-p99-beside-ms")
		b.ReportMetric(page.Seconds()*1000, "page-p95-ms")
		b.ReportMetric(pageBeside.Seconds()*1000, "page-p95-beside-ms")
	}
}

// becomesLive waits until readers see a generation.
func (c *child) becomesLive(t testing.TB, number uint32) {
	t.Helper()
	await(t, c.ended, func() error {
		out, err := command(t, "replay", "show", fmt.Sprint(number), "--data-dir", c.dir)
		if err == nil && !bytes.Contains([]byte(out), []byte("readers see it")) {
			err = fmt.Errorf("%s", out)
		}
		return err
	})
}

// measure sends 50 webhooks a second and reads 5 pages a second.
func (c *child) measure(t testing.TB, length time.Duration) (webhookP99, pageP95 time.Duration) {
	t.Helper()
	pages := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", c.socket)
	}}}
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	took := func(every time.Duration, do func(n int64) error) []time.Duration {
		var all []time.Duration
		var n atomic.Int64
		again := time.NewTicker(every)
		defer again.Stop()
		for ctx.Err() == nil {
			began := time.Now()
			if err := do(n.Add(1)); err != nil {
				t.Error(err)
			}
			all = append(all, time.Since(began))
			<-again.C
		}
		slices.Sort(all)
		return all
	}
	done := make(chan []time.Duration)
	go func() {
		done <- took(200*time.Millisecond, func(n int64) error {
			res, err := pages.Get("http://localhost/" + []string{"", "dora", "quality"}[n%3])
			if err != nil {
				return err
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusOK {
				return fmt.Errorf("a page was answered %s", res.Status)
			}
			return nil
		})
	}()
	webhooks := took(20*time.Millisecond, func(int64) error { return c.send() })
	p := <-done
	return webhooks[len(webhooks)*99/100], p[len(p)*95/100]
}
