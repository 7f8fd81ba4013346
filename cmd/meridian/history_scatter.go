package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"
	"golang.org/x/sync/errgroup"

	"meridian/ingest"
	"meridian/streaming"
)

// scatterFolder writes copies to files, by partition of events and bucket of
// teams, and folds one bucket after the other at the end: a history of any
// length in the memory of its largest bucket. A bucket is never less than a
// team, whose cells of all metrics are folded together.
type scatterFolder struct {
	h       *history
	dir     string
	engines []*historyEngine
	files   [][]*scatterFile // by partition and bucket
}

// mostBuckets bounds the files that are open at once.
const mostBuckets = 64

func newScatterFolder(h *history) (*scatterFolder, error) {
	f := &scatterFolder{h: h, dir: h.dir, engines: h.engines}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, fmt.Errorf("a history that does not fit into memory needs a folder: %w", err)
	}
	// Twice as many as would do if all teams were alike.
	buckets := min(mostBuckets, max(1, 2*h.records()*recordCost/max(1, h.room())/int64(len(f.engines))+1))
	for _, e := range f.engines {
		var files []*scatterFile
		for b := range buckets {
			path := filepath.Join(f.dir, fmt.Sprintf("%d-%d", e.partition, b))
			file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			if err != nil { // what it holds counts when a checkpoint says so
				f.close(false)
				return nil, fmt.Errorf("history: %w", err)
			}
			files = append(files, &scatterFile{file: file})
		}
		f.files = append(f.files, files)
	}
	return f, nil
}

// bucketOf places a team. What concerns every team of a shard has none, and is
// folded first.
func (f *scatterFolder) bucketOf(partition int32, team string) int {
	if team == "" {
		return 0
	}
	return int(xxhash.Sum64String("bucket\x00"+team) % uint64(len(f.files[partition])))
}

func (f *scatterFolder) take(_ context.Context, partition int32, batch []routedCopy) error {
	defer f.h.batches.put(batch)
	for i := range batch {
		if err := f.files[partition][f.bucketOf(partition, batch[i].Value.Team)].add(&batch[i]); err != nil {
			return fmt.Errorf("history: %w", err)
		}
	}
	f.files[partition][0].mu.Lock()
	defer f.files[partition][0].mu.Unlock()
	f.engines[partition].note(batch)
	return nil
}

func (f *scatterFolder) each(do func(*scatterFile) error) error {
	for _, files := range f.files {
		for _, file := range files {
			if err := do(file); err != nil {
				return fmt.Errorf("history: %w", err)
			}
		}
	}
	return nil
}

// settle makes everything durable, since a checkpoint refers to it.
func (f *scatterFolder) settle(context.Context) error { return f.each((*scatterFile).sync) }

func (f *scatterFolder) save(put func(string, []byte)) error {
	var sizes [][]int64
	for _, files := range f.files {
		var of []int64
		for _, file := range files {
			of = append(of, file.size)
		}
		sizes = append(sizes, of)
	}
	data, err := json.Marshal(sizes)
	if err != nil {
		return err
	}
	put("files", data)
	return saveOrigins(f.engines, put)
}

// load keeps of each file what the checkpoint refers to.
func (f *scatterFolder) load(get func(string) ([]byte, error)) error {
	data, err := get("files")
	if err != nil {
		return err
	}
	var sizes [][]int64
	if err := json.Unmarshal(data, &sizes); err != nil || len(sizes) != len(f.files) {
		return fmt.Errorf("%w: the files of a history cannot be told (%v)", streaming.ErrDamaged, err)
	}
	for p, of := range sizes {
		if len(of) != len(f.files[p]) {
			return fmt.Errorf("%w: a history was scattered to %d buckets and this process makes %d", streaming.ErrDamaged, len(of), len(f.files[p]))
		}
		for b, size := range of {
			if err := f.files[p][b].keep(size); err != nil {
				return fmt.Errorf("history: %w", err)
			}
		}
	}
	return loadOrigins(f.engines, get)
}

// finish folds the buckets of each partition one after the other, and of as many
// partitions at once as the memory allows.
func (f *scatterFolder) finish(ctx context.Context, done func(context.Context, *historyEngine) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(f.h.atOnce())
	for p, e := range f.engines {
		g.Go(func() error {
			for b, file := range f.files[p] {
				if b > 0 {
					e.engine.Again()
				}
				if err := f.fold(ctx, e, file); err != nil {
					return err
				}
				if err := f.h.settleEngine(ctx, e); err != nil {
					return err
				}
			}
			return done(ctx, e)
		})
	}
	return g.Wait()
}

