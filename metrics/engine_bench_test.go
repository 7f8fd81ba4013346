package metrics

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// One core, all of fold, observations, cells, aggregates and rows of the
// built-in metrics, at the density of 1,000,000 copies of 200 teams in 30 days.
// apply, observe and points are the parts of it, in nanoseconds of CPU for each copy.
func BenchmarkEngineStep(b *testing.B) {
	const copies = 50_000
	in := encodeLog(engineLog(benchScale{teams: 10, days: 30, copies: copies}))
	for _, c := range []struct {
		name string
		tick timeline.Millis // 0: history, everything at its end
		lend bool            // rows are lent, as to one who writes them down as they come
	}{
		{"history", 0, false}, {"history,lent", 0, true},
		{"tick=1h", timeline.Hour, false}, {"tick=1h,lent", timeline.Hour, true}, {"tick=10min,lent", 10 * timeline.Minute, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			config := benchConfig()
			last := streaming.RoundOf(in.at[copies-1] + 1)
			if c.tick == 0 {
				config.HistoryEnd = last
			}
			b.ReportAllocs()
			rows, points := 0, 0
			emit := func(r Row) {
				rows++
				if _, ok := r.(*Point); ok {
					points++
				}
			}
			var spent [4]time.Duration // the last is the codec's, which is no part of the figure
			var batch []streaming.Record[event.Routed]
			decoder := new(event.Decoder)
			for b.Loop() {
				e, err := NewEngine(config)
				if err != nil {
					b.Fatal(err)
				}
				if c.lend {
					e.Lend()
				}
				runtime.GC()
				next := never
				if c.tick > 0 {
					next = in.at[0] + c.tick
				}
				since := cpuTime()
				lap := func(part int) {
					now := cpuTime()
					spent[part] += now - since
					since = now
				}
				tick := func(r streaming.Round) {
					lap(0)
					if t := e.begin(r.Clock(), streaming.NewVersion(1, r), emit); t != nil {
						t.observations()
						lap(1)
						t.end()
					}
					lap(2)
				}
				for i := range copies {
					const size = 500
					if i%size == 0 {
						lap(0)
						batch = in.batch(b, decoder, batch, i, size)
						lap(3)
					}
					for in.at[i] > next {
						tick(streaming.RoundOf(next))
						next += c.tick
					}
					e.Apply(0, batch[i%size], emit)
				}
				tick(last)
			}
			n := float64(copies * b.N)
			for part, name := range []string{"apply-ns", "observe-ns", "points-ns"} {
				b.ReportMetric(float64(spent[part].Nanoseconds())/n, name)
			}
			b.ReportMetric(n/(spent[0]+spent[1]+spent[2]).Seconds(), "events/cpu-s")
			b.ReportMetric(float64(rows)/n, "rows/event")
			b.ReportMetric(float64(points)/n, "points/event")
		})
	}
}

// coreFold is as little as a fold can be: when something was first and last
// heard of.
type coreFold struct {
	First timeline.Millis `cbor:"1,keyasint,omitempty"`
	Last  timeline.Millis `cbor:"2,keyasint,omitempty"`
}

func (f *coreFold) Apply(r *event.Routed) {
	earliest(&f.First, r.Event.Time)
	f.Last = max(f.Last, r.Event.Time)
}

func (f *coreFold) Life() (timeline.Millis, bool) { return f.Last, false }

// The engine's own part of a step: the log of BenchmarkEngineStep with the least
// of folds, and one metric, the median of how long things live.
func BenchmarkEngineCore(b *testing.B) {
	const copies = 50_000
	in := encodeLog(engineLog(benchScale{teams: 10, days: 30, copies: copies}))
	config := benchConfig()
	config.Folds = []FoldKind{{
		Subject: SubjectPullRequest, New: func() Fold { return new(coreFold) },
		Entity: func(r *event.Routed) event.EntityID { return r.Event.Entity },
	}}
	config.Definitions = []*Definition{{
		Name: "t_life", Statistic: MedianDuration, Sources: event.Sources[:], Refire: Revise, Subject: SubjectPullRequest,
		Observe: func(f Fold, _ View, yield func(Observation)) {
			c := f.(*coreFold)
			yield(Observation{Start: c.First, At: c.Last, Value: int64(c.Last - c.First), Outcome: Observed, Primary: true})
		},
	}}
	last := streaming.RoundOf(in.at[copies-1] + 1)
	for _, c := range []struct {
		name string
		tick timeline.Millis
	}{{"history", 0}, {"tick=1h", timeline.Hour}} {
		b.Run(c.name, func(b *testing.B) {
			config := config
			if c.tick == 0 {
				config.HistoryEnd = last
			}
			var apply, tick time.Duration
			var batch []streaming.Record[event.Routed]
			decoder := new(event.Decoder)
			drop := func(Row) {}
			for b.Loop() {
				e, err := NewEngine(config)
				if err != nil {
					b.Fatal(err)
				}
				runtime.GC()
				next := never
				if c.tick > 0 {
					next = in.at[0] + c.tick
				}
				const size = 500
				for from := 0; from < copies; from += size {
					batch = in.batch(b, decoder, batch, from, size)
					since := cpuTime()
					for i := range batch {
						for in.at[from+i] > next {
							began := cpuTime()
							apply += began - since
							r := streaming.RoundOf(next)
							e.Tick(r.Clock(), streaming.NewVersion(1, r), drop)
							since = cpuTime()
							tick += since - began
							next += c.tick
						}
						e.Apply(0, batch[i], drop)
					}
					apply += cpuTime() - since
				}
				since := cpuTime()
				e.Tick(last.Clock(), streaming.NewVersion(1, last), drop)
				tick += cpuTime() - since
			}
			n := float64(copies * b.N)
			b.ReportMetric(float64(apply.Nanoseconds())/n, "apply-ns")
			b.ReportMetric(float64(tick.Nanoseconds())/n, "tick-ns")
			b.ReportMetric(n/(apply+tick).Seconds(), "events/cpu-s")
		})
	}
}

