package main

import (
	"context"
	"errors"
	"fmt"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// Log, snapshots and tables vouch for each other, and each can be lost alone: a
// broker is replaced, a folder is deleted, a database comes back empty. Going on
// would pass over deliveries, or show the rest of the rows as all there is. A
// generation that has lost something is left, and the next one computes all that
// the log holds.

// rebased says, in words, why a generation cannot go on with what the log holds
// now; "" is that it can.
func rebased(ctx context.Context, l *deliveryLog, snapshots streaming.Snapshots, g streaming.GenerationManifest) (string, error) {
	why, err := kafka.Log{Config: l.Config, Topic: l.DeliveriesTopic(), Archive: l.archive}.Lost(ctx, snapshots, "route", g.Number)
	if why != "" || err != nil {
		return why, err
	}
	events := kafka.Log{Config: l.Config, Topic: l.EventsTopic(g.Number)}
	if why, err = events.Lost(ctx, snapshots, "engine", g.Number); why != "" || err != nil {
		return why, err
	}
	// Route gives every tick to each partition of events, so none is empty once
	// it has a snapshot.
	routed, err := snapshotted(ctx, snapshots, "route", g.Number, l.partitions)
	if err != nil || routed == 0 {
		return "", err
	}
	for p, end := range g.HistoryOffsets {
		// A history gives its copies to the engines without the topic.
		at, err := resumeOf(ctx, snapshots, kafka.ShardName("route", g.Number, int32(p)))
		if err != nil || at <= end {
			return "", err
		}
	}
	bounds, err := kafka.Offsets(ctx, l.Config, events.Topic)
	if err != nil {
		return "", err
	}
	for p := range g.EventsPartitions {
		if bounds[p].End == 0 {
			return fmt.Sprintf("%s/%d is empty and had events", events.Topic, p), nil
		}
	}
	return "", nil
}

// written is how far the rows of a generation are in the tables.
type written interface {
	Progress(ctx context.Context, g streaming.Generation) (shards int, clock timeline.Millis, err error)
}

// apart says, in words, why a generation cannot go on with what the tables hold
// of it; "" is that it can. last returns the highest tick on the log; it is asked
// after the tables, since other processes write them meanwhile.
func apart(ctx context.Context, tables written, snapshots streaming.Snapshots, g streaming.GenerationManifest, last func() (streaming.Clock, error)) (string, error) {
	want, err := snapshotted(ctx, snapshots, "engine", g.Number, g.EventsPartitions)
	if err != nil {
		return "", err
	}
	have, clock, err := tables.Progress(ctx, g.Number)
	switch {
	case err != nil:
		return "", err
	case have < want:
		return fmt.Sprintf("%d shards have written rows, and the tables hold those of %d", want, have), nil
	}
	highest, err := last()
	switch {
	case err != nil:
		return "", err
	case clock > max(highest, 0): // rows come of ticks that are on the log
		return fmt.Sprintf("the tables hold rows up to %s, which this log has never reached", clock), nil
	}
	return "", nil
}

// forgotten says, in words, why a generation that began with a history cannot go on
// with its snapshots; "" is that it can. The history gave its copies to the engines
// without the topic, so a shard that has no whole snapshot would begin behind it, and
// give rows of a part as if they were all. It costs a look at each snapshot.
func forgotten(ctx context.Context, snapshots streaming.Snapshots, g streaming.GenerationManifest) (string, error) {
	if g.HistoryEnd == 0 {
		return "", nil // it begins with the first record again, which gives the same
	}
	for _, stage := range []struct {
		name       string
		partitions int
	}{{"route", len(g.HistoryOffsets)}, {"engine", int(g.EventsPartitions)}} {
		for p := range stage.partitions {
			shard := kafka.ShardName(stage.name, g.Number, int32(p))
			_, _, err := streaming.Restore(ctx, snapshots, shard)
			if errors.Is(err, streaming.ErrNoSnapshot) {
				return fmt.Sprintf("no snapshot of %s is whole, and its history is nowhere else", shard), nil
			}
			if err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

// snapshotted counts the shards of a stage that have a snapshot.
func snapshotted(ctx context.Context, snapshots streaming.Snapshots, stage string, g streaming.Generation, partitions int32) (n int, err error) {
	for p := range partitions {
		kept, err := snapshots.Manifests(ctx, kafka.ShardName(stage, g, p))
		if err != nil {
			return 0, err
		}
		if len(kept) > 0 {
			n++
		}
	}
	return n, nil
}

// resumeOf returns where a shard's newest snapshot goes on; 0 without one.
func resumeOf(ctx context.Context, snapshots streaming.Snapshots, shard string) (int64, error) {
	kept, err := snapshots.Manifests(ctx, shard)
	if err != nil || len(kept) == 0 {
		return 0, err
	}
	return kept[0].Resume, nil
}
