package main

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// historyRoute is the route of one partition of deliveries.
type historyRoute struct {
	partition int32
	program   *ingest.Route
	shard     *streaming.Shard[ingest.Entry, ingest.Copy]
	next, end int64 // offsets
}

// readRoute reads a partition to its end. Decoding has a goroutine of its own: it
// costs more than everything behind it.
func (h *history) readRoute(ctx context.Context, r *historyRoute, gate *sync.RWMutex) error {
	if r.next >= r.end {
		return nil
	}
	l := kafka.Log{Config: h.log.Config, Topic: h.log.DeliveriesTopic(), Archive: h.log.archive, FetchBytes: 2 << 20, Lent: true}
	reader, err := l.Open(ctx, r.partition, r.next)
	if err != nil {
		return err
	}
	defer reader.Close()
	decoded := make(chan []streaming.Message[ingest.Entry], 4)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(decoded)
		entries := newEntryReader(h.log, r.partition, h.pins)
		defer entries.close()
		for next := r.next; next < r.end; {
			records, err := reader.Next(ctx)
			if err != nil {
				return err
			}
			next += int64(len(records))
			for len(records) > 0 && records[0].Offset < r.end {
				n := min(historyPiece, len(records))
				batch, err := h.decodePiece(ctx, r, entries, records[:n])
				if err != nil {
					return err
				}
				records = records[n:]
				select {
				case decoded <- batch:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return nil
	})
	g.Go(func() error {
		out := newScatterer(ctx, h)
		r.program.Direct(out.take)
		for batch := range decoded {
			if err := h.routeBatch(ctx, r, batch, out, gate); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	return g.Wait()
}

// historyPiece is how many records are decoded and routed at once: few enough that a
// checkpoint need not wait long, and that what is decoded is still near when it is
// routed. A frame of the archive has 65,536, which would be 100 MB.
const historyPiece = 512

// decodePiece decodes those of a piece that belong to the history.
func (h *history) decodePiece(ctx context.Context, r *historyRoute, entries *entryReader, records []kafka.LogRecord) ([]streaming.Message[ingest.Entry], error) {
	batch := make([]streaming.Message[ingest.Entry], 0, len(records))
	err := h.inTurn(ctx, len(records), func() error {
		for _, rec := range records {
			if rec.Offset >= r.end {
				return nil
			}
			m, err := entries.message(ctx, rec)
			if err != nil {
				return err
			}
			batch = append(batch, m)
		}
		return nil
	})
	return batch, err
}

// routeBatch routes records and gives their copies away. A checkpoint never sees
// half of it.
func (h *history) routeBatch(ctx context.Context, r *historyRoute, batch []streaming.Message[ingest.Entry], out *scatterer, gate *sync.RWMutex) error {
	for len(batch) > 0 {
		n := min(historyPiece, len(batch))
		gate.RLock()
		err := h.inTurn(ctx, 0, func() error {
			for i := range batch[:n] {
				m := &batch[i]
				r.shard.Feed(m.Origin.Offset, *m, noTicks)
				r.next = m.Origin.Offset + 1
			}
			return nil
		})
		if err == nil {
			err = out.flush()
			h.standing.routed(r.partition, int64(n), r.shard.Clock())
		}
		gate.RUnlock()
		if err != nil {
			return err
		}
		batch = batch[n:]
	}
	return nil
}

// scatterer collects the copies that one route makes, by partition of events, and
// gives them away when the route is done with its piece.
type scatterer struct {
	ctx   context.Context
	h     *history
	open  [][]routedCopy
	ready []readyBatch
}

type readyBatch struct {
	partition int32
	copies    []routedCopy
}

func newScatterer(ctx context.Context, h *history) *scatterer {
	return &scatterer{ctx: ctx, h: h, open: make([][]routedCopy, h.manifest.EventsPartitions)}
}

// take keeps a copy.
func (s *scatterer) take(partition int32, origin streaming.Origin, routed *event.Routed) {
	b := s.open[partition]
	if b == nil {
		b = s.h.batches.get()
	}
	b = append(b, routedCopy{Origin: origin})
	b[len(b)-1].Value = *routed
	if s.open[partition] = b; len(b) == s.h.tuning.batch {
		s.close(partition)
	}
}

func (s *scatterer) close(partition int32) {
	s.ready = append(s.ready, readyBatch{partition, s.open[partition]})
	s.open[partition] = nil
}

// flush gives away what is there.
func (s *scatterer) flush() error {
	for p, b := range s.open {
		if len(b) > 0 {
			s.close(int32(p))
		}
	}
	for i, b := range s.ready {
		s.ready[i] = readyBatch{}
		if err := s.h.folder.take(s.ctx, b.partition, b.copies); err != nil {
			return err
		}
	}
	s.ready = s.ready[:0]
	return nil
}

// Ticks are for shards that follow; a history needs none.
func noTicks(ingest.Copy) {}
