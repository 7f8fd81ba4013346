package kafka

import (
	"context"
	"strconv"
	"strings"

	"meridian/streaming"
)

// Overwrite and Tear damage what is kept, as a test of recovery needs it; nothing
// else calls them.

// Overwrite puts other bytes in the place of a chunk; nil removes it.
func (s *SnapshotTopic) Overwrite(ctx context.Context, shard string, h streaming.Hash, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(ctx, shard, record{chunkKey(shard, h), data})
}

// Tear cuts a manifest in half.
func (s *SnapshotTopic) Tear(ctx context.Context, shard string, sequence uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, err := s.shard(ctx, shard)
	if err != nil || of == nil {
		return err
	}
	for rest, m := range of.manifests {
		if digits, _, _ := strings.Cut(rest, " "); digits == pad(sequence) {
			return s.write(ctx, shard, record{shard + " m " + rest, m.data[:len(m.data)/2]})
		}
	}
	return nil
}

func pad(sequence uint64) string {
	text := strconv.FormatUint(sequence, 10)
	return strings.Repeat("0", 20-len(text)) + text
}
