package kafka

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"meridian/streaming"
)

// SnapshotPartitions is how many partitions the snapshots of an instance have.
const SnapshotPartitions = 12

// SnapshotsTopic holds snapshots where processes share no directory.
func (c Config) SnapshotsTopic() string { return c.prefix() + ".snapshots" }

// SnapshotTopic keeps snapshots in a compacted topic, for processes on several
// machines. It implements [streaming.Snapshots]. Keys are
//
//	<shard> m <sequence> <writer>   a manifest
//	<shard> c <hash>                a chunk
//
// all of a shard in one partition, whose order decides between two processes that
// both believe they own the shard: a manifest counts if its sequence is above
// those of all manifests before it. The writer is part of the key, since
// compaction would else keep the later one, which does not count.
//
// What is kept in memory is where each key lies, and the manifests.
type SnapshotTopic struct {
	config Config
	topic  string
	writer *kgo.Client
	name   string // of this store, in keys

	mu     sync.Mutex
	reader *kgo.Client
	parts  map[int32]*snapshotPart
	recent map[place][]byte // chunks that were fetched along with one that was asked for
	order  []place
	bytes  int
}

type place struct {
	partition int32
	offset    int64
}

// snapshotPart is what has been read of one partition.
type snapshotPart struct {
	next   int64
	shards map[string]*topicShard
}

// topicShard is what is kept of one shard.
type topicShard struct {
	manifests map[string]topicManifest // by the rest of the key
	highest   uint64                   // sequence that counts
	chunks    map[streaming.Hash]topicChunk
}

type topicManifest struct {
	data   []byte
	counts bool
}

type topicChunk struct {
	offset int64
	whole  bool // its bytes were seen here
}

// OpenSnapshotTopic makes the topic where it is missing. Close releases the store.
func OpenSnapshotTopic(ctx context.Context, c Config) (*SnapshotTopic, error) {
	topic := c.SnapshotsTopic()
	if err := EnsureTopics(ctx, c, Topic{Name: topic, Partitions: SnapshotPartitions, Compact: true}); err != nil {
		return nil, err
	}
	writer, err := c.newClient(kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		return nil, err
	}
	reader, err := c.newClient(
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), // compaction moves it
		kgo.FetchMaxBytes(8<<20), kgo.FetchMaxPartitionBytes(8<<20),
	)
	if err != nil {
		writer.Close()
		return nil, err
	}
	return &SnapshotTopic{
		config: c, topic: topic, writer: writer, reader: reader, name: rand.Text()[:12],
		parts: map[int32]*snapshotPart{}, recent: map[place][]byte{},
	}, nil
}

// Close releases the clients.
func (s *SnapshotTopic) Close() {
	s.writer.Close()
	s.reader.Close()
}

func partitionOfShard(shard string) int32 {
	h := fnv.New32a()
	h.Write([]byte(shard))
	return int32(h.Sum32() % SnapshotPartitions)
}

func manifestKey(shard string, sequence uint64, writer string) string {
	return fmt.Sprintf("%s m %020d %s", shard, sequence, writer)
}

func chunkKey(shard string, h streaming.Hash) string { return shard + " c " + h.String() }

// refresh reads what was written since the last time. s.mu is held.
func (s *SnapshotTopic) refresh(ctx context.Context, partition int32) (*snapshotPart, error) {
	p := s.parts[partition]
	if p == nil {
		p = &snapshotPart{shards: map[string]*topicShard{}}
		s.parts[partition] = p
	}
	bounds, err := Offsets(ctx, s.config, s.topic)
	if err != nil {
		return nil, err
	}
	b := bounds[partition]
	if p.next = max(p.next, b.Start); p.next >= b.End {
		return p, nil
	}
	err = s.fetch(ctx, partition, p.next, func(r *kgo.Record) bool {
		if r.Offset >= p.next {
			p.apply(r)
			p.next = r.Offset + 1
		}
		s.remember(place{partition, r.Offset}, r.Value)
		return p.next < b.End
	}, b.End)
	return p, err
}

// fetch calls take with the records from an offset on, until it returns false or
// nothing is left before end. s.mu is held.
func (s *SnapshotTopic) fetch(ctx context.Context, partition int32, from int64, take func(*kgo.Record) bool, end int64) error {
	s.reader.AddConsumePartitions(map[string]map[int32]kgo.Offset{s.topic: {partition: kgo.NewOffset().At(from)}})
	defer s.reader.RemoveConsumePartitions(map[string][]int32{s.topic: {partition}})
	// Compaction may have taken the last records: an answer that ends beyond end
	// says so, even an empty one.
	for {
		fetches := s.reader.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			return err
		}
		var failed error
		fetches.EachError(func(_ string, _ int32, err error) { failed = err })
		if failed != nil {
			return fmt.Errorf("read %s/%d: %w", s.topic, partition, failed)
		}
		more, reached := true, false
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			if p.Partition != partition {
				return
			}
			for _, r := range p.Records {
				if more {
					more = take(r)
				}
				reached = reached || r.Offset+1 >= end
			}
		})
		if !more || reached {
			return nil
		}
	}
}

