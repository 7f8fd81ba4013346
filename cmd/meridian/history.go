package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
)

// history computes the first part of a generation: everything up to o*, the
// offsets just after the last tick at or before r* in each partition, where the
// manifest says that history ends.
//
// Nothing in it is late and rows come out once, at r*, so folds may be fed in
// any order: each partition is routed as fast as it can be read, and its copies
// go to the engines without passing through Kafka. It ends with a snapshot for
// each partition of deliveries and of events, from which the generation's shards
// go on, and with the record `following`. Whatever interrupts it before that, it
// goes on from its last checkpoint; rows that it had written come again with the
// same versions.
type history struct {
	log       *deliveryLog
	manifest  streaming.GenerationManifest
	pins      pins
	snapshots streaming.Snapshots
	sink      historySink
	tuning    historyTuning
	dir       string // for files, where a history does not fit into memory
	say       func(progress string)

	routes   []*historyRoute
	engines  []*historyEngine
	folder   folder
	batches  batchPool
	standing standing
}

// historySink takes rows; a history flushes them before it says that it is over.
type historySink interface {
	rowSink
	Flush(ctx context.Context, shard int32) error
	// writer returns what takes the rows of a shard one by one.
	writer(shard int32) rowWriter
}

// rowWriter takes the rows of one shard as its engine lends them, and gives them away
// when it is told to. It is storage.RowWriter.
type rowWriter interface {
	Add(r metrics.Row) error // nothing of r is kept
	Len() int                // rows since the last Put
	Put(ctx context.Context) error
}

// tableSink is a sink into the tables.
type tableSink struct{ *storage.Sink }

func (s tableSink) writer(shard int32) rowWriter { return s.Writer(shard) }

// historyTuning changes nothing of a result.
type historyTuning struct {
	batch      int                     // copies given to an engine at once
	checkpoint time.Duration           // between two
	memory     int64                   // bytes that folds may take before they are scattered to files
	reached    func(step string) error // for tests: an error there is a crash at that step

	// turn, when set, holds work back (throttle.turn): it is called with the records
	// of a piece before it is decoded, and with 0 around other work.
	turn func(ctx context.Context, records int) (done func(), err error)
}

func defaultHistoryTuning(memory int64) historyTuning {
	return historyTuning{batch: 256, checkpoint: time.Minute, memory: memory, reached: func(string) error { return nil }}
}

// folder is where the copies of a history go.
type folder interface {
	// take keeps a batch of copies for one partition of events; they are the
	// folder's from then on, which gives their memory back to its pool. Called by
	// several routes at once.
	take(ctx context.Context, partition int32, batch []routedCopy) error
	// settle returns when everything taken before is in the state that save writes.
	settle(ctx context.Context) error
	save(put func(section string, data []byte)) error
	load(get func(section string) ([]byte, error)) error
	// finish folds what is left, and calls done for each partition of events,
	// with its engine at the end of history.
	finish(ctx context.Context, done func(context.Context, *historyEngine) error) error
	// close gives back what it holds; gone says that nobody will go on from it.
	close(gone bool)
}

// routedCopy is a copy on its way to an engine.
type routedCopy = streaming.Record[event.Routed]

// batchPool gives the memory of batches out again: a batch is a quarter of a
// megabyte, and would be cleared each time that it is allocated.
type batchPool struct {
	size int
	free chan []routedCopy
}

func newBatchPool(size int) batchPool { return batchPool{size, make(chan []routedCopy, 64)} }

func (p batchPool) get() []routedCopy {
	select {
	case b := <-p.free:
		return b
	default:
		return make([]routedCopy, 0, p.size)
	}
}

func (p batchPool) put(b []routedCopy) {
	select {
	case p.free <- b[:0]:
	default:
	}
}

// historyEngine is the engine of one partition of events.
type historyEngine struct {
	partition int32
	engine    *metrics.Engine
	origins   map[int32]streaming.Origin // the highest that was given to this partition, by partition of deliveries
}

func (e *historyEngine) apply(batch []routedCopy) {
	for i := range batch {
		e.engine.Take(batch[i].Origin, &batch[i].Value)
	}
	e.note(batch)
}

// note keeps the highest origins of what the engine was given.
func (e *historyEngine) note(batch []routedCopy) {
	for i := range batch {
		if i+1 < len(batch) && batch[i+1].Origin.Partition == batch[i].Origin.Partition {
			continue // those of one partition ascend
		}
		o := batch[i].Origin
		if old, ok := e.origins[o.Partition]; !ok || old.Compare(o) < 0 {
			e.origins[o.Partition] = o
		}
	}
}

