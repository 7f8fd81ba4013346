package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// history computes what lies before a generation's o*, as `serve` does, one piece
// at a time: route's copies go to the engines without a topic, in any order of
// partitions; checkpoints keep all of it; it ends with rows, with snapshots that
// the generation's shards go on from, and with the word in control.
type history struct {
	w        *world
	manifest *manifest
	routes   []*ingest.Route
	shards   []*streaming.Shard[ingest.Entry, ingest.Copy]
	next     []int64
	engines  []*metrics.Engine
	origins  []map[int32]streaming.Origin // the highest that an engine was given, by partition of deliveries
	rowsOf   int                          // the engine whose rows are to be given out
	sink     *session
}

// computeHistory does the next piece of a history.
func (w *world) computeHistory(m *member, g *manifest) error {
	if m.history == nil || m.history.manifest != g {
		h, err := w.newHistory(m, g)
		if err != nil {
			return err
		}
		m.history = h
	}
	over, err := m.history.step()
	if err != nil {
		m.history = nil // it is begun again, from its last checkpoint
		return err
	}
	if !over {
		return nil
	}
	m.history = nil
	if err := w.cut(6, followCut); err != nil {
		return err
	}
	w.say("%s: generation %d follows", w.now, g.number)
	m.say(w, func(s *said) { s.following[g.number] = true })
	return nil
}

func (h *history) name() string { return kafka.ShardName("history", h.manifest.number, 0) }

func (w *world) newHistory(m *member, g *manifest) (*history, error) {
	h := &history{w: w, manifest: g, next: make([]int64, len(g.offsets))}
	live := m.said.live.writesLive(g.number)
	h.sink = w.db.connect(g.number, func() bool { return live }, func(int32) streaming.Clock { return g.end.Clock() })
	for p := range g.layout.deliveries {
		program, err := g.layout.route(p)
		if err != nil {
			return nil, err
		}
		route := program.(*ingest.Route)
		route.Direct(h.take)
		h.routes = append(h.routes, route)
		h.shards = append(h.shards, streaming.NewShard(g.number, []int32{p}, program))
	}
	for range g.layout.events {
		program, err := g.layout.engine(0)
		if err != nil {
			return nil, err
		}
		h.engines, h.origins = append(h.engines, program.(*metrics.Engine)), append(h.origins, map[int32]streaming.Origin{})
	}
	return h, h.restore()
}

// take folds a copy where it is made.
func (h *history) take(partition int32, origin streaming.Origin, routed *event.Routed) {
	h.engines[partition].Apply(streaming.NoClock, streaming.Record[event.Routed]{Origin: origin, Value: *routed}, nil)
	if old, ok := h.origins[partition][origin.Partition]; !ok || old.Compare(origin) < 0 {
		h.origins[partition][origin.Partition] = origin
	}
}

// step routes some records, or gives out one engine's rows, or hands over.
func (h *history) step() (over bool, err error) {
	w := h.w
	var open []int
	for p, end := range h.manifest.offsets {
		if h.next[p] < end {
			open = append(open, p)
		}
	}
	if len(open) > 0 {
		if err := h.read(pick(w.rng, open...)); err != nil {
			return false, err
		}
		if one(w.rng, 3) {
			if err := h.checkpoint(); err != nil {
				return false, err
			}
		}
		return false, w.cut(12, readCut)
	}
	if h.rowsOf < len(h.engines) {
		h.rowsOf++
		return false, h.settle(int32(h.rowsOf - 1))
	}
	for p, s := range h.shards {
		if err := h.publish(kafka.ShardName("route", h.manifest.number, int32(p)), h.next[p], s.Save); err != nil {
			return false, err
		}
		if err := w.cut(8, handOverCut); err != nil {
			return false, err
		}
	}
	return true, w.store.Forget(context.Background(), h.name())
}

