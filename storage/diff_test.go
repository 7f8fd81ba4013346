package storage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

func put(t testing.TB, d *Database, side Side, rows ...metrics.Row) {
	t.Helper()
	s := d.NewSink(side, nil)
	stop := run(t, s)
	defer stop()
	if err := s.Put(t.Context(), 0, rows); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
}

func TestDiff(t *testing.T) {
	d, _ := open(t, nil)
	late := func(p *metrics.Point, n int64) *metrics.Point { p.LateDropped = n; return p }
	gone := func(p *metrics.Point) *metrics.Point { p.Withdrawn = true; return p }
	v1, v2 := version(1, at(12, 0)), version(2, at(13, 0))
	put(t, d, Live,
		merged("equal", at(1, 0), 2, v1), late(merged("healed", at(2, 0), 1, v1), 3), merged("before", at(3, 0), 4, v1), gone(merged("withdrawn", at(4, 0), 0, v1)))
	put(t, d, Replay,
		merged("equal", at(1, 0), 2, v2), merged("healed", at(2, 0), 4, v2), merged("now", at(5, 0), 1, v2))
	q := Differing{First: 1, Second: 2, Limit: 10}
	counts, err := d.DiffCounts(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	is(t, "counts", fmt.Sprint(counts), "[{before pr_merged hour 0 0 1 0} {equal pr_merged hour 1 0 0 0} {healed pr_merged hour 0 1 0 0} {now pr_merged hour 0 0 0 1}]")
	windows, next, err := d.DiffWindows(t.Context(), q, counts)
	if err != nil || next != "" {
		t.Fatal(next, err)
	}
	var said []string
	for _, w := range windows {
		said = append(said, fmt.Sprintf("%s %v %d %d, %v %d %d", w.Team, w.First.There, w.First.N, w.First.LateDropped, w.Second.There, w.Second.N, w.Second.LateDropped))
	}
	is(t, "windows", fmt.Sprint(said), "[before true 4 0, false 0 0 healed true 1 3, true 4 0 now false 0 0, true 1 0]")
	is(t, "a window's hour", windows[1].Start, at(2, 0))

	// In pages of one, and by team, range and grain.
	q.Limit = 1
	var teams []string
	for range 3 {
		page, next, err := d.DiffWindows(t.Context(), q, counts)
		if err != nil || len(page) != 1 {
			t.Fatal(page, err)
		}
		teams, q.After = append(teams, page[0].Team), next
	}
	is(t, "pages", fmt.Sprint(teams)+q.After, "[before healed now]")
	limits := Differing{First: 1, Second: 2, Limit: 10, Teams: []string{"now", "healed"}, Metrics: []metrics.Name{"pr_merged"}, Grain: metrics.Hour, From: at(3, 0), To: at(6, 0)}
	counts, err = d.DiffCounts(t.Context(), limits)
	is(t, "counts of a part", fmt.Sprint(counts, err), "[{now pr_merged hour 0 0 0 1}] <nil>")
	few, _, err := d.DiffWindows(t.Context(), limits, counts)
	if err != nil || len(few) != 1 || few[0].Team != "now" {
		t.Errorf("limited: %v, %v", few, err)
	}
	if _, _, err := d.DiffWindows(t.Context(), Differing{First: 1, Second: 2, After: "x"}, counts); err == nil {
		t.Error("a cursor that nobody gave is taken")
	}
}

func TestDiffEvidence(t *testing.T) {
	d, _ := open(t, nil)
	o := func(g streaming.Generation, item string, value int64) *metrics.ObservationRow {
		return &metrics.ObservationRow{Version: version(g, at(12, 0)), Team: "web", Observation: metrics.Observation{Metric: "pr_merged", Item: item, At: at(9, 0), Outcome: metrics.Observed, Value: value}}
	}
	put(t, d, Live, o(1, "both", 1), o(1, "other", 1), o(1, "first", 1),
		&metrics.QualityRow{Version: version(1, at(12, 0)), Team: "web", Source: 1, Kind: 1, Cell: timeline.CellOf(at(9, 0)), Decoded: 3, Accepted: 1, Late: 2})
	put(t, d, Replay, o(2, "both", 1), o(2, "other", 2), o(2, "second", 1),
		&metrics.QualityRow{Version: version(2, at(12, 0)), Team: "web", Source: 1, Kind: 1, Cell: timeline.CellOf(at(9, 0)), Decoded: 3, Accepted: 3, Healed: 2})
	items, more, err := d.DiffItems(t.Context(), 1, 2, []string{"web"}, []metrics.Name{"pr_merged"}, at(0, 0), at(20, 0))
	if err != nil || more {
		t.Fatal(more, err)
	}
	var said []string
	for _, x := range items {
		said = append(said, fmt.Sprint(x.Item, " ", x.First != nil, " ", x.Second != nil))
	}
	is(t, "items", fmt.Sprint(said), "[first true false other true true second false true]")
	verdicts, err := d.DiffVerdicts(t.Context(), 1, 2, []string{"web"}, at(0, 0), at(20, 0))
	if err != nil || len(verdicts) != 1 {
		t.Fatal(verdicts, err)
	}
	is(t, "verdicts", verdicts[0], Verdicts{Team: "web", Source: verdicts[0].Source, Cell: at(9, 0), Accepted: 2, Healed: 2, Late: -2})
	// What one cell has more and another less does not cancel out.
	put(t, d, Replay, &metrics.QualityRow{Version: version(2, at(12, 0)), Team: "web", Source: 1, Kind: 1, Cell: timeline.CellOf(at(10, 0)), Decoded: 3, Late: 2})
	totals, err := d.DiffVerdictTotals(t.Context(), 1, 2, []string{"web"})
	if err != nil || len(totals) != 1 {
		t.Fatal(totals, err)
	}
	is(t, "totals", totals[0], Verdicts{Team: "web", Source: verdicts[0].Source, Accepted: 2, Healed: 2, Late: 4})
}

// databaseCPU is the seconds of processor that the database's processes have used.
func databaseCPU(b *testing.B) (seconds float64) {
	b.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(data), ") ") // behind the name, which may hold anything
		f := strings.Fields(rest)
		if len(f) < 13 || f[1] != fmt.Sprint(os.Getpid()) {
			continue
		}
		var user, system float64
		if _, err := fmt.Sscan(f[11]+" "+f[12], &user, &system); err != nil {
			b.Fatal(err)
		}
		seconds += (user + system) / 100
	}
	return seconds
}