// run computes the history and leaves its snapshots behind. It may be run again
// after any failure.
func (h *history) run(ctx context.Context) (err error) {
	defer easeCollector(h.tuning.memory)()
	if err := h.prepare(); err != nil {
		return err
	}
	finished := false
	defer func() { h.folder.close(finished) }()
	if err := h.restore(ctx); err != nil {
		return err
	}
	if err := h.readAll(ctx); err != nil {
		return err
	}
	if err := h.tuning.reached("read"); err != nil {
		return err
	}
	if err := h.finish(ctx); err != nil {
		return err
	}
	finished = true
	return h.snapshots.Forget(ctx, h.checkpointName())
}

func (h *history) prepare() error {
	h.routes, h.engines, h.batches = nil, nil, newBatchPool(h.tuning.batch)
	h.standing.begin(int(h.log.partitions))
	for p := range h.log.partitions {
		program, err := h.pins.route(p)
		if err != nil {
			return err
		}
		h.routes = append(h.routes, &historyRoute{
			partition: p, program: program, shard: streaming.NewShard(h.manifest.Number, []int32{p}, program),
			next: h.manifest.First[p], end: h.manifest.HistoryOffsets[p],
		})
	}
	for e := range h.manifest.EventsPartitions {
		engine, err := metrics.NewEngine(h.pins.engine())
		if err != nil {
			return err
		}
		engine.Lend()
		h.engines = append(h.engines, &historyEngine{partition: e, engine: engine, origins: map[int32]streaming.Origin{}})
	}
	if h.estimate() <= h.tuning.memory {
		h.folder = newMemoryFolder(h)
		return nil
	}
	var err error
	h.folder, err = newScatterFolder(h)
	return err
}

// recordCost is about what one delivery of a history takes in an engine until its
// end. It has to be known before: both ways need checkpoints of their own kind.
const recordCost = 3 << 10

func (h *history) records() (n int64) {
	for p, end := range h.manifest.HistoryOffsets {
		n += end - h.manifest.First[p]
	}
	return n
}

// routeCost is about what the routes remember of it for good: its ids, which in a
// history are never forgotten, and the homes of what it was about.
const routeCost = 128

func (h *history) estimate() int64 { return h.records() * (recordCost + routeCost) }

// room is what the routes leave of the memory. Folds get a quarter at least: what is
// remembered cannot be put anywhere else.
func (h *history) room() int64 {
	return max(h.tuning.memory/4, h.tuning.memory-h.records()*routeCost)
}

// stateCost is about what is left of a delivery when its rows have been given out.
const stateCost = 1_000

// atOnce is how many engines that are folded from files have room beside each other.
func (h *history) atOnce() int {
	one := max(1, h.records()*stateCost/int64(h.manifest.EventsPartitions))
	return int(max(1, min(int64(runtime.GOMAXPROCS(0)), h.room()/one)))
}

// readAll routes every partition to its end, with checkpoints in between.
func (h *history) readAll(ctx context.Context) error {
	began := time.Now()
	var gate sync.RWMutex // held for reading while a batch is routed, for writing by a checkpoint
	g, gctx := errgroup.WithContext(ctx)
	for _, r := range h.routes {
		g.Go(func() error { return h.readRoute(gctx, r, &gate) })
	}
	over := make(chan struct{})
	var side errgroup.Group
	side.Go(func() error {
		due := time.NewTicker(h.tuning.checkpoint)
		defer due.Stop()
		progress := time.NewTicker(time.Second)
		defer progress.Stop()
		for {
			select {
			case <-over:
				return nil
			case <-gctx.Done():
				return nil
			case <-progress.C:
				h.say(h.progress(began))
			case <-due.C:
				err := h.checkpoint(gctx, &gate)
				if errors.Is(err, context.Canceled) && gctx.Err() != nil {
					return nil // reading is over, or has failed and says why: nobody needs it any more
				}
				if err != nil {
					return err
				}
			}
		}
	})
	err := g.Wait()
	close(over)
	return errors.Join(err, side.Wait(), func() error {
		if err != nil {
			return nil
		}
		return h.folder.settle(ctx)
	}())
}

func (h *history) progress(began time.Time) string {
	at := h.at()
	n, all := at.Done, max(1, at.Total)
	rate := float64(n-at.Resumed) / max(0.001, time.Since(began).Seconds())
	left := time.Duration(float64(all-n)/max(1, rate)) * time.Second
	return fmt.Sprintf("%d of %d deliveries and ticks (%d %%), %.0f a second, about %s left", n, all, 100*n/all, rate, left)
}