// fold applies what a file holds; reading and decoding go on beside it.
func (f *scatterFolder) fold(ctx context.Context, e *historyEngine, file *scatterFile) error {
	g, ctx := errgroup.WithContext(ctx)
	work := make(chan []routedCopy, 4)
	g.Go(func() error {
		defer close(work)
		return file.read(f.h.batches, func(batch []routedCopy) error {
			select {
			case work <- batch:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	g.Go(func() error {
		for batch := range work {
			err := f.h.inTurn(ctx, 0, func() error {
				for i := range batch {
					e.engine.Take(batch[i].Origin, &batch[i].Value)
				}
				return nil
			})
			if err != nil {
				return err
			}
			f.h.batches.put(batch)
		}
		return nil
	})
	return g.Wait()
}

func (f *scatterFolder) close(gone bool) {
	_ = f.each(func(file *scatterFile) error { return file.file.Close() }) // what matters was synced
	if gone {
		_ = os.RemoveAll(f.dir) // the next history truncates what is left
	}
}

// scatterFile is frames of records, each with its length in front.
type scatterFile struct {
	mu      sync.Mutex
	file    *os.File
	open    []byte // records of the frame that is filling
	packed  []byte // scratch
	scratch []byte
	size    int64 // of whole frames
}

const scatterFrame = 128 << 10

func (s *scatterFile) add(c *routedCopy) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scratch = ingest.AppendCopy(s.scratch[:0], c)
	s.open = binary.AppendUvarint(s.open, uint64(len(s.scratch)))
	s.open = append(s.open, s.scratch...)
	if len(s.open) < scatterFrame {
		return nil
	}
	return s.flush()
}

func (s *scatterFile) flush() error {
	if len(s.open) == 0 {
		return nil
	}
	if most := 4 + s2.MaxEncodedLen(len(s.open)); cap(s.packed) < most {
		s.packed = make([]byte, most)
	}
	packed := s2.Encode(s.packed[4:cap(s.packed)], s.open) // half of what zstd takes, and files that are soon gone
	s.packed = s.packed[:4+len(packed)]
	binary.LittleEndian.PutUint32(s.packed, uint32(len(packed)))
	s.open = s.open[:0]
	n, err := s.file.WriteAt(s.packed, s.size)
	s.size += int64(n)
	return err
}

func (s *scatterFile) sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.flush(), s.file.Sync())
}

func (s *scatterFile) keep(size int64) error {
	info, err := s.file.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() < size:
		return fmt.Errorf("%w: %s has %d bytes and had %d", streaming.ErrDamaged, s.file.Name(), info.Size(), size)
	}
	s.size, s.open = size, nil
	return s.file.Truncate(size)
}

// read gives out the records of every frame.
func (s *scatterFile) read(pool batchPool, take func([]routedCopy) error) error {
	in := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, s.size), 256<<10)
	var messages ingest.MessageDecoder
	var packed, plain []byte
	for {
		var head [4]byte
		if _, err := io.ReadFull(in, head[:]); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if n := int(binary.LittleEndian.Uint32(head[:])); n <= cap(packed) {
			packed = packed[:n]
		} else {
			packed = make([]byte, n)
		}
		_, err := io.ReadFull(in, packed)
		if err != nil {
			return err
		}
		if plain, err = s2.Decode(plain[:cap(plain)], packed); err != nil {
			return fmt.Errorf("%w: a frame of %s: %w", streaming.ErrDamaged, s.file.Name(), err)
		}
		batch := pool.get()
		for rest := plain; len(rest) > 0; {
			n, k := binary.Uvarint(rest)
			if k <= 0 || uint64(len(rest)-k) < n {
				return fmt.Errorf("%w: a frame of %s", streaming.ErrDamaged, s.file.Name())
			}
			batch = append(batch, routedCopy{})
			if err := messages.Copy(rest[k:k+int(n)], &batch[len(batch)-1]); err != nil {
				return err
			}
			if rest = rest[k+int(n):]; len(batch) == pool.size && len(rest) > 0 {
				if err := take(batch); err != nil {
					return err
				}
				batch = pool.get()
			}
		}
		if err := take(batch); err != nil {
			return err
		}
	}
}
