package main

import (
	"cmp"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"meridian/ingest"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// BenchmarkStateMemory is what the state of BenchmarkServeMemory takes without a
// server around it: the bytes of the shards' sections by kind, and the live heap of
// shards that were restored from them and have taken a snapshot. The history
// before it is not in the figures. MERIDIAN_BENCH_STATE names a directory in which its snapshots
// stay for the next time.
//
//	MERIDIAN_BENCH_EVENTS=1000000 go test ./cmd/meridian -run '^$' -bench StateMemory -benchtime 1x
func BenchmarkStateMemory(b *testing.B) {
	p, _ := manyPast(b, benchSize(b), 0)
	dir := cmp.Or(os.Getenv("MERIDIAN_BENCH_STATE"), b.TempDir())
	store := kafka.NewSnapshotDir(dir)
	if kept, err := os.ReadDir(dir); err != nil || len(kept) == 0 {
		if err := p.history(b, store, &dropRows{}, p.history(b, nil, nil, 0).estimate()).run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)

	var routes []*ingest.Route
	var engines []*metrics.Engine
	var captures []*streaming.Capturer
	sizes := map[string]int{}
	restore := func(name string, program interface {
		Save(put func(string, []byte))
		Load(get func(string) ([]byte, error)) error
	}) {
		get, m, err := streaming.Restore(b.Context(), store, name)
		if err != nil {
			b.Fatal(err)
		}
		if err := program.Load(func(section string) ([]byte, error) { return get("program/" + section) }); err != nil {
			b.Fatal(err)
		}
		c := new(streaming.Capturer)
		c.Capture(name, m.Sequence+1, program.Save)
		captures = append(captures, c)
		stage, _, _ := strings.Cut(name, "-")
		program.Save(func(section string, data []byte) {
			kind, _, _ := strings.Cut(section, "/")
			sizes[stage+"."+kind] += len(data)
		})
	}
	for i := range p.log.partitions {
		r, err := p.pins.route(i)
		if err != nil {
			b.Fatal(err)
		}
		restore(kafka.ShardName("route", p.manifest.Number, i), r)
		routes = append(routes, r)
	}
	for i := range p.manifest.EventsPartitions {
		e, err := metrics.NewEngine(p.pins.engine())
		if err != nil {
			b.Fatal(err)
		}
		restore(kafka.ShardName("engine", p.manifest.Number, i), e)
		engines = append(engines, e)
	}
	debug.FreeOSMemory()
	runtime.ReadMemStats(&after)
	for _, kind := range slices.Sorted(maps.Keys(sizes)) {
		b.ReportMetric(float64(sizes[kind])/1e6, kind+"-MB")
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "live-MB")
	collect := measured(runtime.GC)
	b.ReportMetric(collect.cpu.Seconds()*1000, "collect-cpu-ms")
	b.ReportMetric(0, "ns/op")
	runtime.KeepAlive(routes)
	runtime.KeepAlive(engines)
	runtime.KeepAlive(captures)
}
