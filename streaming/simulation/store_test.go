package simulation

import (
	"context"
	"errors"
	"slices"

	"meridian/streaming"
	"meridian/streaming/snapshottest"
)

// store is a snapshot store that fails, and whose disk does.
type store struct {
	world *world
	snapshottest.Memory
}

var errStore = errors.New("the store does not answer")

func (s *store) Publish(ctx context.Context, m streaming.Manifest, chunk func(streaming.Hash) []byte) error {
	f := s.world.hurt(15, notPublished, publishedAndFailed)
	if f != none {
		s.world.note(f)
	}
	if f == notPublished {
		return errStore
	}
	if err := s.Memory.Publish(ctx, m, chunk); err != nil {
		return err
	}
	if f == publishedAndFailed {
		return errStore
	}
	return nil
}

// damage spoils the newest snapshot of a shard. Where the input is trimmed, one
// that is whole has to be left: without any there is nothing to go on from, and
// a new generation is what helps then.
func (s *store) damage(shard string, f fault, leaveOne bool) bool {
	kept, err := s.Manifests(context.Background(), shard)
	if err != nil || len(kept) == 0 {
		return false
	}
	newest := kept[0]
	if f == tornManifest {
		if leaveOne && !s.wholeWithout(shard, kept[1:], nil) {
			return false
		}
		s.TearManifest(shard, newest.Sequence)
		return true
	}
	for _, section := range newest.Sections {
		for _, h := range section.Chunks {
			if !s.HasChunk(shard, h) || leaveOne && !s.wholeWithout(shard, kept[1:], &h) {
				continue
			}
			if f == missingChunk {
				s.RemoveChunk(shard, h)
			} else {
				s.DamageChunk(shard, h)
			}
			return true
		}
	}
	return false
}

// wholeWithout reports whether one of the snapshots is whole and does not need h.
func (s *store) wholeWithout(shard string, kept []streaming.Manifest, h *streaming.Hash) bool {
	return slices.ContainsFunc(kept, func(m streaming.Manifest) bool {
		for c := range m.Chunks() {
			if _, err := s.Chunk(context.Background(), shard, c); err != nil || h != nil && c == *h {
				return false
			}
		}
		return true
	})
}