func (h *history) read(p int) error {
	for n := 1 + h.w.rng.IntN(25); n > 0 && h.next[p] < h.manifest.offsets[p]; n-- {
		e, err := ingest.DecodeEntry(h.w.deliveries[p].records[h.next[p]])
		if err != nil {
			return err
		}
		h.shards[p].Feed(h.next[p], ingest.EntryMessage(int32(p), h.next[p], e), func(ingest.Copy) {})
		h.next[p]++
	}
	return nil
}

// settle gives out the rows of one engine, and leaves its snapshot.
func (h *history) settle(partition int32) error {
	ctx, g := context.Background(), h.manifest
	var rows []metrics.Row
	h.engines[partition].Tick(g.end.Clock(), streaming.NewVersion(g.number, g.end), func(r metrics.Row) { rows = append(rows, r) })
	for len(rows) > 0 {
		n := min(len(rows), 1+h.w.rng.IntN(200))
		if err := h.sink.Put(ctx, partition, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	if err := h.w.cut(8, rowsCut); err != nil {
		return err
	}
	if err := h.sink.Flush(ctx, partition); err != nil {
		return err
	}
	shard := streaming.NewShard(g.number, g.layout.upstreams(), h.engines[partition])
	var reached []streaming.Reached
	for p, s := range h.shards {
		if s.Clock() != streaming.NoClock {
			o, any := h.origins[partition][int32(p)]
			reached = append(reached, streaming.Reached{Partition: int32(p), Round: streaming.RoundOf(s.Clock()), Origin: o, Any: any})
		}
	}
	shard.Adopt(g.end, reached)
	if err := h.publish(kafka.ShardName("engine", g.number, partition), 0, shard.Save); err != nil {
		return err
	}
	return h.w.cut(8, engineCut)
}

func (h *history) publish(shard string, resume int64, save func(func(string, []byte))) error {
	ctx := context.Background()
	sequence, err := streaming.NextSequence(ctx, h.w.store, shard)
	if err != nil {
		return err
	}
	m, chunks := streaming.Capture(shard, sequence, save)
	m.Resume = resume
	return h.w.store.Publish(ctx, m, func(hash streaming.Hash) []byte { return chunks[hash] })
}

// checkpoint keeps everything that the history has in hand.
func (h *history) checkpoint() error {
	var next []int64
	for _, s := range h.shards {
		next = append(next, s.Resume()) // what waits for a tick is read again
	}
	at, err := json.Marshal(struct {
		Next    []int64
		Origins []map[int32]streaming.Origin
	}{next, h.origins})
	if err != nil {
		return err
	}
	return h.publish(h.name(), 0, func(put func(string, []byte)) {
		put("at", at)
		for p, s := range h.shards {
			s.Save(func(section string, data []byte) { put("route/"+strconv.Itoa(p)+"/"+section, data) })
		}
		for p, e := range h.engines {
			e.Save(func(section string, data []byte) { put("engine/"+strconv.Itoa(p)+"/"+section, data) })
		}
	})
}

func (h *history) restore() error {
	get, _, err := streaming.Restore(context.Background(), h.w.store, h.name())
	if errors.Is(err, streaming.ErrNoSnapshot) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := get("at")
	if err != nil {
		return err
	}
	var at struct {
		Next    []int64
		Origins []map[int32]streaming.Origin
	}
	if err := json.Unmarshal(data, &at); err != nil {
		return err
	}
	of := func(prefix string, p int) func(string) ([]byte, error) {
		return func(section string) ([]byte, error) { return get(fmt.Sprintf("%s/%d/%s", prefix, p, section)) }
	}
	for p, s := range h.shards {
		if err := s.Load(of("route", p)); err != nil {
			return err
		}
	}
	for p, e := range h.engines {
		if err := e.Load(of("engine", p)); err != nil {
			return err
		}
	}
	h.next, h.origins = at.Next, at.Origins
	h.w.note(historyResumed)
	return nil
}
