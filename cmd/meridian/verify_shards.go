package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// cutKey parts a row's key into its table and the rest, for people.
func cutKey(k storage.RowKey) (table, rest string, ok bool) {
	return strings.Cut(k.String(), " ")
}

// vouched is what a snapshot says that the tables hold of a key. Which version a
// window was given last stands in no snapshot: most are older than it, and a row
// that is not younger has to say the same.
type vouched struct {
	version streaming.Version // of the snapshot
	state   streaming.Hash    // of the aggregate and of what is said of it
}

// snapshots compares every point that the newest snapshots hold with the tables: a
// snapshot is only published when its rows are durable.
func (v *verification) snapshots(ctx context.Context) error {
	expect := map[storage.RowKey]vouched{}
	lowest, highest := streaming.Clock(0), streaming.NoClock // among the shards
	for _, name := range v.shards() {
		engine, err := v.load(ctx, name)
		if errors.Is(err, streaming.ErrNoSnapshot) {
			v.note("shard %s has no snapshot yet", name)
			lowest = streaming.NoClock
			continue
		}
		if err != nil {
			return err
		}
		if v.answer.Checked.Snapshots == 0 || engine.Clock() < lowest && lowest != streaming.NoClock {
			lowest = engine.Clock()
		}
		highest = max(highest, engine.Clock())
		v.answer.Checked.Snapshots++
		for p := range engine.Final() {
			if p.Start >= v.kept {
				expect[storage.KeyOf(p)] = vouched{p.Version, contentOf(p)}
			}
		}
	}
	v.answer.Checked.Points = int64(len(expect))
	v.settled = min(v.settled, lowest)
	recent := highest - v.pins.horizon + timeline.Day // the engine has all windows from here on
	err := v.reader().Scan(ctx, v.generation.Number, func(p *metrics.Point) error {
		key := storage.KeyOf(p)
		want, ok := expect[key]
		delete(expect, key)
		switch {
		case !ok && p.Start >= recent && lowest != streaming.NoClock && p.Version.Round() <= streaming.RoundOf(lowest):
			v.differ("snapshot", key, fmt.Sprintf("the tables have version %d, and no snapshot knows the window", p.Version))
		case ok && p.Version <= want.version && contentOf(p) != want.state:
			v.differ("snapshot", key, fmt.Sprintf("version %d holds something else than the snapshot of version %d", p.Version, want.version))
			expect[key] = want
		}
		return nil
	})
	if err != nil || len(expect) == 0 {
		return err
	}
	return v.losses(ctx, expect)
}

// losses names what the tables have lost, and keeps it for a repair.
func (v *verification) losses(ctx context.Context, lost map[storage.RowKey]vouched) error {
	listed := map[storage.RowKey]bool{}
	for _, d := range v.answer.Differences {
		listed[storage.RowKey(d.Table+" "+d.Key)] = true
	}
	for _, key := range slices.Sorted(maps.Keys(lost)) {
		if !listed[storage.RowKey(key.String())] {
			v.differ("snapshot", key, fmt.Sprintf("the tables have no row, the snapshot of version %d knows one", lost[key].version))
		}
	}
	if !v.repair {
		return nil
	}
	for _, name := range v.shards() {
		engine, err := v.load(ctx, name)
		if errors.Is(err, streaming.ErrNoSnapshot) {
			continue
		}
		if err != nil {
			return err
		}
		for p := range engine.Final() {
			if want, ok := lost[storage.KeyOf(p)]; ok && want.version == p.Version {
				v.lost[storage.KeyOf(p)], v.ages[storage.KeyOf(p)] = p, true
			}
		}
	}
	return nil
}

// load reads the newest snapshot of a shard into an engine of its own.
func (v *verification) load(ctx context.Context, name string) (*metrics.Engine, error) {
	shard, engine, err := v.shard()
	if err != nil {
		return nil, err
	}
	get, _, err := streaming.Restore(ctx, v.m.snapshots, name)
	if err != nil {
		return nil, err
	}
	return engine, shard.Load(get)
}

func (v *verification) shard() (*streaming.Shard[event.Routed, metrics.Row], *metrics.Engine, error) {
	engine, err := metrics.NewEngine(v.pins.engine())
	if err != nil {
		return nil, nil, err
	}
	return streaming.NewShard(v.generation.Number, v.generation.Upstreams(), engine), engine, nil
}

