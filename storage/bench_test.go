package storage

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"meridian/metrics"
	"meridian/storage/embedded"
	"meridian/streaming/timeline"
)

// BenchmarkSink writes points of 20 values as the engine does after a replay: as
// fast as they are taken, with the settings of an embedded instance. Besides rows a
// second it tells rows for each second of CPU, of this process and the database's
// together, which a busy machine does not change.
func BenchmarkSink(b *testing.B) {
	for _, kind := range []string{"counts", "durations"} {
		b.Run(kind, func(b *testing.B) {
			d, server := open(b, func(c *Config) {
				synced(c)
				c.Interval = 0 // the default
			})
			s := d.NewSink(Replay, nil)
			run(b, s)
			template := merged("web", at(9, 0), 20, version(1, at(12, 0)))
			if kind == "durations" {
				template.Metric, template.Definition, template.Aggregate = "pr_pickup_time", metrics.Find("pr_pickup_time"), new(metrics.Aggregate)
				for i := range int64(20) {
					template.Aggregate.Add(template.Definition.Statistic, &metrics.Observation{Outcome: metrics.Observed, Value: i * 1_234_567, Primary: true})
				}
			}
			const rows = 10_000
			n := 0
			b.ReportAllocs()
			before := cpuSeconds(b, os.Getpid()) + cpuSeconds(b, server.Status().PID)
			for b.Loop() {
				batch := make([]metrics.Row, rows)
				for i := range batch {
					p := *template
					p.Start = at(0, 0) - timeline.Millis(n%2000)*timeline.Hour
					p.Team = fmt.Sprint("team", n/2000)
					batch[i] = &p
					n++
				}
				if err := s.Put(b.Context(), 0, batch); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.Flush(b.Context(), 0); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(n)/(cpuSeconds(b, os.Getpid())+cpuSeconds(b, server.Status().PID)-before), "rows/cpu-s")
		})
	}
}

// cpuSeconds is what a process has used so far.
func cpuSeconds(b testing.TB, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

// BenchmarkPutToReadable is how long a few rows take until readers see them.
func BenchmarkPutToReadable(b *testing.B) {
	d, _ := open(b, synced)
	s := d.NewSink(Live, nil)
	run(b, s)
	n := 0
	for b.Loop() {
		n++
		rows := []metrics.Row{
			merged("web", at(0, 0)+timeline.Millis(n)*timeline.Hour, 3, version(1, at(12, 0))),
			&metrics.ObservationRow{Version: version(1, at(12, 0)), Observation: metrics.Observation{At: at(0, 0), Outcome: metrics.Observed}},
			&metrics.QualityRow{Version: version(1, at(12, 0))},
			&metrics.CoverageRow{Version: version(1, at(12, 0))},
		}
		if err := s.Put(b.Context(), 0, rows); err != nil {
			b.Fatal(err)
		}
		if err := s.Flush(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPages asks what pages ask for, of an organisation of 50 teams with a
// million observations, and of one of 500 teams with as many months as
// MERIDIAN_BENCH_MONTHS says (60 are 5 years: some 470 million rows), and tells the
// 95th of 100 latencies.
func BenchmarkPages(b *testing.B) {
	sizes := []large{{teams: 50, months: 1, observations: 1_000_000}}
	if months, err := strconv.Atoi(os.Getenv("MERIDIAN_BENCH_MONTHS")); err == nil {
		sizes = append(sizes, large{teams: 500, months: months, observations: 5_000_000})
	}
	for _, size := range sizes {
		d, server := open(b, nil)
		current(b, d, 1, 1)
		began := time.Now()
		size.fill(b, d)
		b.Logf("%d points of %d teams made in %v", size.points(), size.teams, time.Since(began).Round(time.Second))
		r := d.NewReader()
		for name, q := range size.queries() {
			percentiles(b, server, fmt.Sprintf("%d points/%s", size.points(), name), func() int {
				points, err := r.Points(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				return len(points)
			})
		}
		evidence := metrics.Query{Teams: []string{"team7"}, Metric: "pr_pickup_time", From: size.end() - 31*timeline.Day, To: size.end()}
		percentiles(b, server, fmt.Sprintf("%d points/evidence: a page of a team's metric", size.points()), func() int {
			list, _, err := r.Observations(b.Context(), evidence, "", 50)
			if err != nil {
				b.Fatal(err)
			}
			return len(list)
		})
		percentiles(b, server, fmt.Sprintf("%d points/teams", size.points()), func() int {
			list, err := r.Teams(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			return len(list)
		})
	}
}

// BenchmarkOrganisation is an organisation's 30 days of one metric: some 6,000 states
// of days are read and merged into one.
func BenchmarkOrganisation(b *testing.B) {
	d, server := open(b, nil)
	current(b, d, 1, 1)
	def := metrics.Find("pr_pickup_time")
	random := rand.New(rand.NewPCG(1, 2))
	var rows []metrics.Row
	for team := range 200 {
		for day := range 30 {
			p := merged(fmt.Sprint("team", team), at(0, 0)-timeline.Millis(day)*timeline.Day, 0, version(1, at(12, 0)))
			p.Metric, p.Definition, p.Grain, p.End, p.Aggregate = def.Name, def, metrics.Day, p.Start+timeline.Day, new(metrics.Aggregate)
			for range 8 {
				p.Aggregate.Add(def.Statistic, &metrics.Observation{Outcome: metrics.Observed, Value: random.Int64N(1 << 28), Primary: true, At: p.Start})
			}
			rows = append(rows, p)
		}
	}
	write(b, d, Live, rows...)
	r := d.NewReader()
	q := metrics.Query{Metric: def.Name, Grain: metrics.Day, From: at(0, 0) - 40*timeline.Day, To: at(0, 0) + timeline.Day}
	frame := metrics.Frame{Team: "organisation", Several: true, Grain: metrics.Range, Zone: "UTC", Window: timeline.Window{Start: q.From, End: q.To}, Clock: at(12, 0), Generation: 1}
	percentiles(b, server, "read", func() int {
		points, err := r.Points(b.Context(), q)
		if err != nil {
			b.Fatal(err)
		}
		return len(points)
	})
	percentiles(b, server, "read and merge", func() int {
		points, err := r.Points(b.Context(), q)
		if err != nil {
			b.Fatal(err)
		}
		p, err := metrics.Merge(def, frame, points)
		if err != nil || p == nil || p.N() != 200*30*8 {
			b.Fatal(p, err)
		}
		return len(points)
	})
}

// percentiles tells the 95th of the latencies, and the CPU that one takes in this
// process and in the database's, which a busy machine does not change.
func percentiles(b *testing.B, server *embedded.Server, name string, do func() (rows int)) {
	b.Run(name, func(b *testing.B) {
		var took []time.Duration
		rows := 0
		before := cpuSeconds(b, os.Getpid()) + cpuSeconds(b, server.Status().PID)
		for b.Loop() {
			began := time.Now()
			rows = do()
			took = append(took, time.Since(began))
		}
		used := cpuSeconds(b, os.Getpid()) + cpuSeconds(b, server.Status().PID) - before
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		b.ReportMetric(1000*used/float64(len(took)), "cpu-ms/op")
		b.ReportMetric(float64(rows), "rows")
	})
}
