package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"meridian/streaming"
)

// memoryFolder feeds the engines as copies come: the whole history is in memory
// at its end. Each engine has a goroutine.
type memoryFolder struct {
	h       *history
	engines []*historyEngine
	work    []chan []routedCopy
	flight  sync.WaitGroup
	workers sync.WaitGroup
	once    sync.Once
}

func newMemoryFolder(h *history) *memoryFolder {
	f := &memoryFolder{h: h, engines: h.engines}
	for _, e := range h.engines {
		work := make(chan []routedCopy, 8)
		f.work = append(f.work, work)
		f.workers.Go(func() {
			for batch := range work {
				// What was taken is applied whatever happens: a checkpoint may be under way.
				_ = h.inTurn(context.Background(), 0, func() error {
					e.apply(batch)
					return nil
				})
				h.batches.put(batch)
				f.flight.Done()
			}
		})
	}
	return f
}

func (f *memoryFolder) take(ctx context.Context, partition int32, batch []routedCopy) error {
	f.flight.Add(1)
	select {
	case f.work[partition] <- batch:
		return nil
	case <-ctx.Done():
		f.flight.Done()
		return ctx.Err()
	}
}

func (f *memoryFolder) settle(context.Context) error {
	f.flight.Wait()
	return nil
}

func (f *memoryFolder) save(put func(string, []byte)) error {
	for _, e := range f.engines {
		prefix := "engine/" + strconv.Itoa(int(e.partition)) + "/"
		e.engine.Save(func(section string, data []byte) { put(prefix+section, data) })
	}
	return saveOrigins(f.engines, put)
}

func (f *memoryFolder) load(get func(string) ([]byte, error)) error {
	for _, e := range f.engines {
		prefix := "engine/" + strconv.Itoa(int(e.partition)) + "/"
		if err := e.engine.Load(func(section string) ([]byte, error) { return get(prefix + section) }); err != nil {
			return err
		}
	}
	return loadOrigins(f.engines, get)
}

func (f *memoryFolder) finish(ctx context.Context, done func(context.Context, *historyEngine) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, e := range f.engines {
		g.Go(func() error {
			if err := f.h.settleEngine(ctx, e); err != nil {
				return err
			}
			return done(ctx, e)
		})
	}
	return g.Wait()
}

func (f *memoryFolder) close(bool) {
	f.once.Do(func() {
		for _, w := range f.work {
			close(w)
		}
		f.workers.Wait()
	})
}

// The highest origins of each partition of events stand in one section.

const originsSection = "origins"

func saveOrigins(engines []*historyEngine, put func(string, []byte)) error {
	all := make([]map[int32]streaming.Origin, len(engines))
	for i, e := range engines {
		all[i] = e.origins
	}
	data, err := json.Marshal(all) // which sorts a map's keys
	if err == nil {
		put(originsSection, data)
	}
	return err
}

func loadOrigins(engines []*historyEngine, get func(string) ([]byte, error)) error {
	data, err := get(originsSection)
	if err != nil {
		return err
	}
	var all []map[int32]streaming.Origin
	if err := json.Unmarshal(data, &all); err != nil || len(all) != len(engines) {
		return fmt.Errorf("%w: the origins of a history cannot be read (%v)", streaming.ErrDamaged, err)
	}
	for i, e := range engines {
		if e.origins = all[i]; e.origins == nil {
			e.origins = map[int32]streaming.Origin{}
		}
	}
	return nil
}
