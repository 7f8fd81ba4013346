package kafka_test

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"testing"
	"time"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// BenchmarkAppend measures durable appends of 20 KB on the embedded broker: by
// one writer (latency), and by 64 (throughput; an fsync is shared).
func BenchmarkAppend(b *testing.B) {
	for name, writers := range map[string]int{"writers=1": 1, "writers=64": 64} {
		b.Run(name, func(b *testing.B) {
			a, _ := benchAppender(b)
			body := make([]byte, 20<<10)
			for i := 0; i < len(body); i += 8 {
				binary.LittleEndian.PutUint32(body[i:], uint32(i*2654435761)) // shrinks to about half, as JSON does to a fifth
			}
			took := make([]time.Duration, b.N)
			next := make(chan int)
			var wg sync.WaitGroup
			b.ResetTimer()
			for range writers {
				wg.Go(func() {
					for i := range next {
						began := time.Now()
						if _, err := a.Append(b.Context(), "github/42", body); err != nil {
							b.Error(err)
						}
						took[i] = time.Since(began)
					}
				})
			}
			for i := range b.N {
				next <- i
			}
			close(next)
			wg.Wait()
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// BenchmarkAppendAtRate measures 200 webhooks of 20 KB a second.
func BenchmarkAppendAtRate(b *testing.B) {
	a, _ := benchAppender(b)
	body := make([]byte, 20<<10)
	took := make([]time.Duration, b.N)
	var wg sync.WaitGroup
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	b.ResetTimer()
	for i := range b.N {
		<-ticker.C
		wg.Go(func() {
			began := time.Now()
			if _, err := a.Append(b.Context(), "github/42", body); err != nil {
				b.Error(err)
			}
			took[i] = time.Since(began)
		})
	}
	wg.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

func benchAppender(b *testing.B) (*kafka.Appender, kafka.Config) {
	b.Helper()
	broker, err := kafka.StartBroker(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(broker.Close)
	c := broker.Config("")
	if err := kafka.EnsureTopics(b.Context(), c, c.Topics(1)...); err != nil {
		b.Fatal(err)
	}
	a, err := kafka.NewAppender(c, kafka.DefaultAppenderConfig(c.DeliveriesTopic(), 1))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { a.Close(context.Background()) })
	return a, c
}

type noop struct{}

func (noop) Apply(streaming.Clock, streaming.Record[struct{}], func(struct{})) {}
func (noop) Tick(_ streaming.Clock, _ streaming.Version, emit func(struct{}))  { emit(struct{}{}) }
func (noop) Save(func(string, []byte))                                         {}
func (noop) Load(func(string) ([]byte, error)) error                           { return nil }

type counting struct{ rounds chan int }

func (s counting) Put(_ context.Context, _ int32, rows []struct{}) error {
	s.rounds <- len(rows)
	return nil
}
func (counting) Flush(context.Context, int32) error { return nil }

// BenchmarkRunner measures what it costs to carry a record of 200 bytes from
// the embedded broker to a program that does nothing, a tick each 1,000.
func BenchmarkRunner(b *testing.B) {
	broker, err := kafka.StartBroker(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer broker.Close()
	c := broker.Config("")
	if err := kafka.EnsureTopics(b.Context(), c, c.Topics(1)...); err != nil {
		b.Fatal(err)
	}
	fill := kafka.NewTopicSink(c, c.DeliveriesTopic(), func(i int) (int32, []byte, []byte) {
		v := make([]byte, 200)
		binary.LittleEndian.PutUint64(v, uint64(i))
		return 0, nil, v
	})
	defer fill.Close()
	rows := make([]int, max(b.N, 1000))
	for i := range rows {
		rows[i] = i
	}
	if err := fill.Put(b.Context(), 0, rows); err != nil {
		b.Fatal(err)
	}
	sink := counting{make(chan int, 16)}
	runner := kafka.NewRunner(c, kafka.Stage[struct{}, struct{}]{
		Name: "bench", Generation: 1,
		Input:     kafka.Log{Config: c, Topic: c.DeliveriesTopic(), FetchBytes: 4 << 20},
		Upstreams: func(p int32) []int32 { return []int32{p} },
		Program:   func(int32) (streaming.Program[struct{}, struct{}], error) { return noop{}, nil },
		Decode: func(p int32, r kafka.LogRecord) (m streaming.Message[struct{}], err error) {
			m.Origin = streaming.Origin{Partition: p, Offset: r.Offset}
			if r.Offset%1000 == 999 {
				m.IsTick, m.Tick = true, timeline.Millis(r.Offset/1000+1)*500
			}
			return m, nil
		},
		Sink:      sink,
		Snapshots: kafka.NewSnapshotDir(b.TempDir()),
	}, kafka.DefaultRunnerConfig())
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error)
	b.ResetTimer()
	go func() { done <- runner.Run(ctx) }()
	for left := len(rows) / 1000; left > 0; {
		left -= <-sink.rounds
	}
	b.StopTimer()
	cancel()
	for ended := false; !ended; {
		select {
		case <-sink.rounds:
		case err := <-done:
			if err != nil {
				b.Error(err)
			}
			ended = true
		}
	}
	b.ReportMetric(float64(len(rows))/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkTopicSink measures what route can write: copies of 300 bytes to the
// four partitions of an embedded broker, every piece synced.
func BenchmarkTopicSink(b *testing.B) {
	broker, err := kafka.StartBroker(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer broker.Close()
	c := broker.Config("")
	if err := kafka.EnsureTopics(b.Context(), c, c.Events(1, 4)); err != nil {
		b.Fatal(err)
	}
	value := make([]byte, 300)
	sink := kafka.NewTopicSink(c, c.EventsTopic(1), func(i int) (int32, []byte, []byte) { return int32(i % 4), nil, value })
	defer sink.Close()
	rows := make([]int, b.N)
	for i := range rows {
		rows[i] = i
	}
	b.ResetTimer()
	for piece := range slices.Chunk(rows, 8192) {
		if err := sink.Put(b.Context(), 0, piece); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "copies/s")
}
