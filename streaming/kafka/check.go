package kafka

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Check writes to a topic of its own, reads back and compares what Meridian
// relies on: records keep their order, offsets are contiguous, the timestamps
// that we set stay, large records are taken, ListOffsets and DeleteRecords do
// what they say. A difference is ErrBroker and names the behaviour.
func Check(ctx context.Context, c Config) error {
	if err := EnsureTopics(ctx, c, Topic{Name: c.CheckTopic(), Partitions: 1}); err != nil {
		return err
	}
	// Processes that start at the same moment share the topic, and one may trim
	// what another is about to read.
	var err error
	for range 10 {
		if err = check(ctx, c); err == nil || !errors.Is(err, ErrTrimmed) {
			break
		}
	}
	return err
}

// Sizes of the check's large record. An embedded broker's limit is ours, so a
// record above kfake's own default proves that it was raised; a served one has
// to show that it takes the largest.
const (
	checkEmbedded = 2 << 20
	checkServed   = MaxRecordBytes
)

func check(ctx context.Context, c Config) error {
	records, err := checkRecords(c)
	if err != nil {
		return err
	}
	if err := checkWrite(ctx, c, records); err != nil {
		return err
	}
	topic, first, last := c.CheckTopic(), records[0].Offset, records[len(records)-1].Offset
	bounds, err := Offsets(ctx, c, topic)
	if err != nil {
		return err
	}
	if b := bounds[0]; b.End <= last || b.Start > first {
		if b.Start > first {
			return fmt.Errorf("check of %s: offset %d: %w", topic, first, ErrTrimmed)
		}
		return fmt.Errorf("%w: %s ends at offset %d after a record was acknowledged at %d (ListOffsets)", ErrBroker, topic, b.End, last)
	}
	if err := checkRead(ctx, c, records); err != nil {
		return err
	}
	if err := Trim(ctx, c, topic, 0, last); err != nil {
		return fmt.Errorf("%w: DeleteRecords: %w", ErrBroker, err)
	}
	if bounds, err = Offsets(ctx, c, topic); err != nil {
		return err
	}
	if b := bounds[0]; b.Start < last {
		return fmt.Errorf("%w: %s begins at offset %d after it was trimmed below %d (DeleteRecords)", ErrBroker, topic, b.Start, last)
	}
	return nil
}

// checkRecords makes records whose timestamps go back and forth, a large one
// among them, all marked by this run.
func checkRecords(c Config) ([]*kgo.Record, error) {
	run := []byte(rand.Text())
	size := checkServed
	if c.Embedded {
		size = checkEmbedded
	}
	large := make([]byte, size-len(run)-8)
	if _, err := rand.Read(large); err != nil {
		return nil, err
	}
	now := time.Now().Truncate(time.Millisecond)
	var records []*kgo.Record
	for i := range 8 {
		value := fmt.Appendf(nil, "%s %d", run, i)
		if i == 5 {
			value = large
		}
		records = append(records, &kgo.Record{Topic: c.CheckTopic(), Key: run, Value: value, Timestamp: now.Add(time.Duration(i%3) * -time.Hour)})
	}
	return records, nil
}

func checkWrite(ctx context.Context, c Config, records []*kgo.Record) error {
	client, err := c.newClient(kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		return err
	}
	defer client.Close()
	for i := 0; i < len(records); i += 3 { // several batches
		if err := client.ProduceSync(ctx, records[i:min(i+3, len(records))]...).FirstErr(); err != nil {
			return fmt.Errorf("%w: %w", ErrBroker, notTaken(err))
		}
	}
	for i := 1; i < len(records); i++ {
		if records[i].Offset <= records[i-1].Offset {
			return fmt.Errorf("%w: a record was given offset %d after one with %d", ErrBroker, records[i].Offset, records[i-1].Offset)
		}
	}
	return nil
}

// notTaken says of a record that was not taken what may be done about it: its size is
// to blame only where the broker says so.
func notTaken(err error) error {
	if errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge) {
		return fmt.Errorf("a record of up to %d bytes was not taken; raise message.max.bytes of broker and topic: %w", MaxRecordBytes, err)
	}
	return fmt.Errorf("a record could not be written: %w", err)
}

func checkRead(ctx context.Context, c Config, records []*kgo.Record) error {
	client, err := c.newClient(
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{c.CheckTopic(): {0: kgo.NewOffset().At(records[0].Offset)}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	next, want := records[0].Offset, records
	for len(want) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); errors.Is(err, kerr.OffsetOutOfRange) {
			return fmt.Errorf("read %s: %w (%w)", c.CheckTopic(), ErrTrimmed, err)
		} else if err != nil {
			return fmt.Errorf("read %s: %w", c.CheckTopic(), err)
		}
		for _, got := range fetches.Records() {
			if got.Offset != next {
				return fmt.Errorf("%w: offset %d follows %d in %s", ErrBroker, got.Offset, next-1, c.CheckTopic())
			}
			next++
			if len(want) == 0 || !bytes.Equal(got.Key, want[0].Key) {
				continue // another process's
			}
			switch {
			case got.Offset != want[0].Offset || !bytes.Equal(got.Value, want[0].Value):
				return fmt.Errorf("%w: the record at offset %d is not the one that was acknowledged there", ErrBroker, got.Offset)
			case !got.Timestamp.Equal(want[0].Timestamp):
				return fmt.Errorf("%w: a timestamp of %s was changed to %s; set message.timestamp.type=CreateTime", ErrBroker, want[0].Timestamp, got.Timestamp)
			}
			want = want[1:]
		}
	}
	return nil
}

// Version returns what the brokers say they are, for doctor.
func Version(ctx context.Context, c Config) (string, error) {
	return withAdmin(c, func(adm *kadm.Client) (string, error) {
		vs, err := adm.ApiVersions(ctx)
		if err != nil {
			return "", fmt.Errorf("kafka: ask the brokers for their version: %w", err)
		}
		for _, v := range vs {
			if v.Err == nil {
				return v.VersionGuess(), nil
			}
		}
		return "", errors.New("kafka: no broker told its version")
	})
}
