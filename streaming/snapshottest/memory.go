package snapshottest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"meridian/streaming"
)

// Memory keeps snapshots in memory, for tests and for runs that leave nothing
// behind. The zero Memory is empty and ready.
type Memory struct {
	mu     sync.Mutex
	shards map[string]*memoryShard
}

type memoryShard struct {
	manifests map[uint64][]byte
	chunks    map[streaming.Hash][]byte
}

// Manifests implements [streaming.Snapshots].
func (m *Memory) Manifests(_ context.Context, shard string) ([]streaming.Manifest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shard(shard).list(), nil
}

// Chunk implements [streaming.Snapshots].
func (m *Memory) Chunk(_ context.Context, shard string, h streaming.Hash) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.shard(shard).chunks[h]
	if !ok || streaming.Hash(sha256.Sum256(c)) != h {
		return nil, fmt.Errorf("%w: chunk %s of %s", streaming.ErrDamaged, h, shard)
	}
	return slices.Clone(c), nil
}

// Publish implements [streaming.Snapshots].
func (m *Memory) Publish(_ context.Context, man streaming.Manifest, chunk func(streaming.Hash) []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.shard(man.Shard)
	if kept := s.list(); len(kept) > 0 && man.Sequence <= kept[0].Sequence {
		return fmt.Errorf("%w: %s has %d, this one is %d", streaming.ErrStale, man.Shard, kept[0].Sequence, man.Sequence)
	}
	for h := range man.Chunks() {
		if c, ok := s.chunks[h]; !ok || streaming.Hash(sha256.Sum256(c)) != h {
			s.chunks[h] = slices.Clone(chunk(h))
		}
	}
	s.manifests[man.Sequence] = man.Encode()
	kept := s.list()
	kept = kept[:min(len(kept), streaming.KeptSnapshots)]
	manifests, chunks := map[uint64][]byte{}, map[streaming.Hash][]byte{}
	for _, k := range kept {
		manifests[k.Sequence] = s.manifests[k.Sequence]
		for h := range k.Chunks() {
			if c, ok := s.chunks[h]; ok {
				chunks[h] = c
			}
		}
	}
	s.manifests, s.chunks = manifests, chunks
	return nil
}

// Forget implements [streaming.Snapshots].
func (m *Memory) Forget(_ context.Context, shard string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.shards, shard)
	return nil
}

func (m *Memory) shard(name string) *memoryShard {
	if m.shards == nil {
		m.shards = map[string]*memoryShard{}
	}
	if m.shards[name] == nil {
		m.shards[name] = &memoryShard{manifests: map[uint64][]byte{}, chunks: map[streaming.Hash][]byte{}}
	}
	return m.shards[name]
}

func (s *memoryShard) list() []streaming.Manifest {
	var out []streaming.Manifest
	for _, data := range s.manifests {
		if m, err := streaming.DecodeManifest(data); err == nil {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b streaming.Manifest) int { return cmp.Compare(b.Sequence, a.Sequence) })
	return out
}

// DamageChunk flips a bit of a chunk, RemoveChunk takes one away, TearManifest
// cuts one in half, and HasChunk tells whether one is kept: the store's Harness.
func (m *Memory) DamageChunk(shard string, h streaming.Hash) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shard(shard).chunks[h][0] ^= 1
}

// RemoveChunk is described at DamageChunk.
func (m *Memory) RemoveChunk(shard string, h streaming.Hash) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.shard(shard).chunks, h)
}

// TearManifest is described at DamageChunk.
func (m *Memory) TearManifest(shard string, sequence uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.shard(shard)
	s.manifests[sequence] = s.manifests[sequence][:len(s.manifests[sequence])/2]
}

// HasChunk is described at DamageChunk.
func (m *Memory) HasChunk(shard string, h streaming.Hash) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.shard(shard).chunks[h]
	return ok
}
