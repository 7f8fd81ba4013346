package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"meridian/streaming/kafka"
)

// fill writes the history, and a tick to every partition for each hour of
// arrival; behind it one tick that closes all windows.
func fill(ctx context.Context, c kafka.Config, n int) error {
	topic := c.DeliveriesTopic()
	if err := kafka.DropTopic(ctx, c, topic); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // a broker goes on deleting after it has said that it has deleted
	if err := kafka.EnsureTopics(ctx, c, kafka.Topic{Name: topic, Partitions: partitions}); err != nil {
		return err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.SnappyCompression()), kgo.ProducerBatchMaxBytes(64<<10), kgo.ProducerLinger(20*time.Millisecond), kgo.MaxBufferedRecords(200_000))
	if err != nil {
		return err
	}
	defer client.Close()
	var failed error
	write := func(partition int32, key string, value []byte) {
		client.Produce(ctx, &kgo.Record{Partition: partition, Key: []byte(key), Value: value}, func(_ *kgo.Record, err error) {
			if err != nil && failed == nil {
				failed = err
			}
		})
	}
	tick := func(at int64) {
		for p := range int32(partitions) {
			write(p, "", tickRecord(at))
		}
	}
	m := makeHistory(n, 1)
	next := historyStart
	for i := range m.facts {
		f := &m.facts[i]
		for ; next <= f.arrival; next += hour {
			tick(next)
		}
		h := fnv.New32a()
		h.Write([]byte(teamName(f.team)))
		write(int32(h.Sum32()%partitions), teamName(f.team), m.record(f))
	}
	tick(quietEnd)
	if err := client.Flush(ctx); err != nil {
		return err
	}
	return failed
}

// consume reads the whole topic and does nothing with it: no consumer of this
// topic can be faster.
func consume(ctx context.Context, c kafka.Config) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.ConsumeTopics(c.DeliveriesTopic()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return err
	}
	defer client.Close()
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, c.DeliveriesTopic())
	if err != nil {
		return err
	}
	left := int64(0)
	ends.Each(func(o kadm.ListedOffset) { left += o.Offset })
	for left > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("consume %s: %w", c.DeliveriesTopic(), err)
		}
		left -= int64(fetches.NumRecords())
	}
	return nil
}
