package kafka

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"meridian/streaming"
)

// SnapshotDir keeps snapshots in a directory, one folder per shard:
//
//	engine-1-0/manifest-00000000000000000012
//	engine-1-0/chunks/3f9a...
//	engine-1-0/chunks/pack-00000000000000000012-09c1...
//	engine-1-0/lock
//
// It implements [streaming.Snapshots]. Publishing holds the shard's lock, so
// that two processes that both believe they own a shard cannot take chunks
// away from each other's manifests.
type SnapshotDir struct {
	dir string

	// whole remembers chunks whose bytes were read or written here, by shard.
	// Others are read before a manifest may refer to them.
	mu    sync.Mutex
	whole map[string]map[streaming.Hash]bool
	packs map[string][]*pack // as they were last seen, by shard

	loose int // looseChunks, but in tests
}

const manifestName = "manifest-"

// NewSnapshotDir returns a store over dir, which need not exist.
func NewSnapshotDir(dir string) *SnapshotDir {
	return &SnapshotDir{dir: dir, whole: map[string]map[streaming.Hash]bool{}, packs: map[string][]*pack{}, loose: looseChunks}
}

// Manifests implements [streaming.Snapshots].
func (s *SnapshotDir) Manifests(_ context.Context, shard string) ([]streaming.Manifest, error) {
	dir, err := s.shardDir(shard)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("snapshots of %s: %w", shard, err)
	}
	var out []streaming.Manifest
	for _, e := range entries {
		seq, ok := manifestSequence(e.Name())
		if !ok {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // forgotten by its owner since it was listed
		}
		if err != nil {
			return nil, fmt.Errorf("snapshots of %s: %w", shard, err)
		}
		if m, err := streaming.DecodeManifest(data); err == nil && m.Shard == shard && m.Sequence == seq {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b streaming.Manifest) int { return cmp.Compare(b.Sequence, a.Sequence) })
	return out, nil
}

// Chunk implements [streaming.Snapshots].
func (s *SnapshotDir) Chunk(_ context.Context, shard string, h streaming.Hash) ([]byte, error) {
	dir, err := s.shardDir(shard)
	if err != nil {
		return nil, err
	}
	for _, fresh := range []bool{false, true} { // a pack may have come, or gone, since they were listed
		data, err := s.find(dir, shard, h, fresh)
		if err == nil || !errors.Is(err, streaming.ErrDamaged) {
			s.remember(shard, h, err == nil)
			return data, err
		}
	}
	s.remember(shard, h, false)
	return nil, fmt.Errorf("%w: chunk %s of %s is missing or has other bytes", streaming.ErrDamaged, h, shard)
}

// find reads a chunk from wherever its bytes are right.
func (s *SnapshotDir) find(dir, shard string, h streaming.Hash, fresh bool) ([]byte, error) {
	data, err := os.ReadFile(chunkPath(dir, h))
	if err == nil && streaming.Hash(sha256.Sum256(data)) == h {
		return data, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("snapshot of %s: %w", shard, err)
	}
	packs, err := s.packsOf(dir, shard, fresh)
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", shard, err)
	}
	for _, p := range packs {
		if _, ok := p.at[h]; !ok {
			continue
		}
		data, err := p.chunk(dir, h)
		switch {
		case err == nil && streaming.Hash(sha256.Sum256(data)) == h:
			return data, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, streaming.ErrDamaged):
			return nil, fmt.Errorf("snapshot of %s: %w", shard, err)
		}
	}
	return nil, streaming.ErrDamaged
}

