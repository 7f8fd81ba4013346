package main

import (
	"context"

	"golang.org/x/sync/errgroup"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// stages are route and engine of one generation, over the log.
type stages struct {
	route  *kafka.Runner[ingest.Entry, ingest.Copy]
	engine *kafka.Runner[event.Routed, metrics.Row]
	copies *kafka.TopicSink[ingest.Copy]
	rows   rowSink

	entries []*entryReader // by partition of deliveries
}

// rowSink takes rows, and is told how far a shard is when it had none to give:
// readers' clock is that of the shard that is furthest behind.
type rowSink interface {
	streaming.Sink[metrics.Row]
	Advance(shard int32, g streaming.Generation, c streaming.Clock)
}

// stagesTuning is how the runners of both stages are tuned; it changes nothing of a
// result.
type stagesTuning struct {
	route, engine kafka.RunnerConfig
	fetch         int32 // bytes that a shard is given at once, about
}

func defaultStagesTuning() stagesTuning {
	return stagesTuning{kafka.DefaultRunnerConfig(), kafka.DefaultRunnerConfig(), 8 << 20}
}

func newStages(l *deliveryLog, p pins, m streaming.GenerationManifest, snapshots streaming.Snapshots, sink rowSink, tuning stagesTuning) *stages {
	topic := l.EventsTopic(m.Number)
	copies := kafka.NewTopicSink(l.Config, topic, func(c ingest.Copy) (partition int32, key, value []byte) {
		return c.Partition, nil, ingest.AppendMessage(nil, &c.Message)
	})
	entries := make([]*entryReader, l.partitions)
	for partition := range entries {
		entries[partition] = newEntryReader(l, int32(partition), p)
	}
	messages := make([]ingest.MessageDecoder, m.EventsPartitions)
	return &stages{
		copies: copies, rows: sink, entries: entries,
		route: kafka.NewRunner(l.Config, kafka.Stage[ingest.Entry, ingest.Copy]{
			Name: "route", Generation: m.Number,
			Input:     kafka.Log{Config: l.Config, Topic: l.DeliveriesTopic(), Archive: l.archive, FetchBytes: tuning.fetch},
			First:     func(partition int32) int64 { return m.First[partition] },
			Upstreams: func(partition int32) []int32 { return []int32{partition} },
			Program: func(partition int32) (streaming.Program[ingest.Entry, ingest.Copy], error) {
				return p.route(partition)
			},
			Decode: func(partition int32, r kafka.LogRecord) (streaming.Message[ingest.Entry], error) {
				return entries[partition].message(context.Background(), r)
			},
			Sink: copies, Snapshots: snapshots,
		}, tuning.route),
		engine: kafka.NewRunner(l.Config, kafka.Stage[event.Routed, metrics.Row]{
			Name: "engine", Generation: m.Number, NeedsSnapshot: m.HistoryEnd != 0,
			Input:     kafka.Log{Config: l.Config, Topic: topic, FetchBytes: tuning.fetch},
			Upstreams: func(int32) []int32 { return m.Upstreams() },
			Program: func(int32) (streaming.Program[event.Routed, metrics.Row], error) {
				return metrics.NewEngine(p.engine())
			},
			Decode: func(partition int32, r kafka.LogRecord) (streaming.Message[event.Routed], error) {
				return messages[partition].Message(r.Value)
			},
			Sink: sink, Snapshots: snapshots, TrimInput: true,
			Observe: func(sh kafka.ShardStatus) { sink.Advance(sh.Partition, m.Number, sh.Clock) },
		}, tuning.engine),
	}
}

// run runs both stages until ctx ends and their shards have flushed.
func (s *stages) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.route.Run(ctx) })
	g.Go(func() error { return s.engine.Run(ctx) })
	err := g.Wait()
	s.copies.Close()
	if side, ok := s.rows.(*sideOutputs); ok {
		side.close()
	}
	for _, e := range s.entries {
		e.close()
	}
	return err
}

// clock is how far the engine is: the lowest clock of its shards.
func (s *stages) clock() streaming.Clock {
	shards := s.engine.Shards()
	if len(shards) == 0 {
		return streaming.NoClock
	}
	clock := shards[0].Clock
	for _, sh := range shards {
		clock = min(clock, sh.Clock)
	}
	return clock
}

// shards returns those that this process has of both stages.
func (s *stages) shards() []kafka.ShardStatus { return append(s.route.Shards(), s.engine.Shards()...) }

// describe tells where every shard stands, a line each.
func (s *stages) describe() []string {
	var lines []string
	for _, sh := range s.shards() {
		lines = append(lines, sh.String())
	}
	return lines
}
