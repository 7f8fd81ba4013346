package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// runJob runs the job once over the topic, from the start to the tick that closes
// everything.
func runJob(ctx context.Context, c kafka.Config, keep bool) (*table, error) {
	var decoders [partitions]decoder
	t := &table{left: partitions, done: make(chan struct{})}
	if keep {
		t.last = map[string]windowHash{}
	}
	cfg := kafka.DefaultRunnerConfig()
	cfg.SnapshotRecords, cfg.SnapshotEvery = 1<<62, 24*time.Hour
	runner := kafka.NewRunner(c, kafka.Stage[event, row]{
		Name: "job", Generation: streaming.Generation(time.Now().UnixNano() >> 20 & 0xfffff), // a consumer group of its own
		Input:     kafka.Log{Config: c, Topic: c.DeliveriesTopic(), FetchBytes: 1 << 20},
		Upstreams: func(p int32) []int32 { return []int32{p} },
		Program: func(p int32) (streaming.Program[event, row], error) {
			return &job{names: &decoders[p], seen: map[int64]map[[2]uint64]struct{}{}}, nil
		},
		Decode: func(p int32, r kafka.LogRecord) (m streaming.Message[event], err error) {
			m.Origin = streaming.Origin{Partition: p, Offset: r.Offset}
			m.Value, m.IsTick, err = decoders[p].decode(r.Value)
			m.Tick = timeline.Millis(m.Value.time)
			return m, err
		},
		Sink: t, Snapshots: none{},
	}, cfg)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- runner.Run(ctx) }()
	select {
	case <-t.done:
		cancel()
		return t, <-ended
	case err := <-ended:
		cancel()
		return nil, err
	}
}

// table is the sink: it counts rows, and keeps the last of every window where
// the table is wanted.
type table struct {
	mu         sync.Mutex
	rows       int64
	duplicates int64
	left       int
	done       chan struct{}
	last       map[string]windowHash
}

type windowHash struct {
	count int64
	hash  uint64
}

// Put implements streaming.Sink.
func (t *table) Put(_ context.Context, _ int32, rows []row) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range rows {
		r := &rows[i]
		if r.team == "" {
			t.duplicates += r.count
			if t.left--; t.left == 0 {
				close(t.done)
			}
			continue
		}
		t.rows++
		if t.last == nil {
			continue
		}
		width := "1h"
		if r.days {
			width = "30d"
		}
		key := fmt.Sprintf("%s %d %s %d", r.team, r.metric, width, r.end)
		h := fnv.New64a()
		fmt.Fprintf(h, "%s %d %d %d", key, r.count, r.sum, r.median)
		t.last[key] = windowHash{r.count, h.Sum64()}
	}
	return nil
}

// Flush implements streaming.Sink.
func (*table) Flush(context.Context, int32) error { return nil }

// checksum is windows, observations in windows of an hour, and a sum of hashes.
func (t *table) checksum() string {
	var windows, count int64
	var sum uint64
	for key, w := range t.last {
		if w.count == 0 {
			continue
		}
		windows++
		sum += w.hash
		if hourly(key) {
			count += w.count
		}
	}
	return fmt.Sprintf("%d/%d/%x", windows, count, sum)
}

func hourly(key string) bool {
	var team, width string
	var metric int
	_, err := fmt.Sscanf(key, "%s %d %s", &team, &metric, &width)
	return err == nil && width == "1h"
}

// none keeps no snapshots.
type none struct{}

func (none) Manifests(context.Context, string) ([]streaming.Manifest, error) { return nil, nil }
func (none) Chunk(context.Context, string, streaming.Hash) ([]byte, error) {
	return nil, streaming.ErrDamaged
}
func (none) Publish(context.Context, streaming.Manifest, func(streaming.Hash) []byte) error {
	return nil
}

func (none) Forget(context.Context, string) error { return nil }
