package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Bounds are the offsets that a partition holds: [Start, End).
type Bounds struct{ Start, End int64 }

// Offsets returns what each partition of a topic holds.
func Offsets(ctx context.Context, c Config, topic string) (map[int32]Bounds, error) {
	return withAdmin(c, func(adm *kadm.Client) (map[int32]Bounds, error) { return offsets(ctx, adm, topic) })
}

func offsets(ctx context.Context, adm *kadm.Client, topic string) (map[int32]Bounds, error) {
	starts, err := adm.ListStartOffsets(ctx, topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("kafka: first offsets of %s: %w", topic, err)
	}
	ends, err := adm.ListEndOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("kafka: last offsets of %s: %w", topic, err)
	}
	bounds := map[int32]Bounds{}
	starts.Each(func(o kadm.ListedOffset) {
		if end, ok := ends.Lookup(topic, o.Partition); ok {
			bounds[o.Partition] = Bounds{Start: o.Offset, End: end.Offset}
		}
	})
	return bounds, nil
}

// Trim deletes the records below offset. It always leaves the last record of a
// partition: an embedded broker whose partition is empty begins at offset 0
// again when it restarts, and offsets must never come twice.
func Trim(ctx context.Context, c Config, topic string, partition int32, offset int64) error {
	_, err := withAdmin(c, func(adm *kadm.Client) (struct{}, error) {
		return struct{}{}, trim(ctx, adm, topic, partition, offset)
	})
	return err
}

func trim(ctx context.Context, adm *kadm.Client, topic string, partition int32, offset int64) error {
	all, err := offsets(ctx, adm, topic)
	if err != nil {
		return err
	}
	b := all[partition]
	offset = min(offset, b.End-1)
	if offset <= b.Start {
		return nil
	}
	var to kadm.Offsets
	to.AddOffset(topic, partition, offset, -1)
	done, err := adm.DeleteRecords(ctx, to)
	if err == nil {
		err = done.Error()
	}
	if errors.Is(err, kerr.OffsetOutOfRange) {
		return nil // somebody else has trimmed further in the meantime
	}
	if err != nil {
		return fmt.Errorf("kafka: trim %s/%d below offset %d: %w", topic, partition, offset, err)
	}
	return nil
}

// Committed returns what a group has committed of a topic, for displays of lag.
func Committed(ctx context.Context, c Config, group, topic string) (map[int32]int64, error) {
	return withAdmin(c, func(adm *kadm.Client) (map[int32]int64, error) {
		all, err := adm.FetchOffsets(ctx, group)
		if err == nil {
			err = all.Error()
		}
		if err != nil {
			return nil, fmt.Errorf("kafka: offsets of group %s: %w", group, err)
		}
		out := map[int32]int64{}
		for p, o := range all[topic] {
			out[p] = o.At
		}
		return out, nil
	})
}
