package snapshottest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"meridian/streaming"
)

// Harness is one empty store, and the hands to damage it.
type Harness struct {
	// Open opens the store as another process would.
	Open func(t *testing.T) streaming.Snapshots

	DamageChunk  func(shard string, h streaming.Hash) // flip a bit
	RemoveChunk  func(shard string, h streaming.Hash)
	TearManifest func(shard string, sequence uint64) // cut in half
	HasChunk     func(shard string, h streaming.Hash) bool

	Lingers bool // chunks that nothing needs may be kept for some time
}

const shardName = "engine-1-0"

// Run runs the suite; fresh returns a new empty store for each test.
func Run(t *testing.T, fresh func(t *testing.T) Harness) {
	tests := []struct {
		name string
		test func(t *testing.T, h Harness)
	}{
		{"empty", testEmpty},
		{"round trip", testRoundTrip},
		{"shards are apart", testShardsApart},
		{"three are kept", testThreeKept},
		{"unchanged chunks are not written again", testUnchanged},
		{"stale", testStale},
		{"torn manifest", testTornManifest},
		{"damaged chunk", testDamagedChunk},
		{"missing chunk", testMissingChunk},
		{"a damaged chunk is written again", testMended},
		{"all are damaged", testAllDamaged},
		{"concurrent writers", testConcurrent},
		{"forgotten", testForgotten},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, fresh(t)) })
	}
}

type state map[string][]byte

// same is long enough for three chunks, the last of them short.
func same() []byte { return bytes.Repeat([]byte("closed day. "), 2*streaming.MaxChunk/12+1000) }

func version(n int) state {
	return state{"cells": fmt.Appendf(nil, "cells of snapshot %d", n), "dedup": same(), "none": {}}
}

func (s state) save(put func(string, []byte)) {
	for name, data := range s {
		put(name, data)
	}
}

// publish captures s and publishes it; it returns the hashes that the store asked for.
func publish(t *testing.T, store streaming.Snapshots, shard string, seq uint64, s state) (asked []streaming.Hash, m streaming.Manifest, err error) {
	t.Helper()
	m, chunks := streaming.Capture(shard, seq, s.save)
	m.Resume = int64(seq) * 10
	err = store.Publish(t.Context(), m, func(h streaming.Hash) []byte {
		asked = append(asked, h)
		c, ok := chunks[h]
		if !ok {
			t.Errorf("the store asked for chunk %s, which is not of this snapshot", h)
		}
		return c
	})
	return asked, m, err
}

func mustPublish(t *testing.T, store streaming.Snapshots, seq uint64) streaming.Manifest {
	t.Helper()
	_, m, err := publish(t, store, shardName, seq, version(int(seq)))
	if err != nil {
		t.Fatalf("publish %d: %v", seq, err)
	}
	return m
}

// wantRestored checks that Restore finds snapshot seq with its whole state.
func wantRestored(t *testing.T, store streaming.Snapshots, seq uint64) {
	t.Helper()
	get, m, err := streaming.Restore(t.Context(), store, shardName)
	if err != nil {
		t.Fatalf("restore: %v", err)
	}
	if m.Sequence != seq || m.Resume != int64(seq)*10 || m.Shard != shardName {
		t.Fatalf("restored snapshot %d of %s with resume %d, want %d of %s with %d", m.Sequence, m.Shard, m.Resume, seq, shardName, seq*10)
	}
	for name, want := range version(int(seq)) {
		got, err := get(name)
		if err != nil || !bytes.Equal(got, want) || got == nil {
			t.Errorf("section %q of snapshot %d: %d bytes, error %v, want %d bytes", name, seq, len(got), err, len(want))
		}
	}
	if got, err := get("no such section"); got != nil || err != nil {
		t.Errorf("a missing section gave %d bytes and error %v", len(got), err)
	}
}

func wantSequences(t *testing.T, store streaming.Snapshots, want ...uint64) {
	t.Helper()
	ms, err := store.Manifests(t.Context(), shardName)
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for _, m := range ms {
		got = append(got, m.Sequence)
	}
	if !slices.Equal(got, want) {
		t.Errorf("manifests %v, want %v", got, want)
	}
}

