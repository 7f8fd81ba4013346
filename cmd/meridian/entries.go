package main

import (
	"context"
	"fmt"

	"meridian/ingest"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// entryReader reads the records of one partition of deliveries for a route. It takes
// the events as they were decoded; where an older decoder has decoded them, it reads
// the body again. The archive keeps bodies in files of their own, which are opened
// only then. It belongs to one goroutine.
type entryReader struct {
	log       *deliveryLog
	partition int32
	again     *ingest.Redecoder
	decoder   ingest.EntryDecoder

	whole  *kafka.LogReader // with bodies; nil until one is wanted
	ahead  []kafka.LogRecord
	opened int // how often whole was opened, for tests
}

func newEntryReader(l *deliveryLog, partition int32, p pins) *entryReader {
	return &entryReader{log: l, partition: partition, again: p.redecoder()}
}

// message reads one record.
func (r *entryReader) message(ctx context.Context, rec kafka.LogRecord) (streaming.Message[ingest.Entry], error) {
	e, err := r.entry(ctx, rec)
	if err != nil {
		return streaming.Message[ingest.Entry]{}, fmt.Errorf("deliveries/%d at offset %d: %w", r.partition, rec.Offset, err)
	}
	return ingest.EntryMessage(r.partition, rec.Offset, e), nil
}

func (r *entryReader) entry(ctx context.Context, rec kafka.LogRecord) (ingest.Entry, error) {
	e, err := r.decoder.Entry(rec.Value)
	if err != nil || !r.again.Wants(e.Delivery) {
		return e, err
	}
	full, err := ingest.DecodeEntry(rec.Value)
	if err == nil && len(full.Delivery.Delivery.Body) == 0 { // of the archive
		full, err = r.withBody(ctx, rec.Offset)
	}
	if err != nil {
		return ingest.Entry{}, err
	}
	e.Delivery = r.again.Decode(full.Delivery)
	return e, nil
}

// withBody reads a record with its body. Those that are asked for come in order, so
// that a file is read once.
func (r *entryReader) withBody(ctx context.Context, offset int64) (ingest.Entry, error) {
	for {
		for len(r.ahead) > 0 {
			rec := r.ahead[0]
			r.ahead = r.ahead[1:]
			if rec.Offset == offset {
				return ingest.DecodeEntry(rec.Value)
			}
			if rec.Offset > offset { // a shard began again behind where it was
				r.close()
				break
			}
		}
		if r.whole == nil {
			l := kafka.Log{Config: r.log.Config, Topic: r.log.DeliveriesTopic(), Archive: r.log.archive, Bodies: true}
			whole, err := l.Open(ctx, r.partition, offset)
			if err != nil {
				return ingest.Entry{}, err
			}
			r.whole = whole
			r.opened++
		}
		records, err := r.whole.Next(ctx)
		if err != nil {
			return ingest.Entry{}, err
		}
		r.ahead = records
	}
}

// close gives back what was opened for bodies.
func (r *entryReader) close() {
	if r.whole != nil {
		r.whole.Close()
	}
	r.whole, r.ahead = nil, nil
}
