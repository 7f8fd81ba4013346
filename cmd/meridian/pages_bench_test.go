package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
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
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
	"meridian/web"
)

// BenchmarkPages asks for pages over the rows of many organisations in an embedded
// ClickHouse. Before each asking a tick has written rows of one team, so that readers'
// clock has moved and nothing of the page is remembered as it is. It tells
//
//   - cpu-ms and ms/p50, ms/p95 of a page half a second after the last, as open pages ask;
//   - ms/p95-minute of one that is asked for after more than a minute, when what is
//     worked out each minute is worked out again;
//   - ms/first of a server that has just started.
//
// cpu-ms is what Meridian and ClickHouse used together, which can be compared on a busy
// machine; ms are on the wall. 250,000 events are a million observations:
//
//	MERIDIAN_BENCH_EVENTS=250000 go test ./cmd/meridian -run '^$' -bench Pages -benchtime 40x
func BenchmarkPages(b *testing.B) {
	m := newManyPages(b, benchSize(b))
	team := "/teams/" + m.teams[0]
	for _, path := range []string{"/", team, team + "?grain=hour", team + "/pr_pickup_time", team + "/pr_pickup_time?sort=longest&compare=previous", team + "/after_hours", "/dora", "/waiting", "/quality"} {
		b.Run(strings.ReplaceAll(path, "/", "|"), func(b *testing.B) {
			s := m.server(b)
			text, first, _ := m.ask(b, s, path)
			if !strings.Contains(text, "n = ") && !strings.Contains(text, "<td") {
				b.Fatalf("%s has no numbers:\n%s", path, text)
			}
			var took, minutes []time.Duration
			var cpu time.Duration
			for b.Loop() {
				m.tick(b, timeline.Second/2)
				_, wall, used := m.ask(b, s, path)
				took, cpu = append(took, wall), cpu+used
			}
			for range max(5, len(took)/4) {
				m.tick(b, 61*timeline.Second)
				_, wall, _ := m.ask(b, s, path)
				minutes = append(minutes, wall)
			}
			slices.Sort(took)
			slices.Sort(minutes)
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(cpu)/float64(len(took)), "cpu-ms")
			b.ReportMetric(ms(took[len(took)/2]), "ms/p50")
			b.ReportMetric(ms(took[len(took)*95/100]), "ms/p95")
			b.ReportMetric(ms(minutes[len(minutes)*95/100]), "ms/p95-minute")
			b.ReportMetric(ms(first), "ms/first")
			b.ReportMetric(float64(m.size)/1024, "KiB-gzipped")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// manyPages are the rows of many organisations, and what servers of pages over them need.
type manyPages struct {
	db      *storage.Database
	sink    *storage.Sink
	catalog *catalog.Catalog
	teams   []string
	known   []*metrics.Definition
	shards  int32
	as      metrics.AsOf
	rows    []*metrics.Point // of one team, that a tick writes again
	size    int              // of the last page
	pids    []int            // Meridian's and ClickHouse's
}

func newManyPages(b *testing.B, events int) *manyPages {
	b.Helper()
	p, _ := manyPast(b, events, 0)
	server := embeddedtest.Start(b)
	db, err := storage.Open(storage.Config{Options: server.Options(), Embedded: true, Interval: time.Millisecond})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := db.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	m := &manyPages{db: db, sink: db.NewSink(storage.Live, nil), catalog: p.pins.catalog, shards: p.manifest.EventsPartitions, pids: []int{os.Getpid(), server.Status().PID}}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.sink.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		if err := ignoreCanceled(<-done); err != nil {
			b.Error(err)
		}
	})
	rows := &tableRows{Sink: m.sink}
	h := p.history(b, kafka.NewSnapshotDir(b.TempDir()), rows, p.history(b, nil, nil, 0).estimate())
	if err := h.run(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := db.SetCurrent(b.Context(), p.manifest.Number, 1); err != nil {
		b.Fatal(err)
	}
	if m.known, err = definitionsOf(nil, nil); err != nil {
		b.Fatal(err)
	}
	for _, t := range m.catalog.TeamList() {
		m.teams = append(m.teams, t.Name)
	}
	m.as = metrics.AsOf{Generation: p.manifest.Number, Clock: p.manifest.HistoryEnd.Clock()}
	for _, grain := range []metrics.Grain{metrics.Hour, metrics.Day, metrics.Day30} {
		from := m.as.Clock - 30*timeline.Day
		if grain != metrics.Day30 {
			from = m.as.Clock - timeline.Day
		}
		points, err := db.NewReader().Knowing(m.known...).Points(b.Context(), metrics.Query{Teams: m.teams[:1], Grain: grain, From: from, To: m.as.Clock + 1})
		if err != nil {
			b.Fatal(err)
		}
		m.rows = append(m.rows, points...)
	}
	b.Logf("%d rows, of which %d observations, of %d teams; a tick writes %d", rows.count(), rows.observations.Load(), len(m.teams), len(m.rows))
	return m
}

// tick moves readers' clock, and writes what moves with it.
func (m *manyPages) tick(b *testing.B, by timeline.Millis) {
	b.Helper()
	m.as.Clock += by
	round := streaming.RoundOf(m.as.Clock)
	var rows []metrics.Row
	for _, p := range m.rows {
		again := *p
		again.Version = streaming.NewVersion(m.as.Generation, round)
		rows = append(rows, &again)
	}
	if err := m.sink.Put(b.Context(), 0, rows); err != nil {
		b.Fatal(err)
	}
	for shard := range m.shards {
		m.sink.Advance(shard, m.as.Generation, round.Clock())
	}
	if err := m.sink.Flush(b.Context(), 0); err != nil {
		b.Fatal(err)
	}
}

func (m *manyPages) server(b *testing.B) *web.Server {
	b.Helper()
	c := web.DefaultConfig()
	c.Mode, c.Definitions, c.Shared, c.Log = web.ModeNone, m.known, true, slog.New(slog.DiscardHandler)
	c.Now = func() time.Time { return m.as.Clock.Time() }
	s, err := web.New(c, m.db.NewReader().Knowing(m.known...), directory{func() *catalog.Catalog { return m.catalog }}, nothingSeen{}, nothingSeen{}, &updates{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	return s
}

// ask asks for a page as a browser does.
func (m *manyPages) ask(b *testing.B, s *web.Server, path string) (text string, wall, cpu time.Duration) {
	b.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Encoding", "gzip")
	looking := threadCPU(m.pids...)
	before := threadCPU(m.pids...)
	looking = before - looking // what it takes to look is no page's
	began := time.Now()
	s.Handler().ServeHTTP(w, r)
	wall = time.Since(began)
	cpu = threadCPU(m.pids...) - before - looking
	if w.Code != http.StatusOK {
		b.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	m.size = w.Body.Len()
	if w.Header().Get("Content-Encoding") == "gzip" {
		return unzipped(b, w.Body), wall, cpu
	}
	return w.Body.String(), wall, cpu
}

type nothingSeen struct{}

func (nothingSeen) Sources() []web.SourceStatus         { return nil }
func (nothingSeen) Health(context.Context) []web.Health { return nil }
func (nothingSeen) Engine() web.EngineStatus            { return web.EngineStatus{} }

// threadCPU is what some processes have used, thread by thread, for the counts of
// processes move in steps of 10 ms; 0 on a system without /proc.
func threadCPU(pids ...int) (used time.Duration) {
	for _, pid := range pids {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, thread := range threads {
			data, _ := os.ReadFile(thread)
			first, _, _ := strings.Cut(string(data), " ")
			n, _ := strconv.ParseInt(first, 10, 64)
			used += time.Duration(n)
		}
	}
	return used
}

func unzipped(b *testing.B, r io.Reader) string {
	b.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}
