package kafka_test

import (
	"testing"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/kafka/kafkatest"
	"meridian/streaming/snapshottest"
)

func TestSnapshotTopic(t *testing.T) {
	snapshottest.Run(t, kafkatest.SnapshotTopic(broker(t, "").Config("")))
}

func TestNewestGenerationOfTheTopic(t *testing.T) {
	store, err := kafka.OpenSnapshotTopic(t.Context(), broker(t, "").Config(""))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, step := range []struct {
		shard string
		want  streaming.Generation
	}{{"", 0}, {"engine-3-1", 3}, {"route-2-0", 3}, {"engine-12-0", 12}} {
		if step.shard != "" {
			m, chunks := streaming.Capture(step.shard, 1, func(put func(string, []byte)) { put("a", []byte("b")) })
			if err := store.Publish(t.Context(), m, func(h streaming.Hash) []byte { return chunks[h] }); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := store.NewestGeneration(t.Context()); err != nil || got != step.want {
			t.Errorf("after %q: generation %d, %v; want %d", step.shard, got, err, step.want)
		}
	}
	if err := store.Forget(t.Context(), "engine-12-0"); err != nil {
		t.Fatal(err)
	}
	if got, err := store.NewestGeneration(t.Context()); err != nil || got != 3 {
		t.Errorf("after it was forgotten: generation %d, %v", got, err)
	}
}
