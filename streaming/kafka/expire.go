package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A broker gives disk back by whole segments, so a record that was trimmed stays in
// its file for as long as that is written to. Where somebody was erased that will
// not do.

// AtSegment runs append, whose first record begins a segment of its own on an
// embedded broker: what was before it can be trimmed without a rest. A served
// broker has its own times for that, and rules for who may set them; there it runs
// append alone.
func AtSegment(ctx context.Context, c Config, topic string, append func(context.Context) error) (err error) {
	if !c.Embedded {
		return append(ctx)
	}
	if err := setSegment(ctx, c, topic, "1"); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, setSegment(context.WithoutCancel(ctx), c, topic, Topic{}.settings(c)["segment.bytes"]))
	}()
	return append(ctx)
}

func setSegment(ctx context.Context, c Config, topic, bytes string) error {
	_, err := withAdmin(c, func(adm *kadm.Client) (struct{}, error) {
		rs, err := adm.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "segment.bytes", Value: &bytes}}, topic)
		if err == nil && len(rs) > 0 {
			err = rs[0].Err
		}
		if err != nil {
			return struct{}{}, fmt.Errorf("kafka: segment size of topic %s: %w", topic, err)
		}
		return struct{}{}, nil
	})
	return err
}

// Rewrite writes an embedded control topic anew now, so that no file holds what was
// deleted. A served broker compacts by itself.
func (s *Control) Rewrite(ctx context.Context) error {
	if !s.config.Embedded {
		return nil
	}
	return AtSegment(ctx, s.config, s.topic, s.rewrite)
}

// Empty takes every record out of a topic that nothing is computed from. On an
// embedded broker a mark is left in each partition, a deletion of the key "erased",
// so that offsets never come twice.
func Empty(ctx context.Context, c Config, topic string) error {
	bounds, err := Offsets(ctx, c, topic)
	if err != nil {
		return err
	}
	ends := map[int32]int64{}
	for p, b := range bounds {
		if b.End > b.Start {
			ends[p] = b.End
		}
	}
	if c.Embedded && len(ends) > 0 {
		err := AtSegment(ctx, c, topic, func(ctx context.Context) error {
			client, err := c.newClient(kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.RecordDeliveryTimeout(ControlTimeout))
			if err != nil {
				return err
			}
			defer client.Close()
			for p := range ends {
				done := client.ProduceSync(ctx, &kgo.Record{Partition: p, Key: []byte("erased")})
				if err := done.FirstErr(); err != nil {
					return fmt.Errorf("kafka: write to %s/%d: %w", topic, p, err)
				}
				ends[p] = done[0].Record.Offset
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	_, err = withAdmin(c, func(adm *kadm.Client) (struct{}, error) {
		var to kadm.Offsets
		for p, end := range ends {
			to.AddOffset(topic, p, end, -1)
		}
		if len(ends) == 0 {
			return struct{}{}, nil
		}
		done, err := adm.DeleteRecords(ctx, to)
		if err == nil {
			err = done.Error()
		}
		if errors.Is(err, kerr.PolicyViolation) { // a broker that compacts a topic trims none of it
			err = deleteKeys(ctx, c, topic, bounds)
		}
		if err != nil {
			return struct{}{}, fmt.Errorf("kafka: empty topic %s: %w", topic, err)
		}
		return struct{}{}, nil
	})
	return err
}

// readPatience is how long a broker may give nothing of what it holds.
const readPatience = time.Minute

// deleteKeys deletes every key of a compacted topic, which the broker then forgets by
// its own settings.
func deleteKeys(ctx context.Context, c Config, topic string, bounds map[int32]Bounds) error {
	from, left := map[int32]kgo.Offset{}, map[int32]int64{}
	for p, b := range bounds {
		if b.Start < b.End {
			from[p], left[p] = kgo.NewOffset().At(b.Start), b.End
		}
	}
	client, err := c.newClient(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.RecordDeliveryTimeout(ControlTimeout))
	if err != nil {
		return err
	}
	defer client.Close()
	// Where a partition ends may be what the broker has compacted away, or a mark of a
	// transaction: neither is ever read. What is written now is there to be read.
	for p := range left {
		done := client.ProduceSync(ctx, &kgo.Record{Topic: topic, Partition: p, Key: []byte("erased")})
		if err := done.FirstErr(); err != nil {
			return fmt.Errorf("write to %s/%d: %w", topic, p, err)
		}
		left[p] = done[0].Record.Offset + 1
	}
	type place struct {
		partition int32
		key       string
	}
	keys := map[place]bool{} // true: it has a value
	for len(left) > 0 {
		polling, enough := context.WithTimeout(ctx, readPatience)
		fetches := client.PollFetches(polling)
		enough()
		if err := errors.Join(ctx.Err(), fetches.Err()); err != nil {
			return fmt.Errorf("read %s: %w", topic, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Offset < left[r.Partition] {
				keys[place{r.Partition, string(r.Key)}] = r.Value != nil
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
	var deletions []*kgo.Record
	for k, has := range keys {
		if has {
			deletions = append(deletions, &kgo.Record{Topic: topic, Partition: k.partition, Key: []byte(k.key)})
		}
	}
	for len(deletions) > 0 {
		n := min(len(deletions), 1000)
		if err := client.ProduceSync(ctx, deletions[:n]...).FirstErr(); err != nil {
			return fmt.Errorf("write to %s: %w", topic, err)
		}
		deletions = deletions[n:]
	}
	return nil
}
