package snapshottest_test

import (
	"testing"

	"meridian/streaming"
	"meridian/streaming/snapshottest"
)

func TestMemory(t *testing.T) {
	snapshottest.Run(t, func(*testing.T) snapshottest.Harness {
		m := &snapshottest.Memory{}
		return snapshottest.Harness{
			Open:         func(*testing.T) streaming.Snapshots { return m },
			DamageChunk:  m.DamageChunk,
			RemoveChunk:  m.RemoveChunk,
			TearManifest: m.TearManifest,
			HasChunk:     m.HasChunk,
		}
	})
}
