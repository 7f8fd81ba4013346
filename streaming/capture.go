package streaming

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Capture cuts what save writes into chunks of at most MaxChunk. The result
// holds copies, so that a program may use its buffers again and go on while
// the snapshot is being published. The caller sets Manifest.Resume.
func Capture(shard string, seq uint64, save func(put func(section string, data []byte))) (Manifest, map[Hash][]byte) {
	var c Capturer
	return c.Capture(shard, seq, func(put func(string, []byte)) {
		save(func(section string, data []byte) { put(section, bytes.Clone(data)) })
	})
}

// Capturer takes one snapshot after the other of a program that never writes to
// bytes it has put, as [Program] demands. It copies nothing, and a section that
// is put in the same memory again has the hashes that it had: so what has not
// changed costs a snapshot nothing, and it is nearly everything. The zero
// Capturer is ready.
type Capturer struct {
	last map[string]captured // by section; holds the bytes, so that their memory is nobody else's
}

type captured struct {
	data   []byte
	chunks []Hash
}

// Capture is what the function of this name is, of a program.
func (c *Capturer) Capture(shard string, seq uint64, save func(put func(section string, data []byte))) (Manifest, map[Hash][]byte) {
	sections := make(map[string]captured, len(c.last))
	chunks := map[Hash][]byte{}
	save(func(section string, data []byte) {
		s := c.last[section]
		if len(s.data) == 0 || len(s.data) != len(data) || &s.data[0] != &data[0] {
			s = captured{data, []Hash{}}
			for part := range slices.Chunk(data, MaxChunk) {
				s.chunks = append(s.chunks, sha256.Sum256(part))
			}
		}
		i := 0
		for part := range slices.Chunk(data, MaxChunk) {
			chunks[s.chunks[i]] = part
			i++
		}
		sections[section] = s
	})
	c.last = sections
	m := Manifest{Shard: shard, Sequence: seq}
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		m.Sections = append(m.Sections, Section{Name: name, Chunks: sections[name].chunks})
	}
	return m, chunks
}

// Restore finds the newest whole snapshot of a shard. Every chunk is read once
// before a manifest is chosen, since a shard that has begun to load cannot
// turn back to the manifest before. get reads a section of it; one that it
// does not have is (nil, nil).
//
// The error is ErrNoSnapshot where there is none, or none is whole: then the
// shard begins at the beginning of its input, which gives the same rows.
func Restore(ctx context.Context, store Snapshots, shard string) (get func(section string) ([]byte, error), m Manifest, err error) {
	manifests, err := store.Manifests(ctx, shard)
	if err != nil {
		return nil, Manifest{}, fmt.Errorf("list the snapshots of %s: %w", shard, err)
	}
	var damage []string
	for _, m := range manifests {
		err := verify(ctx, store, shard, m)
		if err == nil {
			return func(section string) ([]byte, error) { return read(ctx, store, shard, m, section) }, m, nil
		}
		if !errors.Is(err, ErrDamaged) {
			return nil, Manifest{}, fmt.Errorf("read snapshot %d of %s: %w", m.Sequence, shard, err)
		}
		damage = append(damage, fmt.Sprintf("%d: %v", m.Sequence, err))
	}
	if len(damage) > 0 {
		return nil, Manifest{}, fmt.Errorf("%w of %s: all that are kept are damaged (%s)", ErrNoSnapshot, shard, strings.Join(damage, "; "))
	}
	return nil, Manifest{}, fmt.Errorf("%w of %s", ErrNoSnapshot, shard)
}

// NextSequence returns the sequence that the shard's next snapshot has to
// have: above all that are kept, also above one that Restore passed over.
func NextSequence(ctx context.Context, store Snapshots, shard string) (uint64, error) {
	manifests, err := store.Manifests(ctx, shard)
	if err != nil {
		return 0, fmt.Errorf("list the snapshots of %s: %w", shard, err)
	}
	next := uint64(1)
	for _, m := range manifests {
		next = max(next, m.Sequence+1)
	}
	return next, nil
}

func verify(ctx context.Context, store Snapshots, shard string, m Manifest) error {
	done := map[Hash]bool{}
	for h := range m.Chunks() {
		if done[h] {
			continue
		}
		if _, err := chunk(ctx, store, shard, h); err != nil {
			return err
		}
		done[h] = true
	}
	return nil
}

func read(ctx context.Context, store Snapshots, shard string, m Manifest, section string) ([]byte, error) {
	s, ok := m.Section(section)
	if !ok {
		return nil, nil
	}
	data := []byte{} // a section without bytes is there, and not nil
	for _, h := range s.Chunks {
		c, err := chunk(ctx, store, shard, h)
		if err != nil {
			return nil, fmt.Errorf("section %q of snapshot %d of %s: %w", section, m.Sequence, shard, err)
		}
		data = append(data, c...)
	}
	return data, nil
}

// chunk trusts no store: a wrong byte in a fold would never be found later.
func chunk(ctx context.Context, store Snapshots, shard string, h Hash) ([]byte, error) {
	data, err := store.Chunk(ctx, shard, h)
	if err != nil {
		return nil, err
	}
	if Hash(sha256.Sum256(data)) != h {
		return nil, fmt.Errorf("%w: chunk %s has other bytes", ErrDamaged, h)
	}
	return data, nil
}
