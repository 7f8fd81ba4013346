package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"meridian/metrics"
	"meridian/storage"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming/kafka"
)

// benchEvents is how long the log is; MERIDIAN_BENCH_EVENTS says otherwise.
const benchEvents = 100_000

func benchSize(b *testing.B) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("MERIDIAN_BENCH_EVENTS"), strconv.Itoa(benchEvents)))
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkRestate recomputes a history from the topic to rows, beside a franz-go
// client that reads the same topic and does nothing: in memory, scattered to
// files, and into an embedded ClickHouse.
//
// The log is of 30 days, with about two events a delivery and 5,000 a team: a million
// events have 200 teams. MERIDIAN_BENCH_TEAMS says otherwise; at 0 the log is one of 90
// days, with one event a delivery and some 4,700 a team.
//
//	make bench-restate
//	MERIDIAN_BENCH_EVENTS=1000000 go test ./cmd/meridian -run '^$' -bench Restate -benchtime 1x
func BenchmarkRestate(b *testing.B) {
	p, deliveries := restated(b)
	fits := p.history(b, nil, nil, 0).estimate()
	for _, c := range []struct {
		name   string
		memory int64
		sink   func(b *testing.B) (benchSink, func() error)
	}{
		{"memory", fits, dropped},
		{"files", fits / 6, dropped}, // replay.memory of 512 MiB for a million
		{"clickhouse", fits, intoClickHouse},
		{"files-clickhouse", fits / 6, intoClickHouse},
	} {
		b.Run(c.name, func(b *testing.B) {
			alone := measured(func() { p.consume(b) })
			sink, end := c.sink(b)
			h := p.history(b, kafka.NewSnapshotDir(b.TempDir()), sink, c.memory)
			resetHighWater(b)
			var reading usage // the rest is the end: folds from files, rows, snapshots
			began, cpu := time.Now(), cpuTime()
			h.tuning.reached = func(step string) error {
				if step == "read" {
					reading = usage{time.Since(began), cpuTime() - cpu}
				}
				return nil
			}
			used := measured(func() {
				if err := h.run(b.Context()); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(reading.wall.Seconds(), "read-wall-s")
			b.ReportMetric(reading.cpu.Seconds(), "read-cpu-s")
			b.ReportMetric(highWater()/(1<<20), "rss-MiB")
			if err := end(); err != nil {
				b.Fatal(err)
			}
			accepted := int64(0)
			for _, r := range h.routes {
				accepted += r.program.Counts().Decoded
			}
			used.report(b, deliveries, int(accepted))
			b.ReportMetric(float64(sink.count()), "rows")
			b.ReportMetric(float64(sink.count())/float64(accepted), "rows/event")
			b.ReportMetric(float64(deliveries)/alone.wall.Seconds(), "read-alone/s")
			b.ReportMetric(alone.wall.Seconds()/used.wall.Seconds(), "of-reading-alone")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// eventsOfTeam is how dense a log is: events of a team in 30 days.
const eventsOfTeam = 5_000

// restated is the log of BenchmarkRestate.
func restated(b *testing.B) (p past, deliveries int) {
	b.Helper()
	events := benchSize(b)
	teams, err := strconv.Atoi(cmp.Or(os.Getenv("MERIDIAN_BENCH_TEAMS"), strconv.Itoa(max(1, events/eventsOfTeam))))
	switch {
	case err != nil || teams < 0:
		b.Fatalf("MERIDIAN_BENCH_TEAMS is no number of teams: %v", err)
	case teams == 0:
		return manyPast(b, events, 0)
	}
	return densePast(b, events, teams)
}

// BenchmarkHotTeam is BenchmarkRestate of a log of which one team has four fifths: its
// shard does most of the work, and one core computes a shard.
func BenchmarkHotTeam(b *testing.B) {
	p, deliveries := manyPast(b, benchSize(b), 0.8)
	sink := &dropRows{}
	h := p.history(b, kafka.NewSnapshotDir(b.TempDir()), sink, p.history(b, nil, nil, 0).estimate())
	resetHighWater(b)
	used := measured(func() {
		if err := h.run(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
	b.ReportMetric(highWater()/(1<<20), "rss-MiB")
	used.report(b, deliveries, deliveries)
	b.ReportMetric(float64(sink.count()), "rows")
	b.ReportMetric(0, "ns/op")
}

// consume reads the topic by franz-go alone.
func (p past) consume(b *testing.B) {
	b.Helper()
	reader, err := kafka.Log{Config: p.log.Config, Topic: p.log.DeliveriesTopic(), FetchBytes: 8 << 20}.Open(b.Context(), 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	for next := int64(0); next < p.manifest.HistoryOffsets[0]; {
		records, err := reader.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		next += int64(len(records))
	}
}

// benchSink counts rows.
type benchSink interface {
	historySink
	count() int64
}

// dropRows takes rows and drops them.
type dropRows struct {
	keptRows
	n atomic.Int64
}

func (d *dropRows) Put(_ context.Context, _ int32, rows []metrics.Row) error {
	d.n.Add(int64(len(rows)))
	return nil
}
func (d *dropRows) count() int64           { return d.n.Load() }
func (d *dropRows) writer(int32) rowWriter { return &countedWriter{n: &d.n} }

// countedWriter counts rows on their way to a writer, if there is one.
type countedWriter struct {
	rowWriter
	n, observations *atomic.Int64
}

func (w *countedWriter) Add(r metrics.Row) error {
	w.n.Add(1)
	if _, ok := r.(*metrics.ObservationRow); ok && w.observations != nil {
		w.observations.Add(1)
	}
	if w.rowWriter == nil {
		return nil
	}
	return w.rowWriter.Add(r)
}

func (w *countedWriter) Len() int {
	if w.rowWriter == nil {
		return 0
	}
	return w.rowWriter.Len()
}

func dropped(*testing.B) (benchSink, func() error) { return &dropRows{}, func() error { return nil } }

// tableRows inserts rows, and counts them.
type tableRows struct {
	*storage.Sink
	n, observations atomic.Int64
}

func (s *tableRows) writer(shard int32) rowWriter {
	return &countedWriter{s.Writer(shard), &s.n, &s.observations}
}
func (s *tableRows) count() int64 { return s.n.Load() }

// intoClickHouse is an embedded ClickHouse, which runs in a process of its own: its
// CPU and memory are not in the figures, and it shares the cores.
func intoClickHouse(b *testing.B) (benchSink, func() error) {
	server := embeddedtest.Start(b)
	db, err := storage.Open(storage.Config{Options: server.Options(), Embedded: true})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := db.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	sink := db.NewSink(storage.Live, nil)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- sink.Run(ctx) }()
	return &tableRows{Sink: sink}, func() error {
		if took, err := processTime(server.Status().PID); err == nil {
			b.ReportMetric(took.Seconds(), "clickhouse-cpu-s")
		}
		stop()
		return ignoreCanceled(<-done)
	}
}

// usage is what something took.
type usage struct{ wall, cpu time.Duration }

func measured(do func()) usage {
	began, cpu := time.Now(), cpuTime()
	do()
	return usage{time.Since(began), cpuTime() - cpu}
}

func (u usage) report(b *testing.B, deliveries, events int) {
	b.ReportMetric(float64(deliveries)/u.wall.Seconds(), "deliveries/s")
	b.ReportMetric(float64(events)/u.wall.Seconds(), "events/s")
	b.ReportMetric(float64(events)/u.cpu.Seconds(), "events/cpu-s")
	b.ReportMetric(u.cpu.Seconds(), "cpu-s")
	b.ReportMetric(u.wall.Seconds(), "wall-s")
}

// cpuTime is what this process has used of all cores, the collector included: it
// can be compared where other processes are about, and time on the wall cannot.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// processTime is what another process has used of all cores.
func processTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / 100, err // in ticks of 100 a second
}

// resetHighWater forgets the largest resident set so far, where the system can.
func resetHighWater(b *testing.B) {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600); err != nil {
		b.Logf("the memory is that of the whole process: %v", err)
	}
}

// highWater is the largest resident set that this process has had, in bytes.
func highWater() float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // another system
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kb float64
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				return kb * 1024
			}
		}
	}
	return 0
}
