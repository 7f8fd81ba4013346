package streaming

import "context"

// Sink takes what a shard's program emits. It is safe for concurrent use by
// several shards; for one shard, calls come one after another.
type Sink[Out any] interface {
	// Put takes rows in order. It may return before they are durable; when its
	// buffers are full it blocks, and that is the back-pressure. rows are the
	// sink's from then on. An error ends the shard, which starts again from its
	// last snapshot and puts the same rows once more; so does a crash, after
	// which some may be put twice.
	Put(ctx context.Context, shard int32, rows []Out) error

	// Flush returns when everything put for shard before the call is durable.
	Flush(ctx context.Context, shard int32) error
}
