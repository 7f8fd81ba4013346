package storage

import (
	"context"

	"meridian/metrics"
)

// RowWriter takes the rows of one shard one by one, where they are only lent, and gives
// them to its sink many at once. It belongs to one goroutine.
type RowWriter struct {
	sink  *Sink
	shard int32
	rows  *encoder
	n     int
}

// Writer returns a writer for a shard.
func (s *Sink) Writer(shard int32) *RowWriter { return &RowWriter{sink: s, shard: shard} }

// Add writes a row down; nothing of it is kept.
func (w *RowWriter) Add(r metrics.Row) error {
	if w.rows == nil {
		w.rows = newEncoder(1)
	}
	w.n++
	return w.rows.take(r)
}

// Len is how many rows were added since the last Put.
func (w *RowWriter) Len() int { return w.n }

// Put gives what was added to the sink, as [Sink.Put] does.
func (w *RowWriter) Put(ctx context.Context) error {
	if w.n == 0 {
		return nil
	}
	e, err := w.rows.done()
	w.rows, w.n = nil, 0
	if err != nil {
		return err
	}
	return w.sink.put(ctx, w.shard, e)
}
