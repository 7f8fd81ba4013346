package main

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"meridian/ingest/catalog"
	"meridian/metrics"
	"meridian/storage"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming/kafka"
	"meridian/web"
)

// BenchmarkPages asks for pages over the rows of many organisations in an embedded
// ClickHouse. Each page is asked for at a clock of its own, as after a tick, so that
// nothing is remembered; ms/p95 is time on the wall, cpu-ms what Meridian and
// ClickHouse used together, which can be compared on a busy machine.
//
//	MERIDIAN_BENCH_EVENTS=1000000 go test ./cmd/meridian -run '^$' -bench Pages -benchtime 20x
func BenchmarkPages(b *testing.B) {
	p, _ := manyPast(b, benchSize(b), 0)
	server := embeddedtest.Start(b)
	db, err := storage.Open(storage.Config{Options: server.Options(), Embedded: true})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := db.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	sink := &tableRows{Sink: db.NewSink(storage.Live, nil)}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- sink.Run(ctx) }()
	h := p.history(b, kafka.NewSnapshotDir(b.TempDir()), sink, p.history(b, nil, nil, 0).estimate())
	if err := h.run(b.Context()); err != nil {
		b.Fatal(err)
	}
	stop()
	if err := ignoreCanceled(<-done); err != nil {
		b.Fatal(err)
	}
	if err := db.SetCurrent(b.Context(), p.manifest.Number, 1); err != nil {
		b.Fatal(err)
	}
	definitions, err := definitionsOf(nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	clock := p.manifest.HistoryEnd.Clock()
	results := &atClock{Reader: db.NewReader().Knowing(definitions...), as: metrics.AsOf{Generation: p.manifest.Number, Clock: clock}}
	c := web.DefaultConfig()
	c.Mode, c.Definitions, c.Shared, c.Log = web.ModeNone, definitions, true, slog.New(slog.DiscardHandler)
	c.Now = func() time.Time { return clock.Time() }
	cat := p.pins.catalog
	s, err := web.New(c, results, directory{func() *catalog.Catalog { return cat }}, nothingSeen{}, nothingSeen{}, &updates{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.Logf("%d rows, %d teams", sink.count(), len(cat.TeamList()))
	team := "/teams/" + cat.TeamList()[0].Name
	for _, path := range []string{"/", team, team + "?grain=hour", team + "/pr_pickup_time", team + "/pr_pickup_time?sort=longest&compare=previous", team + "/after_hours", "/dora", "/waiting", "/quality"} {
		b.Run(strings.ReplaceAll(path, "/", "|"), func(b *testing.B) {
			var took []time.Duration
			var size int
			cpu := familyCPU()
			if text := pageOf(b, s, path); !strings.Contains(text, "n = ") && !strings.Contains(text, "<td") {
				b.Fatalf("%s has no numbers:\n%s", path, text)
			}
			for b.Loop() {
				results.as.Clock++ // a tick
				began := time.Now()
				w := httptest.NewRecorder()
				r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil)
				r.Header.Set("Accept", "text/html")
				r.Header.Set("Accept-Encoding", "gzip")
				s.Handler().ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatalf("%s: %d %s", path, w.Code, w.Body)
				}
				took, size = append(took, time.Since(began)), w.Body.Len()
			}
			slices.Sort(took)
			b.ReportMetric(float64(familyCPU()-cpu)/float64(time.Millisecond)/float64(len(took)), "cpu-ms")
			b.ReportMetric(float64(took[len(took)/2])/float64(time.Millisecond), "ms/p50")
			b.ReportMetric(float64(took[len(took)*95/100])/float64(time.Millisecond), "ms/p95")
			b.ReportMetric(float64(size)/1024, "KiB-gzipped")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func pageOf(b *testing.B, s *web.Server, path string) string {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Body.String()
}

// atClock is a reader whose clock the benchmark moves.
type atClock struct {
	*storage.Reader
	as metrics.AsOf
}

func (r *atClock) AsOf(context.Context) (metrics.AsOf, error) { return r.as, nil }

type nothingSeen struct{}

func (nothingSeen) Sources() []web.SourceStatus         { return nil }
func (nothingSeen) Health(context.Context) []web.Health { return nil }
func (nothingSeen) Engine() web.EngineStatus            { return web.EngineStatus{} }

// familyCPU is what this process and its children have used; 0 on a system without
// /proc.
func familyCPU() time.Duration {
	var ticks int64
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if parent, _ := strconv.Atoi(fields[1]); pid != os.Getpid() && parent != os.Getpid() {
			continue
		}
		for _, n := range fields[11:13] {
			v, _ := strconv.ParseInt(n, 10, 64)
			ticks += v
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
