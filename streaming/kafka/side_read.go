package kafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// ReadSide calls each for every record that a side topic holds now, in the order of
// each partition, and says whether it holds all that was ever written to it. Unlike
// [Log] it takes holes as they come: side topics are compacted, end of age, and have
// the mark of [Empty] in them.
func ReadSide(ctx context.Context, c Config, topic string, each func(key, value []byte) error) (whole bool, err error) {
	bounds, err := Offsets(ctx, c, topic)
	if err != nil {
		return false, err
	}
	from, left := map[int32]kgo.Offset{}, map[int32]int64{}
	whole = true
	for p, b := range bounds {
		whole = whole && b.Start == 0
		if b.Start < b.End {
			from[p], left[p] = kgo.NewOffset().At(b.Start), b.End
		}
	}
	if len(left) == 0 {
		return whole, nil
	}
	client, err := c.newClient(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}))
	if err != nil {
		return false, err
	}
	defer client.Close()
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		var failed error
		fetches.EachError(func(_ string, p int32, err error) { failed = fmt.Errorf("read %s/%d: %w", topic, p, err) })
		if failed != nil {
			return false, failed
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if failed == nil && r.Offset < left[r.Partition] && r.Value != nil { // a deletion holds nothing
				failed = each(r.Key, r.Value)
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
		if failed != nil {
			return false, failed
		}
	}
	return whole, nil
}
