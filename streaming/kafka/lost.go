package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"meridian/streaming"
)

// Lost says, in words, what the shards of a stage have read and this log no
// longer holds: a broker was replaced, a disk lost the end of a file, a topic
// was deleted. "" is nothing.
//
// Such shards must not go on. They would fail only until the log is as long
// again, and then begin in the middle of records that they have never seen.
func (l Log) Lost(ctx context.Context, store streaming.Snapshots, stage string, g streaming.Generation) (string, error) {
	bounds, err := Offsets(ctx, l.Config, l.Topic)
	if err != nil {
		return "", err
	}
	for _, p := range slices.Sorted(maps.Keys(bounds)) {
		why, err := l.lostBy(ctx, store, ShardName(stage, g, p), bounds[p])
		if err != nil {
			return "", err
		}
		if why != "" {
			return fmt.Sprintf("%s/%d %s", l.Topic, p, why), nil
		}
	}
	return "", nil
}

func (l Log) lostBy(ctx context.Context, store streaming.Snapshots, shard string, b Bounds) (string, error) {
	kept, err := store.Manifests(ctx, shard)
	if err != nil {
		return "", err
	}
	// A damaged snapshot tells it as well: its manifest is whole.
	for _, m := range kept {
		if m.Resume > b.End {
			return fmt.Sprintf("ends at offset %d and has been read up to %d", b.End, m.Resume), nil
		}
	}
	if b.Start == 0 || l.Archive != nil {
		return "", nil // whatever the snapshots are worth, the beginning is there
	}
	_, m, err := streaming.Restore(ctx, store, shard)
	if err != nil && !errors.Is(err, streaming.ErrNoSnapshot) {
		return "", err
	}
	if m.Resume < b.Start {
		return fmt.Sprintf("begins at offset %d, and no whole snapshot of %s reaches it", b.Start, shard), nil
	}
	return "", nil
}

// CheckArchive refuses a log that ends before its archive does. Its next
// records would have offsets that the archive has given away, and would be
// trimmed without having been sealed.
func (l Log) CheckArchive(ctx context.Context) error {
	bounds, err := Offsets(ctx, l.Config, l.Topic)
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range slices.Sorted(maps.Keys(bounds)) {
		span, err := l.Archive.Span(p)
		if err != nil {
			errs = append(errs, err)
		} else if !span.Empty() && span.End > bounds[p].End {
			errs = append(errs, fmt.Errorf("%s/%d ends at offset %d and the archive at %d, so the broker lost what it held; restore its data from a backup, or begin with a new data directory and archive: %w",
				l.Topic, p, bounds[p].End, span.End, ErrGap))
		}
	}
	return errors.Join(errs...)
}
