package kafka_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/snapshottest"
)

func TestSnapshotDir(t *testing.T) {
	snapshottest.Run(t, func(t *testing.T) snapshottest.Harness {
		dir := t.TempDir()
		chunk := func(shard string, h streaming.Hash) string {
			return filepath.Join(dir, shard, "chunks", h.String())
		}
		return snapshottest.Harness{
			Open: func(*testing.T) streaming.Snapshots { return kafka.NewSnapshotDir(dir) },
			DamageChunk: func(shard string, h streaming.Hash) {
				data, err := os.ReadFile(chunk(shard, h))
				if err != nil {
					t.Fatal(err)
				}
				data[len(data)/2] ^= 1
				if err := os.WriteFile(chunk(shard, h), data, 0o600); err != nil {
					t.Fatal(err)
				}
			},
			RemoveChunk: func(shard string, h streaming.Hash) {
				if err := os.Remove(chunk(shard, h)); err != nil {
					t.Fatal(err)
				}
			},
			TearManifest: func(shard string, sequence uint64) {
				path := filepath.Join(dir, shard, fmt.Sprintf("manifest-%020d", sequence))
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(path, info.Size()/2); err != nil {
					t.Fatal(err)
				}
			},
			HasChunk: func(shard string, h streaming.Hash) bool {
				_, err := os.Stat(chunk(shard, h))
				return err == nil
			},
		}
	})
}

func TestSnapshotDirRefusesNamesThatLeaveIt(t *testing.T) {
	store := kafka.NewSnapshotDir(t.TempDir())
	for _, shard := range []string{"", "..", "../x", "a/b", ".hidden"} {
		if _, err := store.Manifests(t.Context(), shard); err == nil {
			t.Errorf("shard %q was taken", shard)
		}
	}
}

func TestSnapshotDirIsPrivate(t *testing.T) {
	dir := t.TempDir()
	store := kafka.NewSnapshotDir(dir)
	m, chunks := streaming.Capture("route-1-0", 1, func(put func(string, []byte)) { put("state", []byte("who did what")) })
	if err := store.Publish(t.Context(), m, func(h streaming.Hash) []byte { return chunks[h] }); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(filepath.Join(dir, "route-1-0"), func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 && e.Name() != "lock" {
			t.Errorf("%s can be read by others: %s", e.Name(), info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