// The figure of docs/performance.md: two runs of 1,000,000 points each, of which
// 1,000 differ, or all.
// MERIDIAN_BENCH_POINTS says how many, for a machine that is busy.
func BenchmarkDiff(b *testing.B) {
	d, _ := open(b, func(c *Config) { c.Interval = time.Second })
	n := 1_000_000
	if s := os.Getenv("MERIDIAN_BENCH_POINTS"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil {
			b.Fatal(err)
		}
	}
	for g := streaming.Generation(1); g <= 3; g++ {
		s := d.NewSink(Replay, nil)
		stop := run(b, s)
		rows := make([]metrics.Row, 0, 10_000)
		for i := range n {
			size := 1 + i%5
			if g == 2 && i%1000 == 0 || g == 3 {
				size++
			}
			p := merged(fmt.Sprintf("team-%03d", i%200), at(0, 0)+timeline.Millis(i/200)*timeline.Hour, size, version(g, at(12, 0)))
			if rows = append(rows, p); len(rows) == cap(rows) || i == n-1 {
				if err := s.Put(b.Context(), 0, rows); err != nil {
					b.Fatal(err)
				}
				rows = make([]metrics.Row, 0, 10_000)
			}
		}
		if err := s.Flush(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
		stop()
	}
	q := Differing{First: 1, Second: 2, Limit: 100}
	for _, second := range []streaming.Generation{2, 3} {
		q.Second = second
		b.Run(map[streaming.Generation]string{2: "few differ", 3: "all differ"}[second], func(b *testing.B) {
			cpu := databaseCPU(b)
			for b.Loop() {
				counts, err := d.DiffCounts(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				if w, _, err := d.DiffWindows(b.Context(), q, counts); err != nil || len(w) != 100 {
					b.Fatal(len(w), err)
				}
			}
			b.ReportMetric((databaseCPU(b)-cpu)/float64(b.N), "cpu-s/op")
		})
	}
	b.Run("audit", func(b *testing.B) {
		for b.Loop() {
			if _, err := d.Compare(b.Context(), 1, 2, streaming.RoundOf(at(13, 0)), 0, 20); err != nil {
				b.Fatal(err)
			}
		}
	})
}
