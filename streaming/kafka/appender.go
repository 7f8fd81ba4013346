package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// AppenderConfig tunes an [Appender].
type AppenderConfig struct {
	Topic      string
	Partitions int32
	Timeout    time.Duration // of one append; webhooks are answered within 5 s
	Linger     time.Duration // how long a record waits for others to share its fsync
	MaxBytes   int           // buffered at most; above it appends fail at once
	MaxRecords int
}

// DefaultAppenderConfig returns the settings for webhooks.
func DefaultAppenderConfig(topic string, partitions int32) AppenderConfig {
	return AppenderConfig{
		Topic:      topic,
		Partitions: partitions,
		Timeout:    4 * time.Second,
		Linger:     5 * time.Millisecond,
		MaxBytes:   128 << 20,
		MaxRecords: 10_000,
	}
}

// Appended is where a record lies.
type Appended struct {
	Partition int32
	Offset    int64
}

// Appender writes single records durably, and answers in time whatever the
// broker does. It is safe for concurrent use.
//
// franz-go's own ProduceSync outlives its deadline once a record was sent, so
// an append that takes too long is given up on and not taken back: the record
// may land later. Records of one partition keep their order.
type Appender struct {
	cfg    AppenderConfig
	client *kgo.Client

	mu    sync.Mutex // stamps and buffers in one step, so that stamps rise along the log
	stamp time.Time
}

// NewAppender returns an appender; Close releases it.
func NewAppender(c Config, cfg AppenderConfig) (*Appender, error) {
	client, err := c.newClient(
		kgo.DefaultProduceTopic(cfg.Topic),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(cfg.Linger),
		kgo.MaxBufferedBytes(cfg.MaxBytes),
		kgo.MaxBufferedRecords(cfg.MaxRecords),
		kgo.ProducerBatchCompression(kgo.ZstdCompression().WithLevel(1), kgo.NoCompression()),
	)
	if err != nil {
		return nil, err
	}
	return &Appender{cfg: cfg, client: client}, nil
}

// PartitionOf returns the partition of a key: the xxHash64 of it modulo n. It
// is part of the log's format and never changes.
func PartitionOf(key string, n int32) int32 { return int32(xxhash.Sum64String(key) % uint64(n)) }

// Append writes a record to the partition of its key. It returns when the
// record is durable, or with ErrFull, ErrTimeout, ErrTooLarge, or the context's
// or the broker's error.
func (a *Appender) Append(ctx context.Context, key string, value []byte) (Appended, error) {
	return a.AppendTo(ctx, PartitionOf(key, a.cfg.Partitions), []byte(key), value)
}

// AppendTo writes a record to a partition that the caller chooses, as ticks are.
func (a *Appender) AppendTo(ctx context.Context, partition int32, key, value []byte) (Appended, error) {
	if len(key)+len(value) > MaxRecordBytes {
		return Appended{}, fmt.Errorf("append %d bytes to %s: %w (%d)", len(key)+len(value), a.cfg.Topic, ErrTooLarge, MaxRecordBytes)
	}
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Timeout)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return Appended{}, a.explain(partition, err)
	}
	type result struct {
		offset int64
		err    error
	}
	done := make(chan result, 1)
	a.mu.Lock()
	if now := time.Now().Truncate(time.Millisecond); now.After(a.stamp) {
		a.stamp = now
	}
	// The record has a context of its own: cancelling one would fail those
	// buffered behind it as well.
	a.client.TryProduce(context.Background(), &kgo.Record{Partition: partition, Key: key, Value: value, Timestamp: a.stamp},
		func(r *kgo.Record, err error) { done <- result{r.Offset, err} })
	a.mu.Unlock()
	select {
	case r := <-done:
		if r.err != nil {
			return Appended{}, a.explain(partition, r.err)
		}
		return Appended{Partition: partition, Offset: r.offset}, nil
	case <-ctx.Done():
		return Appended{}, a.explain(partition, ctx.Err())
	}
}

func (a *Appender) explain(partition int32, err error) error {
	switch {
	case errors.Is(err, kgo.ErrMaxBuffered):
		err = ErrFull
	case errors.Is(err, context.DeadlineExceeded):
		err = ErrTimeout
	case errors.Is(err, kerr.MessageTooLarge):
		err = fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return fmt.Errorf("append to %s/%d: %w", a.cfg.Topic, partition, err)
}

// Buffered returns how many records and bytes wait for the broker.
func (a *Appender) Buffered() (records, bytes int64) {
	return a.client.BufferedProduceRecords(), a.client.BufferedProduceBytes()
}

// Close gives what is buffered until ctx ends, then drops it.
func (a *Appender) Close(ctx context.Context) error {
	err := a.client.Flush(ctx)
	a.client.Close()
	if err != nil {
		return fmt.Errorf("append to %s: records were still waiting for the broker: %w", a.cfg.Topic, err)
	}
	return nil
}