// Publish implements [streaming.Snapshots].
func (s *SnapshotDir) Publish(ctx context.Context, m streaming.Manifest, chunk func(streaming.Hash) []byte) error {
	dir, err := s.shardDir(m.Shard)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "chunks"), 0o700); err != nil {
		return fmt.Errorf("snapshot of %s: %w", m.Shard, err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("snapshot of %s: lock: %w", m.Shard, err)
	}
	defer lock.Unlock()

	kept, err := s.Manifests(ctx, m.Shard)
	if err != nil {
		return err
	}
	if len(kept) > 0 && m.Sequence <= kept[0].Sequence {
		return fmt.Errorf("%w: %s is at snapshot %d, this one is %d", streaming.ErrStale, m.Shard, kept[0].Sequence, m.Sequence)
	}
	keep := append([]streaming.Manifest{m}, kept...)
	keep = keep[:min(len(keep), streaming.KeptSnapshots)]
	if err := s.writeChunks(ctx, dir, keep, chunk); err != nil {
		return fmt.Errorf("snapshot of %s: %w", m.Shard, err)
	}
	if err := writeFile(filepath.Join(dir, fmt.Sprintf("%s%020d", manifestName, m.Sequence)), m.Encode()); err != nil {
		return fmt.Errorf("snapshot of %s: %w", m.Shard, err)
	}
	if err := s.forget(dir, m.Shard, keep); err != nil {
		return fmt.Errorf("remove old snapshots of %s: %w", m.Shard, err)
	}
	return nil
}

// writeChunks writes the chunks of the newest of the manifests that are lacking:
// a few as files, many as a pack, to which those of packs that are to go move on.
func (s *SnapshotDir) writeChunks(ctx context.Context, dir string, keep []streaming.Manifest, chunk func(streaming.Hash) []byte) error {
	shard := keep[0].Shard
	packs, err := s.packsOf(dir, shard, true)
	if err != nil {
		return err
	}
	here, err := listed(dir, packs)
	if err != nil {
		return err
	}
	seen := map[streaming.Hash]bool{}
	var lacking []streaming.Hash
	for h := range keep[0].Chunks() {
		if !seen[h] && !s.has(ctx, shard, h, here) {
			lacking = append(lacking, h)
		}
		seen[h] = true
	}
	moving := movesOn(packs, usedBy(keep))
	if len(lacking) == 0 && len(moving) == 0 {
		return nil
	}
	if len(moving) == 0 && len(lacking) <= s.loose {
		for _, h := range lacking {
			if err := writeFile(chunkPath(dir, h), chunk(h)); err != nil {
				return err
			}
			s.remember(shard, h, true)
		}
		return syncDir(dir) // the chunks folder may be new
	}
	isNew := map[streaming.Hash]bool{}
	for _, h := range lacking {
		isNew[h] = true
	}
	for _, h := range moving {
		if _, err := s.Chunk(ctx, shard, h); err == nil && !isNew[h] { // a damaged one stays where it is: nobody can restore it
			lacking = append(lacking, h)
		}
	}
	path, err := writePack(dir, keep[0].Sequence, lacking, func(h streaming.Hash) ([]byte, error) {
		if isNew[h] {
			return chunk(h), nil
		}
		return s.Chunk(ctx, shard, h)
	})
	if err != nil {
		return err
	}
	p, err := readPack(path)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.packs[shard] = append([]*pack{p}, packs...)
	s.mu.Unlock()
	for _, h := range lacking {
		s.remember(shard, h, true)
	}
	return syncDir(dir)
}

// listed names the chunks that are in a folder, whole or not.
func listed(dir string, packs []*pack) (map[streaming.Hash]bool, error) {
	here := map[streaming.Hash]bool{}
	entries, err := os.ReadDir(filepath.Join(dir, "chunks"))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if h, ok := chunkOf(e.Name()); ok {
			here[h] = true
		}
	}
	for _, p := range packs {
		for h := range p.at {
			here[h] = true
		}
	}
	return here, nil
}

// chunkOf reads the name of a chunk's file.
func chunkOf(name string) (h streaming.Hash, ok bool) {
	b, err := hex.DecodeString(name)
	if err != nil || len(b) != len(h) {
		return h, false
	}
	return streaming.Hash(b), true
}

