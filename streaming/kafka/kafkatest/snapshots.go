package kafkatest

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"testing"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/snapshottest"
)

// SnapshotTopic returns what the conformance suite of snapshots needs to know of
// the topic, on a broker that c reaches.
func SnapshotTopic(c kafka.Config) func(t *testing.T) snapshottest.Harness {
	return func(t *testing.T) snapshottest.Harness {
		c := c
		c.Prefix = "test-" + strings.ToLower(rand.Text()[:12])
		open := func(t *testing.T) *kafka.SnapshotTopic {
			t.Helper()
			s, err := kafka.OpenSnapshotTopic(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			return s
		}
		hands := sync.OnceValue(func() *kafka.SnapshotTopic { return open(t) })
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		ctx := context.Background()
		return snapshottest.Harness{
			Open: func(t *testing.T) streaming.Snapshots { return open(t) },
			DamageChunk: func(shard string, h streaming.Hash) {
				data, err := hands().Chunk(ctx, shard, h)
				must(err)
				data[0] ^= 1
				must(hands().Overwrite(ctx, shard, h, data))
			},
			RemoveChunk:  func(shard string, h streaming.Hash) { must(hands().Overwrite(ctx, shard, h, nil)) },
			TearManifest: func(shard string, sequence uint64) { must(hands().Tear(ctx, shard, sequence)) },
			HasChunk: func(shard string, h streaming.Hash) bool {
				_, err := open(t).Chunk(ctx, shard, h)
				return err == nil
			},
		}
	}
}
