package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// toldPoint is the latest that the topic says of a key.
type toldPoint struct {
	turn    uint64
	version streaming.Version
}

// topic compares the topic of points with the tables: of each key the highest
// version of the highest turn.
//
// The topic is written before the tables, but in a picture of both (a backup that was
// restored) the tables may be the newer: shards that go on from their snapshots then
// write to it what it lacks. So what is later than these is no difference.
func (v *verification) topic(ctx context.Context) error {
	t, err := v.m.room.live()
	if err != nil {
		return err
	}
	told, first := map[storage.RowKey]toldPoint{}, streaming.Version(0)
	whole, err := kafka.ReadSide(ctx, v.m.log.Config, v.m.log.PointsTopic(), func(_, value []byte) error {
		key, p, err := readPoint(value)
		if err != nil {
			return fmt.Errorf("%s: %w", v.m.log.PointsTopic(), err)
		}
		if p.turn != t.Sequence || p.version.Generation() != v.generation.Number {
			return nil // of a generation that was current before
		}
		if first == 0 || p.version < first {
			first = p.version
		}
		if p.version > told[key].version {
			told[key] = p
		}
		return nil
	})
	if err != nil {
		return err
	}
	v.answer.Checked.Topic = int64(len(told))
	for key, r := range v.lost { // a snapshot does not know which version a row had
		if p, ok := r.(*metrics.Point); ok && told[key].version > 0 && told[key].version <= p.Version {
			p.Version = told[key].version
			delete(v.ages, key)
		}
	}
	switch {
	case len(told) == 0:
		v.note("the topic %s holds no point of this generation: it is written from the turn on", v.m.log.PointsTopic())
		return nil
	case !whole:
		v.note("the topic %s does not hold all that was written to it: points that it lacks are not looked for", v.m.log.PointsTopic())
	}
	upTo := streaming.NewVersion(v.generation.Number, streaming.RoundOf(v.clock))
	settled := min(upTo, streaming.NewVersion(v.generation.Number, streaming.RoundOf(max(v.settled, 0))))
	err = v.reader().Scan(ctx, v.generation.Number, func(p *metrics.Point) error {
		key := storage.KeyOf(p)
		is, ok := told[key]
		delete(told, key)
		switch {
		case !ok && whole && p.Version >= first && p.Version <= settled:
			v.differ("topic", key, fmt.Sprintf("the topic does not have it, the tables have version %d", p.Version))
		case ok && p.Version < is.version && is.version <= upTo:
			v.differ("topic", key, fmt.Sprintf("the topic has version %d, the tables have %d", is.version, p.Version))
		case ok && p.Version > is.version && p.Version <= settled:
			v.differ("topic", key, fmt.Sprintf("the topic has version %d, the tables have %d", is.version, p.Version))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for key, is := range told {
		if is.version <= upTo && startOf(key) >= v.kept {
			v.differ("topic", key, fmt.Sprintf("the topic has version %d, the tables have no row", is.version))
		}
	}
	return nil
}

// readPoint reads of a line of the topic what is compared.
func readPoint(line []byte) (storage.RowKey, toldPoint, error) {
	var p struct {
		Team    string        `json:"team"`
		Metric  metrics.Name  `json:"metric"`
		Grain   metrics.Grain `json:"grain"`
		Service string        `json:"service"`
		Start   string        `json:"start"`
		Version string        `json:"version"`
		Turn    uint64        `json:"turn"`
	}
	if err := json.Unmarshal(line, &p); err != nil {
		return "", toldPoint{}, fmt.Errorf("a line is no point: %w", err)
	}
	start, err := timeline.ParseInstant(p.Start)
	if err != nil {
		return "", toldPoint{}, err
	}
	version, err := strconv.ParseUint(p.Version, 10, 64)
	if err != nil {
		return "", toldPoint{}, fmt.Errorf("the version %q is no number", p.Version)
	}
	key := storage.KeyOf(&metrics.Point{Team: p.Team, Metric: p.Metric, Grain: p.Grain, Service: p.Service, Start: start})
	return key, toldPoint{p.Turn, streaming.Version(version)}, nil
}

// startOf is the start of the window that a point's key names.
func startOf(key storage.RowKey) timeline.Millis {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == 0 {
			n, _ := strconv.ParseInt(string(key[i+1:]), 10, 64)
			return timeline.Millis(n)
		}
	}
	return 0
}