func section(t *testing.T, m streaming.Manifest, name string) []streaming.Hash {
	t.Helper()
	s, ok := m.Section(name)
	if !ok {
		t.Fatalf("snapshot %d has no section %q", m.Sequence, name)
	}
	return s.Chunks
}

func testEmpty(t *testing.T, h Harness) {
	store := h.Open(t)
	wantSequences(t, store)
	if _, _, err := streaming.Restore(t.Context(), store, shardName); !errors.Is(err, streaming.ErrNoSnapshot) {
		t.Errorf("restore of nothing: %v", err)
	}
	if n, err := streaming.NextSequence(t.Context(), store, shardName); n != 1 || err != nil {
		t.Errorf("first sequence %d, %v", n, err)
	}
	if _, err := store.Chunk(t.Context(), shardName, streaming.Hash{1}); !errors.Is(err, streaming.ErrDamaged) {
		t.Errorf("a chunk of nothing: %v", err)
	}
}

func testRoundTrip(t *testing.T, h Harness) {
	mustPublish(t, h.Open(t), 1)
	wantRestored(t, h.Open(t), 1)
	m := mustPublish(t, h.Open(t), 2)
	if n := len(section(t, m, "dedup")); n != 3 {
		t.Errorf("a section of more than two chunks has %d", n)
	}
	wantRestored(t, h.Open(t), 2)
}

func testShardsApart(t *testing.T, h Harness) {
	store := h.Open(t)
	mustPublish(t, store, 5)
	if _, _, err := publish(t, store, "engine-1-1", 1, version(1)); err != nil {
		t.Fatalf("publish of another shard: %v", err)
	}
	if _, _, err := publish(t, store, "engine-1-10", 1, version(1)); err != nil {
		t.Fatalf("publish of a shard whose name begins alike: %v", err)
	}
	wantSequences(t, store, 5)
	wantRestored(t, store, 5)
}

func testThreeKept(t *testing.T, h Harness) {
	store := h.Open(t)
	var ms []streaming.Manifest
	for seq := uint64(1); seq <= 5; seq++ {
		ms = append(ms, mustPublish(t, store, seq))
	}
	wantSequences(t, store, 5, 4, 3)
	for i, m := range ms {
		own := section(t, m, "cells")[0]
		if got, want := h.HasChunk(shardName, own), i >= 2; got != want && !(got && h.Lingers) {
			t.Errorf("own chunk of snapshot %d is kept: %t, want %t", m.Sequence, got, want)
		}
	}
	for _, c := range section(t, ms[0], "dedup") {
		if !h.HasChunk(shardName, c) {
			t.Errorf("chunk %s is gone, and all snapshots use it", c)
		}
	}
	wantSequences(t, h.Open(t), 5, 4, 3)
	wantRestored(t, h.Open(t), 5)
}

func testUnchanged(t *testing.T, h Harness) {
	store := h.Open(t)
	mustPublish(t, store, 1)
	for _, store := range []streaming.Snapshots{store, h.Open(t)} {
		seq, err := streaming.NextSequence(t.Context(), store, shardName)
		if err != nil {
			t.Fatal(err)
		}
		asked, m, err := publish(t, store, shardName, seq, version(int(seq)))
		if err != nil {
			t.Fatal(err)
		}
		if own := section(t, m, "cells"); !slices.Equal(asked, own) {
			t.Errorf("snapshot %d asked for %v, want its one new chunk %v", seq, asked, own)
		}
		wantRestored(t, store, seq)
	}
}

func testStale(t *testing.T, h Harness) {
	store := h.Open(t)
	mustPublish(t, store, 7)
	for _, seq := range []uint64{6, 7} {
		if _, _, err := publish(t, h.Open(t), shardName, seq, version(99)); !errors.Is(err, streaming.ErrStale) {
			t.Errorf("publish %d after 7: %v, want ErrStale", seq, err)
		}
	}
	wantSequences(t, store, 7)
	wantRestored(t, store, 7)
	mustPublish(t, h.Open(t), 9)
	wantRestored(t, store, 9)
}

func testTornManifest(t *testing.T, h Harness) {
	mustPublish(t, h.Open(t), 1)
	mustPublish(t, h.Open(t), 2)
	h.TearManifest(shardName, 2)
	store := h.Open(t)
	wantSequences(t, store, 1)
	wantRestored(t, store, 1)
	mustPublish(t, store, 2) // in the place of the torn one
	wantRestored(t, h.Open(t), 2)
	wantSequences(t, h.Open(t), 2, 1)
}