// remember keeps what was fetched for a while: the chunks of a snapshot lie
// together. s.mu is held.
func (s *SnapshotTopic) remember(at place, data []byte) {
	const most = 64 << 20
	if _, ok := s.recent[at]; ok || len(data) == 0 {
		return
	}
	s.recent[at] = data
	s.order = append(s.order, at)
	s.bytes += len(data)
	for s.bytes > most {
		s.bytes -= len(s.recent[s.order[0]])
		delete(s.recent, s.order[0])
		s.order = s.order[1:]
	}
}

// apply takes a record in the order of the log.
func (p *snapshotPart) apply(r *kgo.Record) {
	shard, rest, ok := strings.Cut(string(r.Key), " ")
	if !ok {
		return
	}
	of := p.shards[shard]
	if of == nil {
		of = &topicShard{manifests: map[string]topicManifest{}, chunks: map[streaming.Hash]topicChunk{}}
		p.shards[shard] = of
	}
	switch kind, rest, _ := strings.Cut(rest, " "); kind {
	case "m":
		if r.Value == nil {
			delete(of.manifests, rest)
			of.recount()
			return
		}
		digits, _, _ := strings.Cut(rest, " ")
		sequence, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return
		}
		_, again := of.manifests[rest]
		counts := again && of.manifests[rest].counts || sequence > of.highest
		m, err := streaming.DecodeManifest(r.Value)
		if err != nil || m.Shard != shard || m.Sequence != sequence {
			counts = false // torn
		}
		of.manifests[rest] = topicManifest{r.Value, counts}
		of.recount()
	case "c":
		var h streaming.Hash
		if b, err := hex.DecodeString(rest); err != nil || copy(h[:], b) != len(h) {
			return
		}
		if r.Value == nil {
			delete(of.chunks, h)
			return
		}
		of.chunks[h] = topicChunk{offset: r.Offset, whole: streaming.Hash(sha256.Sum256(r.Value)) == h}
	}
}

func (of *topicShard) recount() {
	of.highest = 0
	for _, m := range of.list() {
		of.highest = max(of.highest, m.Sequence)
	}
}

// list returns the manifests that count, newest first.
func (of *topicShard) list() (out []streaming.Manifest) {
	if of == nil {
		return nil
	}
	for _, t := range of.manifests {
		if !t.counts {
			continue
		}
		if m, err := streaming.DecodeManifest(t.data); err == nil {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b streaming.Manifest) int { return cmp.Compare(b.Sequence, a.Sequence) })
	return out[:min(len(out), streaming.KeptSnapshots)]
}

// shard returns what is kept of a shard now; nil is nothing. s.mu is held.
func (s *SnapshotTopic) shard(ctx context.Context, shard string) (*topicShard, error) {
	if shard == "" || strings.Contains(shard, " ") {
		return nil, fmt.Errorf("snapshots: %q cannot name a shard", shard)
	}
	p, err := s.refresh(ctx, partitionOfShard(shard))
	if err != nil {
		return nil, fmt.Errorf("snapshots of %s: %w", shard, err)
	}
	return p.shards[shard], nil
}

// Manifests implements [streaming.Snapshots].
func (s *SnapshotTopic) Manifests(ctx context.Context, shard string) ([]streaming.Manifest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, err := s.shard(ctx, shard)
	return of.list(), err
}

// Chunk implements [streaming.Snapshots].
func (s *SnapshotTopic) Chunk(ctx context.Context, shard string, h streaming.Hash) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.parts[partitionOfShard(shard)]
	if p == nil || p.shards[shard] == nil || p.shards[shard].chunks[h] == (topicChunk{}) {
		if _, err := s.shard(ctx, shard); err != nil { // it may have been written since
			return nil, err
		}
		p = s.parts[partitionOfShard(shard)]
	}
	missing := fmt.Errorf("%w: chunk %s of %s is missing", streaming.ErrDamaged, h, shard)
	of := p.shards[shard]
	if of == nil {
		return nil, missing
	}
	c, ok := of.chunks[h]
	if !ok {
		return nil, missing
	}
	at := place{partitionOfShard(shard), c.offset}
	data, ok := s.recent[at]
	if !ok {
		found := false
		err := s.fetch(ctx, at.partition, at.offset, func(r *kgo.Record) bool {
			found = found || r.Offset == at.offset
			if r.Offset == at.offset {
				data = r.Value
			}
			s.remember(place{at.partition, r.Offset}, r.Value)
			return r.Offset < at.offset
		}, at.offset+1)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, missing
		}
	}
	if streaming.Hash(sha256.Sum256(data)) != h {
		return nil, fmt.Errorf("%w: chunk %s of %s has other bytes", streaming.ErrDamaged, h, shard)
	}
	return bytes.Clone(data), nil
}

