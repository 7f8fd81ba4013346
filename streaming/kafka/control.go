package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// ControlEntry is one key of the control topic.
type ControlEntry struct {
	Key    string
	Value  []byte // nil: deleted
	Offset int64
}

// Control is the control topic as a store from keys to bytes: manifests, jobs,
// catalogs, clocks, status. The last write of a key holds. Every process reads
// all of it at start and follows it.
//
// On a served broker the topic is compacted. On an embedded one it is not,
// since kfake compacts by deleting a partition's files before it writes the new
// ones, and a kill in between would take every manifest along: there Control
// writes the live keys again at the end and trims what is before them. That
// needs an embedded instance to open one Control only, which it does: the write
// of another could be undone by it.
type Control struct {
	config Config
	topic  string
	client *kgo.Client // writes
	reader *kgo.Client
	log    *slog.Logger

	write sync.Mutex // one write at a time, so that a rewriting cannot undo one

	mu       sync.Mutex
	entries  map[string]ControlEntry
	next     int64         // offset that will be read next
	read     int64         // all before it was read, and not only written by this process
	moved    chan struct{} // closed when read grows
	start    int64         // of the topic, as far as this process has trimmed it
	watchers map[*watcher]bool
}

// ControlTimeout bounds a Put.
const ControlTimeout = 10 * time.Second

// OpenControl reads everything that is there. Run follows; Close releases it.
func OpenControl(ctx context.Context, c Config) (*Control, error) {
	topic := c.ControlTopic()
	bounds, err := Offsets(ctx, c, topic)
	if err != nil {
		return nil, err
	}
	b := bounds[0]
	writer, err := c.newClient(kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.RecordDeliveryTimeout(ControlTimeout))
	if err != nil {
		return nil, err
	}
	reader, err := c.newClient(
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().At(b.Start)}}),
		// Its start moves when it is compacted; earlier records of a key are of no use then.
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	)
	if err != nil {
		writer.Close()
		return nil, err
	}
	s := &Control{
		config: c, topic: topic, client: writer, reader: reader, log: c.log(),
		entries: map[string]ControlEntry{}, next: b.Start, read: b.Start, moved: make(chan struct{}), start: b.Start, watchers: map[*watcher]bool{},
	}
	// Everything before a record of our own has been read when that one has.
	// The topic's end would not do: compaction may have taken what lay there.
	results := s.client.ProduceSync(ctx, &kgo.Record{Key: []byte(openedKey), Value: []byte{}})
	if err := results.FirstErr(); err != nil {
		s.Close()
		return nil, fmt.Errorf("write to %s: %w", topic, err)
	}
	for s.next <= results[0].Record.Offset {
		if err := s.poll(ctx); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// openedKey is written by each process that opens the store.
const openedKey = "opened"

// Run follows the topic until ctx ends.
func (s *Control) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := s.poll(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("control topic cannot be read; it is tried again", "err", err)
		}
		if err := s.compact(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("control topic was not compacted; it is tried again", "err", err)
		}
	}
	return nil
}

// Close releases the clients. Run has returned before.
func (s *Control) Close() {
	s.client.Close()
	s.reader.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		w.close()
	}
	clear(s.watchers)
}

func (s *Control) poll(ctx context.Context) error {
	fetches := s.reader.PollFetches(ctx)
	var errs []error
	fetches.EachError(func(_ string, _ int32, err error) { errs = append(errs, err) })
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range p.Records {
			s.apply(ControlEntry{Key: string(r.Key), Value: r.Value, Offset: r.Offset})
			s.read = r.Offset + 1
		}
		// Compaction leaves holes, also at the end.
		s.next = max(s.next, p.LogStartOffset)
		close(s.moved)
		s.moved = make(chan struct{})
	})
	if len(errs) > 0 {
		return fmt.Errorf("read %s: %w", s.topic, errors.Join(errs...))
	}
	return nil
}

// apply takes an entry unless a later one of its key is known. s.mu is held.
func (s *Control) apply(e ControlEntry) {
	s.next = max(s.next, e.Offset+1)
	old, ok := s.entries[e.Key]
	if ok && old.Offset >= e.Offset {
		return
	}
	s.entries[e.Key] = e
	if ok && bytes.Equal(old.Value, e.Value) && (old.Value == nil) == (e.Value == nil) {
		return // written again by a compaction
	}
	for w := range s.watchers {
		if strings.HasPrefix(e.Key, w.prefix) {
			w.add(e)
		}
	}
}

// Get returns a key's value.
func (s *Control) Get(key string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[key]
	return e.Value, ok && e.Value != nil
}

// All returns the entries whose key begins with prefix, by key.
func (s *Control) All(prefix string) []ControlEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all(prefix)
}

func (s *Control) all(prefix string) []ControlEntry {
	var out []ControlEntry
	for key, e := range s.entries {
		if strings.HasPrefix(key, prefix) && e.Value != nil {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b ControlEntry) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Put writes a key. When it returns, the value is durable and Get returns it.
func (s *Control) Put(ctx context.Context, key string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return s.put(ctx, key, value)
}

// Delete removes a key.
func (s *Control) Delete(ctx context.Context, key string) error { return s.put(ctx, key, nil) }

func (s *Control) put(ctx context.Context, key string, value []byte) error {
	s.write.Lock()
	defer s.write.Unlock()
	return s.append(ctx, []ControlEntry{{Key: key, Value: value}})
}

// append writes entries in order. s.write is held.
func (s *Control) append(ctx context.Context, entries []ControlEntry) error {
	ctx, cancel := context.WithTimeout(ctx, ControlTimeout)
	defer cancel()
	var records []*kgo.Record
	for _, e := range entries {
		records = append(records, &kgo.Record{Key: []byte(e.Key), Value: e.Value})
	}
	results := s.client.ProduceSync(ctx, records...)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range results {
		if r.Err != nil {
			return fmt.Errorf("write %q to %s: %w", r.Record.Key, s.topic, r.Err)
		}
		s.apply(ControlEntry{Key: string(r.Record.Key), Value: r.Record.Value, Offset: r.Record.Offset})
	}
	return nil
}

// compact keeps an embedded topic short. It loses nothing at any point: the
// live entries are durable at the end before anything is trimmed.
func (s *Control) compact(ctx context.Context) error {
	if !s.config.Embedded {
		return nil
	}
	after := s.config.ControlCompactAfter
	if after == 0 {
		after = 20_000
	}
	s.mu.Lock()
	long := s.next-s.start > after+2*int64(len(s.entries))
	s.mu.Unlock()
	if !long {
		return nil
	}
	return s.rewrite(ctx)
}

// rewrite writes the live entries at the end, and trims what is before them.
func (s *Control) rewrite(ctx context.Context) error {
	s.write.Lock()
	defer s.write.Unlock()
	s.mu.Lock()
	first := s.next
	live := s.all("")
	s.mu.Unlock()
	for piece := range slices.Chunk(live, 100) {
		if err := s.append(ctx, piece); err != nil {
			return err
		}
	}
	if err := Trim(ctx, s.config, s.topic, 0, first); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start = first
	for key, e := range s.entries {
		if e.Value == nil && e.Offset < first {
			delete(s.entries, key)
		}
	}
	return nil
}
