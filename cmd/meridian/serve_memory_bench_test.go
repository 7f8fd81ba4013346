package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// manyAsHistory fills the log of a server that is a child with the history of many
// organisations that ends now; nil: with nothing.
func manyAsHistory(events string) func(context.Context, *machine, func(string)) (streaming.Round, error) {
	n, err := strconv.Atoi(events)
	if err != nil {
		return nil
	}
	return func(ctx context.Context, m *machine, _ func(string)) (streaming.Round, error) {
		own, organisations, _, err := manyOrganisations(timeline.FromTime(time.Now()), n, 0)
		if err != nil {
			return 0, err
		}
		last, err := fillMany(ctx, m.log, own, organisations)
		return streaming.RoundOf(last), err
	}
}

// BenchmarkServeMemory is the resident memory of a server that has everything embedded,
// ClickHouse in a process of its own apart, with the state of a million events: when it
// has computed them as its history, and after a restart, each time when it has been
// quiet for a minute. It takes the last of what it finds then, and the peak.
//
//	MERIDIAN_BENCH_EVENTS=1000000 go test ./cmd/meridian -run '^$' -bench ServeMemory -benchtime 1x -timeout 60m
func BenchmarkServeMemory(b *testing.B) {
	events := benchSize(b)
	_, organisations, text, err := manyOrganisations(timeline.FromTime(time.Now()), events, 0)
	if err != nil {
		b.Fatal(err)
	}
	c := newChild(b)
	if err := os.WriteFile(filepath.Join(filepath.Dir(c.file), "catalog.yaml"), text, 0o600); err != nil {
		b.Fatal(err)
	}
	c.many = fmt.Sprint(events)
	c.begin(b, "")
	c.caughtUp(b)
	b.ReportMetric(c.settled(b), "after-history-MiB")
	b.ReportMetric(c.memory(b, "VmHWM"), "peak-of-history-MiB")
	c.end(b)
	c.many = ""
	c.begin(b, "")
	c.caughtUp(b)
	b.ReportMetric(c.settled(b), "after-restart-MiB")
	b.ReportMetric(c.memory(b, "VmHWM"), "peak-of-restart-MiB")
	b.ReportMetric(float64(4*organisations), "teams")
	b.ReportMetric(0, "ns/op")
}

// caughtUp waits until readers see a generation, and every shard has read everything.
func (c *child) caughtUp(b *testing.B) {
	b.Helper()
	for {
		select {
		case code := <-c.ended:
			c.ended <- code
			b.Fatalf("the server ended with exit code %d", code)
		case <-time.After(time.Second):
		}
		text, err := (&app{}).askAdmin(b.Context(), (&instanceTest{}).config(&c.server), "GET", "/metrics")
		if err != nil {
			continue
		}
		running := 0
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "meridian_shard_running{") && strings.HasSuffix(strings.TrimSpace(line), " 1") {
				running++
			}
			if strings.HasPrefix(line, "meridian_shard_lag_records{") && !strings.HasSuffix(strings.TrimSpace(line), " 0") {
				running = -100
			}
		}
		if running > 0 {
			return
		}
	}
}

// settled is the resident memory after a quiet minute.
func (c *child) settled(b *testing.B) float64 {
	b.Helper()
	for range 6 {
		time.Sleep(10 * time.Second) // a benchmark: what the collector gives back, it gives back slowly
		b.Logf("resident: %.0f MiB", c.memory(b, "VmRSS"))
	}
	return c.memory(b, "VmRSS")
}

// memory is a figure of the process's status, in MiB.
func (c *child) memory(b *testing.B, name string) float64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			var kb float64
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				return kb / 1024
			}
		}
	}
	b.Fatalf("no %s in the status of the process", name)
	return 0
}