// Publish implements [streaming.Snapshots].
func (s *SnapshotTopic) Publish(ctx context.Context, m streaming.Manifest, chunk func(streaming.Hash) []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, err := s.shard(ctx, m.Shard)
	if err != nil {
		return err
	}
	stale := func(have uint64) error {
		return fmt.Errorf("%w: %s is at snapshot %d, this one is %d", streaming.ErrStale, m.Shard, have, m.Sequence)
	}
	before := of.list()
	if len(before) > 0 && m.Sequence <= before[0].Sequence {
		return stale(before[0].Sequence)
	}
	if err := s.writeChunks(ctx, m, of, chunk); err != nil {
		return err
	}
	key := manifestKey(m.Shard, m.Sequence, s.name)
	if err := s.write(ctx, m.Shard, record{key, m.Encode()}); err != nil {
		return err
	}
	if of, err = s.shard(ctx, m.Shard); err != nil {
		return err
	}
	if mine := of.manifests[strings.TrimPrefix(key, m.Shard+" m ")]; !mine.counts {
		return errors.Join(stale(of.highest), s.write(ctx, m.Shard, record{key, nil}))
	}
	// Somebody who believed that a chunk was not needed may have deleted it.
	if err := s.writeChunks(ctx, m, of, chunk); err != nil {
		return err
	}
	return s.forgetOld(ctx, m.Shard, of, before)
}

type record struct {
	key   string
	value []byte // nil deletes
}

// writeChunks writes those that are not kept whole.
func (s *SnapshotTopic) writeChunks(ctx context.Context, m streaming.Manifest, of *topicShard, chunk func(streaming.Hash) []byte) error {
	var records []record
	size := 0
	asked := map[streaming.Hash]bool{}
	for h := range m.Chunks() {
		if asked[h] || of != nil && of.chunks[h].whole {
			continue
		}
		asked[h] = true
		data := chunk(h)
		records = append(records, record{chunkKey(m.Shard, h), data})
		if size += len(data); size >= 8<<20 {
			if err := s.write(ctx, m.Shard, records...); err != nil {
				return err
			}
			records, size = nil, 0
		}
	}
	return s.write(ctx, m.Shard, records...)
}

func (s *SnapshotTopic) write(ctx context.Context, shard string, records ...record) error {
	var out []*kgo.Record
	for _, r := range records {
		out = append(out, &kgo.Record{Topic: s.topic, Partition: partitionOfShard(shard), Key: []byte(r.key), Value: r.value})
	}
	if err := s.writer.ProduceSync(ctx, out...).FirstErr(); err != nil {
		return fmt.Errorf("snapshot of %s: write to %s: %w", shard, s.topic, err)
	}
	return nil
}

// forgetOld deletes the manifests that are no longer kept, and the chunks that
// only they used. Chunks that no manifest names may be of one to come.
func (s *SnapshotTopic) forgetOld(ctx context.Context, shard string, of *topicShard, before []streaming.Manifest) error {
	kept, used := map[uint64]bool{}, map[streaming.Hash]bool{}
	for _, m := range of.list() {
		kept[m.Sequence] = true
		for h := range m.Chunks() {
			used[h] = true
		}
	}
	var gone []record
	unused := map[streaming.Hash]bool{}
	for _, m := range before {
		if kept[m.Sequence] {
			continue
		}
		for h := range m.Chunks() {
			if !used[h] {
				unused[h] = true
			}
		}
	}
	least := uint64(0)
	if l := of.list(); len(l) > 0 {
		least = l[len(l)-1].Sequence
	}
	for rest := range of.manifests {
		digits, _, _ := strings.Cut(rest, " ")
		if sequence, err := strconv.ParseUint(digits, 10, 64); err == nil && sequence < least {
			gone = append(gone, record{shard + " m " + rest, nil})
		}
	}
	for h := range unused {
		gone = append(gone, record{chunkKey(shard, h), nil})
	}
	if len(gone) == 0 {
		return nil
	}
	slices.SortFunc(gone, func(a, b record) int { return cmp.Compare(b.key, a.key) }) // manifests before chunks
	return s.write(ctx, shard, gone...)
}

// Forget implements [streaming.Snapshots].
func (s *SnapshotTopic) Forget(ctx context.Context, shard string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, err := s.shard(ctx, shard)
	if err != nil || of == nil {
		return err
	}
	var gone []record
	for rest := range of.manifests {
		gone = append(gone, record{shard + " m " + rest, nil})
	}
	for h := range of.chunks {
		gone = append(gone, record{chunkKey(shard, h), nil})
	}
	if len(gone) == 0 {
		return nil
	}
	slices.SortFunc(gone, func(a, b record) int { return cmp.Compare(b.key, a.key) })
	return s.write(ctx, shard, gone...)
}

// NewestGeneration returns the highest generation that has snapshots here; 0 is
// none.
func (s *SnapshotTopic) NewestGeneration(ctx context.Context) (newest streaming.Generation, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range int32(SnapshotPartitions) {
		part, err := s.refresh(ctx, p)
		if err != nil {
			return 0, err
		}
		for _, name := range slices.Sorted(maps.Keys(part.shards)) {
			if g, ok := generationOfShard(name); ok && len(part.shards[name].list()) > 0 {
				newest = max(newest, g)
			}
		}
	}
	return newest, nil
}