func testDamagedChunk(t *testing.T, h Harness) {
	mustPublish(t, h.Open(t), 1)
	m := mustPublish(t, h.Open(t), 2)
	bad := section(t, m, "cells")[0]
	h.DamageChunk(shardName, bad)
	store := h.Open(t)
	if _, err := store.Chunk(t.Context(), shardName, bad); !errors.Is(err, streaming.ErrDamaged) {
		t.Errorf("damaged chunk: %v", err)
	}
	wantRestored(t, store, 1)
	if n, err := streaming.NextSequence(t.Context(), store, shardName); n != 3 || err != nil {
		t.Errorf("next sequence after a damaged 2 is %d, %v", n, err)
	}
	mustPublish(t, store, 3)
	wantRestored(t, store, 3)
}

func testMissingChunk(t *testing.T, h Harness) {
	mustPublish(t, h.Open(t), 1)
	m := mustPublish(t, h.Open(t), 2)
	h.RemoveChunk(shardName, section(t, m, "cells")[0])
	wantRestored(t, h.Open(t), 1)
}

func testMended(t *testing.T, h Harness) {
	m := mustPublish(t, h.Open(t), 1)
	shared := section(t, m, "dedup")[0]
	h.DamageChunk(shardName, shared)
	store := h.Open(t)
	if _, _, err := streaming.Restore(t.Context(), store, shardName); !errors.Is(err, streaming.ErrNoSnapshot) {
		t.Fatalf("restore with the one snapshot damaged: %v", err)
	}
	mustPublish(t, store, 2) // needs the damaged chunk as well
	wantRestored(t, h.Open(t), 2)
}

func testAllDamaged(t *testing.T, h Harness) {
	store := h.Open(t)
	for seq := uint64(1); seq <= 3; seq++ {
		m := mustPublish(t, store, seq)
		h.RemoveChunk(shardName, section(t, m, "cells")[0])
	}
	if _, _, err := streaming.Restore(t.Context(), h.Open(t), shardName); !errors.Is(err, streaming.ErrNoSnapshot) {
		t.Errorf("restore: %v", err)
	}
}

// testConcurrent has two owners of one shard, of which at most one is right:
// for each sequence one of them wins, and what is kept is always whole.
func testConcurrent(t *testing.T, h Harness) {
	const last = 20
	var won [last + 1]int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		store := h.Open(t)
		wg.Go(func() {
			for seq := uint64(1); seq <= last; seq++ {
				m, chunks := streaming.Capture(shardName, seq, version(int(seq)).save)
				m.Resume = int64(seq) * 10
				err := store.Publish(context.Background(), m, func(h streaming.Hash) []byte { return chunks[h] })
				switch {
				case err == nil:
					mu.Lock()
					won[seq]++
					mu.Unlock()
				case !errors.Is(err, streaming.ErrStale):
					t.Errorf("publish %d: %v", seq, err)
				}
			}
		})
	}
	wg.Wait()
	for seq := 1; seq <= last; seq++ {
		if won[seq] > 1 {
			t.Errorf("snapshot %d was published %d times", seq, won[seq])
		}
	}
	if won[last] != 1 {
		t.Errorf("the last snapshot was published %d times, want 1", won[last])
	}
	wantRestored(t, h.Open(t), last)
}

func testForgotten(t *testing.T, h Harness) {
	store := h.Open(t)
	m := mustPublish(t, store, 4)
	if _, _, err := publish(t, store, "engine-1-1", 1, version(1)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // again is no error
		if err := store.Forget(t.Context(), shardName); err != nil {
			t.Fatal(err)
		}
	}
	wantSequences(t, store)
	wantSequences(t, h.Open(t))
	if h.HasChunk(shardName, section(t, m, "cells")[0]) {
		t.Error("a chunk of a forgotten shard is kept")
	}
	if _, _, err := streaming.Restore(t.Context(), h.Open(t), "engine-1-1"); err != nil {
		t.Errorf("another shard: %v", err)
	}
	mustPublish(t, store, 1)
	wantRestored(t, h.Open(t), 1)
}
