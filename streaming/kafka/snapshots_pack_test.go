package kafka_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/snapshottest"
)

func TestSnapshotDirOfPacks(t *testing.T) {
	snapshottest.Run(t, func(t *testing.T) snapshottest.Harness {
		dir := t.TempDir()
		change := func(shard string, h streaming.Hash, to func(byte) byte) {
			for path, at := range kafka.PlacesOf(dir, shard, h) {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				data[at] = to(data[at])
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		return snapshottest.Harness{
			Open:        func(*testing.T) streaming.Snapshots { return kafka.NewPackedSnapshotDir(dir) },
			DamageChunk: func(shard string, h streaming.Hash) { change(shard, h, func(b byte) byte { return b ^ 1 }) },
			RemoveChunk: func(shard string, h streaming.Hash) { // a pack that is cut off
				for path, at := range kafka.PlacesOf(dir, shard, h) {
					if err := os.Truncate(path, at); err != nil {
						t.Fatal(err)
					}
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
			HasChunk: func(shard string, h streaming.Hash) bool { return len(kafka.PlacesOf(dir, shard, h)) > 0 },
			Lingers:  true,
		}
	})
}

// A shard of a thousand sections that changes a few in each snapshot takes no more
// than twice what its three snapshots hold, in few files, whatever changes.
func TestPacksDoNotGrow(t *testing.T) {
	const sections, size = 1000, 1000
	dir := t.TempDir()
	store := kafka.NewSnapshotDir(dir)
	state := make([][]byte, sections)
	for i := range state {
		state[i] = bytes.Repeat([]byte(fmt.Sprintf("%10d", i)), size/10)
	}
	for seq := uint64(1); seq <= 200; seq++ {
		for i := range 20 { // some again and again, some once in a while
			at := i
			if i%2 == 0 {
				at = int(seq*37+uint64(i)*53) % sections
			}
			state[at] = bytes.Repeat([]byte(fmt.Sprintf("%4d%6d", seq, at)), size/10)
		}
		m, chunks := streaming.Capture("engine-1-0", seq, func(put func(string, []byte)) {
			for i, data := range state {
				put(fmt.Sprint(i), data)
			}
		})
		if err := store.Publish(t.Context(), m, func(h streaming.Hash) []byte { return chunks[h] }); err != nil {
			t.Fatal(err)
		}
		if seq%20 != 0 {
			continue
		}
		store = kafka.NewSnapshotDir(dir)
		get, restored, err := streaming.Restore(t.Context(), store, "engine-1-0")
		if err != nil || restored.Sequence != seq {
			t.Fatalf("restored %d, %v; want %d", restored.Sequence, err, seq)
		}
		for i, want := range state {
			if got, err := get(fmt.Sprint(i)); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("snapshot %d: section %d is not what was saved: %v", seq, i, err)
			}
		}
		entries, err := os.ReadDir(filepath.Join(dir, "engine-1-0", "chunks"))
		if err != nil {
			t.Fatal(err)
		}
		var bytes int64
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			bytes += info.Size()
		}
		if most := int64(2 * (sections + 2*20) * (size + 64)); bytes > most || len(entries) > 40 {
			t.Errorf("snapshot %d: %d files of %d bytes; at most 40 of %d", seq, len(entries), bytes, most)
		}
	}
}
