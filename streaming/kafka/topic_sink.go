package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Encode gives an emitted value its place and bytes in a topic.
type Encode[Out any] func(Out) (partition int32, key, value []byte)

// TopicSink writes what a stage emits to a topic, as the copies that route
// makes for the teams. It implements [streaming.Sink].
//
// A reader drops origins below the highest it has seen, so a record that
// failed must never be followed by a later one of the same shard. franz-go
// does not promise that: after a failed batch it goes on with the next, which
// may be on its way already. So rows go out in pieces: one piece makes at most
// one batch in each partition, it is sent as a whole, and the next one is not
// touched before every batch of it is acknowledged. After a failure the client
// is thrown away with all it holds, and the shard repeats from its snapshot.
type TopicSink[Out any] struct {
	config Config
	topic  string
	encode Encode[Out]

	mu      sync.Mutex
	writers map[int32]*kgo.Client // by shard
	closed  bool
}

// Limits of one piece. Its batches stay below maxBatchBytes whatever
// partitions its records go to, as long as no second record is added to a
// piece of that size.
const (
	pieceBytes   = 4 << 20
	pieceRecords = 10_000
)

// NewTopicSink returns a sink; Close releases it.
func NewTopicSink[Out any](c Config, topic string, encode Encode[Out]) *TopicSink[Out] {
	return &TopicSink[Out]{config: c, topic: topic, encode: encode, writers: map[int32]*kgo.Client{}}
}

// Put implements [streaming.Sink]; what it has put is durable.
func (s *TopicSink[Out]) Put(ctx context.Context, shard int32, rows []Out) error {
	var piece []*kgo.Record
	size := 0
	now := time.Now()
	for _, row := range rows {
		partition, key, value := s.encode(row)
		n := len(key) + len(value)
		if n > MaxRecordBytes {
			return fmt.Errorf("write %d bytes to %s/%d: %w (%d)", n, s.topic, partition, ErrTooLarge, MaxRecordBytes)
		}
		if len(piece) > 0 && (size+n > pieceBytes || len(piece) == pieceRecords) {
			if err := s.write(ctx, shard, piece); err != nil {
				return err
			}
			piece, size = piece[:0], 0
		}
		piece = append(piece, &kgo.Record{Topic: s.topic, Partition: partition, Key: key, Value: value, Timestamp: now})
		size += n
	}
	if len(piece) == 0 {
		return nil
	}
	return s.write(ctx, shard, piece)
}

// Flush implements [streaming.Sink].
func (s *TopicSink[Out]) Flush(context.Context, int32) error { return nil }

// Close drops the clients. No Put may be running.
func (s *TopicSink[Out]) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, c := range s.writers {
		c.Close()
	}
	clear(s.writers)
}

func (s *TopicSink[Out]) write(ctx context.Context, shard int32, piece []*kgo.Record) error {
	client, fresh, err := s.writer(shard)
	if err != nil {
		return err
	}
	if fresh && len(piece) > 1 {
		// A client that does not know the topic yet cuts batches as its
		// answer about it arrives, so the first record goes alone.
		if err := s.send(ctx, shard, client, piece[:1]); err != nil {
			return err
		}
		piece = piece[1:]
	}
	return s.send(ctx, shard, client, piece)
}

func (s *TopicSink[Out]) send(ctx context.Context, shard int32, client *kgo.Client, piece []*kgo.Record) error {
	var mu sync.Mutex
	var failed error
	for _, r := range piece {
		// Records have no context of their own: a cancelled one would be
		// failed alone, between others.
		client.TryProduce(context.Background(), r, func(_ *kgo.Record, err error) {
			if err != nil {
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	err := client.Flush(ctx)
	mu.Lock()
	err = errors.Join(err, failed)
	mu.Unlock()
	if err == nil {
		return nil
	}
	s.drop(shard, client)
	return fmt.Errorf("write to %s: %w", s.topic, err)
}

// writer returns the client of a shard. Each has its own, so that throwing one
// away leaves the others alone.
func (s *TopicSink[Out]) writer(shard int32) (c *kgo.Client, fresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false, fmt.Errorf("write to %s: %w", s.topic, kgo.ErrClientClosed)
	}
	if c := s.writers[shard]; c != nil {
		return c, false, nil
	}
	c, err = s.config.newClient(
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ManualFlushing(), // nothing is sent before the piece is complete
		kgo.MaxBufferedRecords(pieceRecords+1),
		kgo.ProducerBatchCompression(kgo.Lz4Compression(), kgo.NoCompression()),
	)
	if err != nil {
		return nil, false, err
	}
	s.writers[shard] = c
	return c, true, nil
}

func (s *TopicSink[Out]) drop(shard int32, client *kgo.Client) {
	s.mu.Lock()
	if s.writers[shard] == client {
		delete(s.writers, shard)
	}
	s.mu.Unlock()
	client.Close()
}
