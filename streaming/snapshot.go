package streaming

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// MaxChunk bounds the bytes of one chunk.
const MaxChunk = 512 << 10

// KeptSnapshots is how many manifests of a shard a store keeps.
const KeptSnapshots = 3

// Hash names a chunk by the SHA-256 of its bytes.
type Hash [sha256.Size]byte

// String returns h in hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Section is one named part of a program's state, cut into chunks in order.
type Section struct {
	Name   string
	Chunks []Hash
}

// Manifest describes one snapshot of one shard. It is published after its
// chunks, so a manifest that can be read and whose checksum agrees is whole,
// unless a chunk was damaged afterwards; then the one before is used.
type Manifest struct {
	Shard    string // names stage, generation and partition, such as "engine-1-0"
	Sequence uint64 // rises with each snapshot of the shard
	Resume   int64  // input offset from which a restored shard reads; trim nothing at or above the lowest of those kept
	Sections []Section
}

// Errors of a [Snapshots] store.
var (
	ErrNoSnapshot = errors.New("streaming: no usable snapshot")
	ErrDamaged    = errors.New("streaming: snapshot is damaged")
	ErrStale      = errors.New("streaming: a newer snapshot of this shard has been published by another process")
)

// Snapshots stores snapshots. Safe for concurrent use.
type Snapshots interface {
	// Manifests returns what is kept of a shard, newest first; unreadable ones
	// are left out. None is an empty list and no error.
	Manifests(ctx context.Context, shard string) ([]Manifest, error)

	// Chunk returns a chunk's bytes, or an error that is ErrDamaged when they
	// are missing or do not have that hash.
	Chunk(ctx context.Context, shard string, h Hash) ([]byte, error)

	// Publish makes m durable: the chunks that the store lacks first (fetched
	// through chunk), then the manifest, then it forgets all but the newest
	// KeptSnapshots and the chunks that only they used. A sequence not above
	// the newest kept is ErrStale.
	Publish(ctx context.Context, m Manifest, chunk func(Hash) []byte) error

	// Forget removes all that is kept of a shard, such as of a generation that
	// is gone. Nobody may own the shard any more.
	Forget(ctx context.Context, shard string) error
}
