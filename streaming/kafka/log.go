package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Log is a topic together with the archive of what it no longer holds.
type Log struct {
	Config  Config
	Topic   string
	Archive *Archive // nil: the topic is all there is
	Bodies  bool     // whether archived values are wanted whole

	// FetchBytes bounds what one fetch asks for; 0 is 1 MiB. A single record
	// may be larger.
	FetchBytes int32

	// Lent says that what Next returns is read before Next is called again, and
	// that nothing keeps it: its memory is used for what comes next.
	Lent bool
}

// LogReader reads one partition in order and without holes: a missing offset
// is an error, never skipped. It is not safe for concurrent use.
type LogReader struct {
	log       Log
	partition int32
	next      int64
	end       int64 // of the topic, as last heard; -1 before

	archived *ArchiveReader
	client   *kgo.Client
	lent     []*kgo.Record
}

// Open returns a reader that begins at offset from. It reads from the archive
// what the broker no longer has, and goes on at the broker. Close releases it.
func (l Log) Open(ctx context.Context, partition int32, from int64) (*LogReader, error) {
	r := &LogReader{log: l, partition: partition, next: from, end: -1}
	bounds, err := Offsets(ctx, l.Config, l.Topic)
	if err != nil {
		return nil, err
	}
	b, ok := bounds[partition]
	if !ok {
		return nil, fmt.Errorf("kafka: topic %s has no partition %d: %w", l.Topic, partition, ErrPartitions)
	}
	r.end = b.End
	if from > b.End {
		return nil, fmt.Errorf("read %s/%d at offset %d: it ends at %d, so records were lost or another cluster answers; restore the broker, or begin a new instance: %w", l.Topic, partition, from, b.End, ErrGap)
	}
	if from >= b.Start {
		return r, nil
	}
	if l.Archive == nil {
		return nil, fmt.Errorf("read %s/%d at offset %d: the topic begins at %d: %w", l.Topic, partition, from, b.Start, ErrTrimmed)
	}
	span, err := l.Archive.Span(partition)
	if err != nil {
		return nil, err
	}
	if span.Empty() || span.Start > from || span.End < b.Start {
		return nil, fmt.Errorf("read %s/%d at offset %d: the topic begins at %d and the archive holds %d to %d: %w", l.Topic, partition, from, b.Start, span.Start, span.End, ErrTrimmed)
	}
	r.archived, err = l.Archive.ReadArchive(partition, from, l.Bodies)
	return r, err
}

// Next waits for records and returns them; the slice is the caller's, and so are
// the records, unless they are lent. When ctx ends it returns its error, and may be called again.
func (r *LogReader) Next(ctx context.Context) ([]LogRecord, error) {
	if r.archived != nil {
		records, err := r.archived.Next()
		switch {
		case errors.Is(err, io.EOF):
			r.archived.Close()
			r.archived = nil
		case err != nil:
			return nil, err
		default:
			return records, r.check(records)
		}
	}
	if r.client == nil {
		if err := r.connect(); err != nil {
			return nil, err
		}
	}
	records, err := r.poll(ctx)
	if err != nil {
		return nil, err
	}
	return records, r.check(records)
}

func (r *LogReader) connect() error {
	size := r.log.FetchBytes
	if size == 0 {
		size = 1 << 20
	}
	options := []kgo.Opt{
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{r.log.Topic: {r.partition: kgo.NewOffset().At(r.next)}}),
		// Never jump to another offset on one's own.
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchMaxBytes(size),
		kgo.FetchMaxPartitionBytes(size),
	}
	if r.log.Lent {
		options = append(options, kgo.WithPools(new(logPool)))
	}
	client, err := r.log.Config.newClient(options...)
	if err != nil {
		return err
	}
	r.client = client
	return nil
}

func (r *LogReader) poll(ctx context.Context) ([]LogRecord, error) {
	for _, rec := range r.lent {
		rec.Recycle()
	}
	r.lent = r.lent[:0]
	for {
		fetches := r.client.PollRecords(ctx, 10_000)
		if err := ctx.Err(); err != nil && fetches.NumRecords() == 0 {
			return nil, err
		}
		var failed error
		fetches.EachError(func(_ string, _ int32, err error) {
			if !kerr.IsRetriable(err) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
				failed = err
			}
		})
		switch {
		case errors.Is(failed, kerr.OffsetOutOfRange):
			return nil, fmt.Errorf("read %s/%d at offset %d: %w (%w)", r.log.Topic, r.partition, r.next, ErrTrimmed, failed)
		case failed != nil:
			return nil, fmt.Errorf("read %s/%d at offset %d: %w", r.log.Topic, r.partition, r.next, failed)
		}
		var records []LogRecord
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			r.end = max(r.end, p.HighWatermark)
			for _, rec := range p.Records {
				records = append(records, LogRecord{Offset: rec.Offset, Value: rec.Value})
			}
			if r.log.Lent {
				r.lent = append(r.lent, p.Records...)
			}
		})
		if len(records) > 0 {
			return records, nil
		}
	}
}

// check insists on contiguous offsets. Nothing is compacted or transactional
// here, so that a hole means records that were there are gone.
func (r *LogReader) check(records []LogRecord) error {
	for _, rec := range records {
		if rec.Offset != r.next {
			return fmt.Errorf("read %s/%d: offset %d follows %d: %w", r.log.Topic, r.partition, rec.Offset, r.next-1, ErrGap)
		}
		r.next++
	}
	return nil
}

// Position returns the next offset that will be read, and where the topic
// ended when it was last heard of.
func (r *LogReader) Position() (next, end int64) { return r.next, max(r.end, r.next) }

// Close releases the reader.
func (r *LogReader) Close() {
	if r.archived != nil {
		r.archived.Close()
	}
	if r.client != nil {
		r.client.Close()
	}
}