func usedBy(manifests []streaming.Manifest) map[streaming.Hash]bool {
	used := map[streaming.Hash]bool{}
	for _, m := range manifests {
		for h := range m.Chunks() {
			used[h] = true
		}
	}
	return used
}

// has tells whether a whole chunk is kept. A damaged one counts as lacking, so
// that it is written again and heals.
func (s *SnapshotDir) has(ctx context.Context, shard string, h streaming.Hash, here map[streaming.Hash]bool) bool {
	if !here[h] {
		return false
	}
	s.mu.Lock()
	known := s.whole[shard][h]
	s.mu.Unlock()
	if known {
		return true
	}
	_, err := s.Chunk(ctx, shard, h)
	return err == nil
}

// forget removes all manifests but the kept ones, then the chunks that none
// of them uses. A crash in between leaves files that the next call removes.
func (s *SnapshotDir) forget(dir, shard string, kept []streaming.Manifest) error {
	sequences, used := map[uint64]bool{}, usedBy(kept)
	for _, m := range kept {
		sequences[m.Sequence] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		seq, isManifest := manifestSequence(e.Name())
		if isManifest && !sequences[seq] || strings.HasPrefix(e.Name(), ".new-") {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	chunks, err := os.ReadDir(filepath.Join(dir, "chunks"))
	if err != nil {
		return err
	}
	s.mu.Lock()
	packs := s.packs[shard]
	s.mu.Unlock()
	left := neededPacks(packs, used)
	for _, e := range chunks {
		h, isChunk := chunkOf(e.Name())
		if isChunk && used[h] || slices.ContainsFunc(left, func(p *pack) bool { return p.name == e.Name() }) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, "chunks", e.Name())); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.packs[shard] = left
	maps.DeleteFunc(s.whole[shard], func(h streaming.Hash, _ bool) bool { return !used[h] })
	s.mu.Unlock()
	return nil
}

// Forget implements [streaming.Snapshots].
func (s *SnapshotDir) Forget(_ context.Context, shard string) error {
	dir, err := s.shardDir(shard)
	if err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.whole, shard)
	delete(s.packs, shard)
	s.mu.Unlock()
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("forget the snapshots of %s: %w", shard, err)
	}
	return nil
}

func (s *SnapshotDir) remember(shard string, h streaming.Hash, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !whole {
		delete(s.whole[shard], h)
		return
	}
	if s.whole[shard] == nil {
		s.whole[shard] = map[streaming.Hash]bool{}
	}
	s.whole[shard][h] = true
}

func (s *SnapshotDir) shardDir(shard string) (string, error) {
	if shard == "" || shard != filepath.Base(shard) || strings.HasPrefix(shard, ".") {
		return "", fmt.Errorf("snapshots: %q cannot name a shard", shard)
	}
	return filepath.Join(s.dir, shard), nil
}

// NewestGeneration returns the highest generation that has snapshots here; 0 is
// none.
func (s *SnapshotDir) NewestGeneration(context.Context) (streaming.Generation, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("snapshots: %w", err)
	}
	newest := streaming.Generation(0)
	for _, e := range entries {
		if g, ok := generationOfShard(e.Name()); ok {
			newest = max(newest, g)
		}
	}
	return newest, nil
}

// generationOfShard reads the generation out of what [ShardName] made.
func generationOfShard(name string) (g streaming.Generation, ok bool) {
	var partition int32
	stage, rest, _ := strings.Cut(name, "-")
	n, err := fmt.Sscanf(rest, "%d-%d", &g, &partition)
	return g, n == 2 && err == nil && name == ShardName(stage, g, partition)
}

func chunkPath(shardDir string, h streaming.Hash) string {
	return filepath.Join(shardDir, "chunks", h.String())
}

func manifestSequence(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, manifestName)
	if !ok {
		return 0, false
	}
	seq, err := strconv.ParseUint(digits, 10, 64)
	return seq, err == nil
}