// contentOf is a hash of what a point says. Counts of what was late beside it are
// left out: they are as of its emission in the tables, and as of now in an engine.
func contentOf(p *metrics.Point) streaming.Hash {
	var b bytes.Buffer
	fmt.Fprintln(&b, p.N(), p.Status, p.Withdrawn, p.End, p.Zone)
	if p.Aggregate != nil {
		b.Write(p.Aggregate.Bytes())
	}
	return sha256.Sum256(b.Bytes())
}

// rounds computes the rounds since the oldest kept snapshot of each shard once more
// from the topic of events, and looks for all rows that come of it, in every table.
// These are what a power cut takes first.
func (v *verification) rounds(ctx context.Context) error {
	rows := map[storage.RowKey]metrics.Row{}
	for p, name := range v.shards() {
		if err := v.again(ctx, int32(p), name, rows); err != nil {
			if errors.Is(err, kafka.ErrTrimmed) || errors.Is(err, streaming.ErrNoSnapshot) {
				v.note("the rounds of %s cannot be computed again: %v", name, err)
				continue
			}
			return err
		}
	}
	v.answer.Checked.Rounds = int64(len(rows))
	if len(rows) == 0 {
		return nil
	}
	since := streaming.Version(1<<63 - 1)
	for _, r := range rows {
		since = min(since, storage.VersionOf(r))
	}
	err := v.m.database.Versions(ctx, v.generation.Number, since, func(key storage.RowKey, have streaming.Version) {
		if r, ok := rows[key]; ok && have >= storage.VersionOf(r) {
			delete(rows, key)
		}
	})
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		v.differ("rounds", key, fmt.Sprintf("the tables have not got version %d", storage.VersionOf(rows[key])))
		v.lost[key] = rows[key]
		delete(v.ages, key)
	}
	return nil
}

// again feeds a shard what came after its oldest kept snapshot, and keeps the last
// row of each key, of rounds that readers' clock has reached.
func (v *verification) again(ctx context.Context, partition int32, name string, rows map[storage.RowKey]metrics.Row) error {
	kept, err := v.m.snapshots.Manifests(ctx, name)
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		return streaming.ErrNoSnapshot
	}
	shard, _, err := v.shard()
	if err != nil {
		return err
	}
	get, _, err := streaming.Restore(ctx, oneSnapshot{v.m.snapshots, kept[len(kept)-1]}, name)
	if err != nil {
		return err
	}
	if err := shard.Load(get); err != nil {
		return err
	}
	reader, err := (kafka.Log{Config: v.m.log.Config, Topic: v.m.log.EventsTopic(v.generation.Number), FetchBytes: 8 << 20}).Open(ctx, partition, shard.Resume())
	if err != nil {
		return err
	}
	defer reader.Close()
	var decoder ingest.MessageDecoder
	emit := func(r metrics.Row) {
		version := storage.VersionOf(r)
		if version.Round().Clock() <= v.clock && !v.dropped(r) {
			rows[storage.KeyOf(r)] = r
		}
	}
	for next, end := reader.Position(); next < end && shard.Clock() < v.clock; next, _ = reader.Position() {
		records, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		for _, rec := range records {
			m, err := decoder.Message(rec.Value)
			if err != nil {
				return fmt.Errorf("%s at offset %d: %w", name, rec.Offset, err)
			}
			shard.Feed(rec.Offset, m, emit)
		}
	}
	return nil
}

// dropped reports whether a row is older than what is kept.
func (v *verification) dropped(r metrics.Row) bool {
	switch r := r.(type) {
	case *metrics.Point:
		return r.Start < v.kept
	case *metrics.ObservationRow:
		return r.At < v.kept
	case *metrics.QualityRow:
		return r.Cell.Start() < v.kept
	case *metrics.RejectRow:
		return r.Received < v.kept
	}
	return false
}

// oneSnapshot is a store that has only one snapshot of a shard.
type oneSnapshot struct {
	streaming.Snapshots
	m streaming.Manifest
}

func (s oneSnapshot) Manifests(context.Context, string) ([]streaming.Manifest, error) {
	return []streaming.Manifest{s.m}, nil
}
