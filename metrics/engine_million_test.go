package metrics

import (
	"bytes"
	"crypto/sha256"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// What a million copies of 30 days and 200 teams take: memory, a snapshot, a
// restore, and a quiet minute (five records and a tick). The log is folded as a
// history, team by team, so that it is not in memory itself.
//
// Times are those of the CPU, the collector's included.
//
//	go test ./metrics -run xxx -bench EngineMillion -benchtime 1x
func BenchmarkEngineMillion(b *testing.B) {
	for b.Loop() {
		config := benchConfig()
		end := timeline.UTC().Midnight(timeline.MakeDate(2026, 4, 3))
		config.HistoryEnd = streaming.RoundOf(end)
		e, err := NewEngine(config)
		if err == nil {
			e.Lend() // as a history does
		}
		if err != nil {
			b.Fatal(err)
		}
		const groups = 40
		var last []streaming.Record[event.Routed]
		for g := range groups {
			log := engineLog(benchScale{first: g * 5, teams: 5, days: 30, copies: 1_000_000 / groups})
			for i := range log {
				e.Apply(0, log[i], nil)
			}
			last = append(last, log[len(log)-1])
		}
		began := cpuTime()
		rows := 0
		e.Tick(end, streaming.NewVersion(1, config.HistoryEnd), func(Row) { rows++ })
		b.ReportMetric((cpuTime() - began).Seconds(), "tick-s")
		b.ReportMetric(float64(rows), "rows")
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MiB")

		began = cpuTime()
		size, n := 0, 0
		saved := map[string][]byte{}
		e.Save(func(name string, data []byte) {
			saved[name] = data
			size += len(data)
			n++
		})
		b.ReportMetric((cpuTime()-began).Seconds()*1000, "save-all-ms")
		b.ReportMetric(float64(size)/1e6, "state-MB")
		b.ReportMetric(float64(n), "sections")
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-with-kept-MiB")

		for i, r := range last[:5] {
			r.Value.Event.ID, r.Value.Event.Time, r.Value.Clock = event.NewID("quiet", strconv.Itoa(i)), end+timeline.Second, end
			r.Origin.Partition = 1
			e.Apply(end, r, nil)
		}
		e.Tick(end+timeline.Minute, streaming.NewVersion(1, streaming.RoundOf(end+timeline.Minute)), func(Row) {})
		began = cpuTime()
		var changed, manifest int
		again := map[string][]byte{}
		e.Save(func(name string, data []byte) { again[name] = data })
		b.ReportMetric((cpuTime()-began).Seconds()*1000, "save-quiet-ms")
		began = cpuTime()
		for _, data := range again {
			sha256.Sum256(data)
		}
		b.ReportMetric((cpuTime()-began).Seconds()*1000, "hash-all-ms")
		for name, data := range again {
			manifest += len(name) + sha256.Size + 4
			if !bytes.Equal(saved[name], data) {
				changed += len(data)
			}
		}
		b.ReportMetric(float64(changed)/1e3, "quiet-kB")
		b.ReportMetric(float64(manifest)/1e3, "manifest-kB")
		saved, e = nil, nil
		began = cpuTime()
		if e, err = NewEngine(config); err != nil {
			b.Fatal(err)
		}
		if err := e.Load(func(name string) ([]byte, error) { return again[name], nil }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric((cpuTime()-began).Seconds()*1000, "load-ms")
		b.ReportMetric(residentMiB("VmHWM:"), "peak-rss-MiB")
		// What is left of the process is the restored engine with the bytes that it
		// keeps, and a quarter more for garbage.
		again = nil
		debug.SetGCPercent(25)
		debug.FreeOSMemory()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.NextGC)/(1<<20), "heap-goal-MiB")
		b.ReportMetric(residentMiB("VmRSS:"), "rss-MiB")
		debug.SetGCPercent(100)
		runtime.KeepAlive(e)
	}
}

// residentMiB is the resident set of this process: VmRSS, or VmHWM, the largest that
// it has had.
func residentMiB(field string) float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // another system
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				return 0
			}
			return kb / 1024
		}
	}
	return 0
}
