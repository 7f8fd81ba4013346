package kafka_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"meridian/streaming/kafka"
)

// At the end of a compacted topic may lie what nobody is given: here the mark of a
// transaction. Its keys are deleted all the same.
func TestKeysAreDeletedBehindWhatIsNeverRead(t *testing.T) {
	broker, err := kafka.StartBroker("", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	c := broker.Config("")
	topic := c.PointsTopic()
	if err := kafka.EnsureTopics(t.Context(), c, c.SideTopics(1)...); err != nil {
		t.Fatal(err)
	}
	writer, err := c.Client(kgo.TransactionalID("points"), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := writer.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := writer.ProduceSync(t.Context(), &kgo.Record{Key: []byte("k"), Value: []byte("zebra")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := writer.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	bounds, err := kafka.Offsets(t.Context(), c, topic)
	if err != nil || bounds[0].End != 2 {
		t.Fatalf("one record and a mark: %+v, %v", bounds, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	if err := kafka.DeleteKeys(ctx, c, topic, bounds); err != nil {
		t.Fatal(err)
	}
	reader, err := c.Client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().At(0)}}))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for deleted := false; !deleted; {
		fetches := reader.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("no deletion of the key is read: %v", err)
		}
		fetches.EachRecord(func(r *kgo.Record) { deleted = deleted || string(r.Key) == "k" && r.Value == nil })
	}
}
