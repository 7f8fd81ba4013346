package kafka

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meridian/streaming"
)

// A pack is one file of many chunks. Making a file and syncing it costs a quarter
// of a millisecond, and the snapshot that ends a history has thousands of chunks:
// as files of their own they took longer than the history. A pack costs one sync.
//
//	magic, number of chunks (4 bytes), (hash, length (4 bytes)) of each, SHA-256 of
//	all that; then the chunks
//
// What is in a pack and no longer needed lies there until the pack goes: when it
// holds nothing of a kept manifest, or when the chunks that are left are less than
// half of it, or packs are many. Then these move on to the pack of the next
// snapshot. So a shard takes up to twice the bytes of its snapshots.
type pack struct {
	name string
	at   map[streaming.Hash]extent
	size int64
}

// extent is where a chunk lies in a pack.
type extent struct {
	offset int64
	length uint32
}

const (
	packName  = "pack-"
	packMagic = "MPACK1\n"
	packEntry = sha256.Size + 4

	// looseChunks is up to how many new chunks a snapshot writes as files of
	// their own: what a quiet minute has would make a pack of its own each minute.
	looseChunks = 8
	// mostPacks of a shard; beyond it the smaller half moves on.
	mostPacks = 32
)

// readPack reads the index of a pack.
func readPack(path string) (*pack, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, len(packMagic)+4)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:len(packMagic)]) != packMagic {
		return nil, fmt.Errorf("%w: no pack begins as %s", streaming.ErrDamaged, path)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[len(packMagic):]))
	if n*packEntry+sha256.Size > info.Size() {
		return nil, fmt.Errorf("%w: %s is shorter than its index", streaming.ErrDamaged, path)
	}
	index := make([]byte, n*packEntry+sha256.Size)
	if _, err := io.ReadFull(f, index); err != nil {
		return nil, fmt.Errorf("%w: the index of %s: %w", streaming.ErrDamaged, path, err)
	}
	index, sum := index[:n*packEntry], index[n*packEntry:]
	if want := sha256.Sum256(append(head, index...)); !bytes.Equal(sum, want[:]) {
		return nil, fmt.Errorf("%w: the index of %s has another checksum", streaming.ErrDamaged, path)
	}
	p := &pack{name: filepath.Base(path), at: make(map[streaming.Hash]extent, n), size: info.Size()}
	offset := int64(len(head)) + n*packEntry + sha256.Size
	for ; len(index) > 0; index = index[packEntry:] {
		length := binary.LittleEndian.Uint32(index[sha256.Size:])
		p.at[streaming.Hash(index)] = extent{offset, length}
		offset += int64(length)
	}
	return p, nil
}

// writePack makes a pack of chunks durable. Its name tells its index too, so that a
// name means the same for ever: whoever has read the one knows the other.
func writePack(dir string, sequence uint64, hashes []streaming.Hash, chunk func(streaming.Hash) ([]byte, error)) (path string, err error) {
	chunks := make([][]byte, len(hashes))
	index := binary.LittleEndian.AppendUint32([]byte(packMagic), uint32(len(hashes)))
	for i, h := range hashes {
		data, err := chunk(h)
		if err != nil {
			return "", err
		}
		chunks[i] = data
		index = append(index, h[:]...)
		index = binary.LittleEndian.AppendUint32(index, uint32(len(data)))
	}
	sum := sha256.Sum256(index)
	path = filepath.Join(dir, "chunks", fmt.Sprintf("%s%020d-%x", packName, sequence, sum[:8]))
	return path, writeFileFrom(path, func(w io.Writer) error {
		for _, data := range append([][]byte{index, sum[:]}, chunks...) {
			if _, err := w.Write(data); err != nil {
				return err
			}
		}
		return nil
	})
}

// chunk reads a chunk, without looking whether its bytes are right.
func (p *pack) chunk(dir string, h streaming.Hash) ([]byte, error) {
	at := p.at[h]
	f, err := os.Open(filepath.Join(dir, "chunks", p.name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, at.length)
	if _, err := f.ReadAt(data, at.offset); err != nil {
		return nil, fmt.Errorf("%w: chunk %s in %s: %w", streaming.ErrDamaged, h, p.name, err)
	}
	return data, nil
}

// live is how many of a pack's bytes are of chunks that are used.
func (p *pack) live(used map[streaming.Hash]bool) (n int64) {
	for h, at := range p.at {
		if used[h] {
			n += int64(at.length)
		}
	}
	return n
}

// packsOf lists the packs of a shard, the newest first. Those whose index cannot
// be read hold nothing, and go with the next snapshot. fresh looks at the folder
// again, which another process may have written to.
func (s *SnapshotDir) packsOf(dir, shard string, fresh bool) ([]*pack, error) {
	s.mu.Lock()
	known, ok := s.packs[shard]
	s.mu.Unlock()
	if ok && !fresh {
		return known, nil
	}
	entries, err := os.ReadDir(filepath.Join(dir, "chunks"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var packs []*pack
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), packName) {
			continue
		}
		if i := slices.IndexFunc(known, func(p *pack) bool { return p.name == e.Name() }); i >= 0 {
			packs = append(packs, known[i])
			continue
		}
		p, err := readPack(filepath.Join(dir, "chunks", e.Name()))
		switch {
		case err == nil:
			packs = append(packs, p)
		case !errors.Is(err, streaming.ErrDamaged) && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	slices.SortFunc(packs, func(a, b *pack) int { return strings.Compare(b.name, a.name) })
	s.mu.Lock()
	s.packs[shard] = packs
	s.mu.Unlock()
	return packs, nil
}

// movesOn returns the chunks that are used of packs that are to go.
func movesOn(packs []*pack, used map[streaming.Hash]bool) (hashes []streaming.Hash) {
	bySize := slices.Clone(packs)
	slices.SortFunc(bySize, func(a, b *pack) int { return int(a.size - b.size) })
	for i, p := range bySize {
		live := p.live(used)
		if live == 0 || 2*live >= p.size && (len(packs) <= mostPacks || i >= len(packs)/2) {
			continue
		}
		for h := range p.at {
			if used[h] {
				hashes = append(hashes, h)
			}
		}
	}
	slices.SortFunc(hashes, func(a, b streaming.Hash) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(hashes)
}

// neededPacks are those that hold a chunk which is used and which no newer pack
// holds; packs are the newest first.
func neededPacks(packs []*pack, used map[streaming.Hash]bool) (needed []*pack) {
	held := map[streaming.Hash]bool{}
	for _, p := range packs {
		any := false
		for h := range p.at {
			if used[h] && !held[h] {
				held[h], any = true, true
			}
		}
		if any {
			needed = append(needed, p)
		}
	}
	return needed
}