func BenchmarkEngineIdleTick(b *testing.B) {
	e, err := NewEngine(benchConfig())
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range engineLog(benchScale{teams: 40, days: 30, copies: 20_000}) {
		e.Apply(0, r, nil)
	}
	clock := streaming.RoundOf(timeline.UTC().Midnight(timeline.MakeDate(2026, 4, 10))).Clock()
	e.Tick(clock, 1, func(Row) {})
	for b.Loop() {
		e.Tick(clock, 1, nil)
	}
}

// The row of 30 days after one more observation, with one hour filled and with
// all 720 (20 observations each).
func BenchmarkDay30Row(b *testing.B) {
	for _, hours := range []int{1, 720} {
		b.Run(fmt.Sprintf("hours=%d", hours), func(b *testing.B) {
			c := testConfig(b, "UTC")
			c.Definitions = ofMetric("t_wait")
			e, err := NewEngine(c)
			if err != nil {
				b.Fatal(err)
			}
			start := timeline.UTC().Midnight(timeline.MakeDate(2026, 3, 1))
			end := timeline.MakeDate(2026, 3, 30)
			tm := e.newTeam("web")
			s := tm.of(0, "")
			tm.today = end
			for h := range hours {
				for i := range 20 {
					day, slot := dayOfCell(timeline.CellOf(start + timeline.Millis(h)*timeline.Hour))
					s.pending = append(s.pending, change{day: day, sign: 1, entry: entry{value: int64(i*h) % 977 * 1000, slot: slot, flags: flags(Observed) | 8}})
				}
			}
			s.apply()
			w := tm.calendar.days30(end)
			day, slot := dayOfCell(timeline.CellOf(w.End - 1))
			e.point(new(madePoint), s, day30Grain, int64(end), w, saidProvisional) // the window is built once
			b.ReportAllocs()
			sign := int8(1)
			for b.Loop() {
				s.pending = append(s.pending[:0], change{day: day, sign: sign, entry: entry{value: 5000, slot: slot, flags: flags(Observed) | 8}})
				s.apply()
				sign = -sign
				e.point(new(madePoint), s, day30Grain, int64(end), w, saidProvisional)
			}
		})
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	p := &Point{
		Version: 1103056533976, Team: "web", Metric: "pr_pickup_time", Grain: Hour, Start: 1772449200000, End: 1772452800000, Zone: "UTC", Status: Final, CoveredDays: -1,
		Definition: &Definition{Statistic: MedianDuration}, Aggregate: &Aggregate{All: Part{N: 3, Sum: 9, Values: []int64{1, 2, 6}, Ignored: Tally{{Name: "bot", N: 1}}}},
	}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = p.AppendJSON(buf[:0])
	}
}

// A snapshot of everything, and one of a quiet minute: five records and a tick
// after the one before.
func BenchmarkSave(b *testing.B) {
	log := engineLog(benchScale{teams: 200, days: 30, copies: 100_000})
	e, err := NewEngine(benchConfig())
	if err != nil {
		b.Fatal(err)
	}
	drop := func(Row) {}
	for _, r := range log {
		e.Apply(0, r, drop)
	}
	clock := timeline.UTC().Midnight(timeline.MakeDate(2026, 4, 2))
	tick := func() {
		clock += timeline.Minute
		r := streaming.RoundOf(clock)
		e.Tick(r.Clock(), streaming.NewVersion(1, r), drop)
	}
	tick()
	b.Run("all", func(b *testing.B) {
		size := 0
		for b.Loop() {
			size = 0
			wholly(e)
			e.Save(func(_ string, data []byte) { size += len(data) })
		}
		b.ReportMetric(float64(size), "bytes")
	})
	b.Run("quiet", func(b *testing.B) {
		last := sections(e)
		changed, n := 0, 0
		for b.Loop() {
			b.StopTimer()
			for _, r := range log[len(log)-5:] {
				n++
				r.Value.Event.ID, r.Value.Event.Time = event.NewID("quiet", fmt.Sprint(n)), clock
				r.Value.Act = nil
				e.Apply(0, r, drop)
			}
			tick()
			b.StartTimer()
			e.Save(func(name string, data []byte) {
				if !bytes.Equal(last[name], data) {
					changed += len(data)
					last[name] = bytes.Clone(data)
				}
			})
		}
		b.ReportMetric(float64(changed)/float64(b.N), "changed-bytes")
	})
}
