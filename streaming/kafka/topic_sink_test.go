package kafka_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"meridian/streaming/kafka"
)

func readAll(t *testing.T, c kafka.Config, topic string, partition int32) (values []string) {
	t.Helper()
	r, err := kafka.Log{Config: c, Topic: topic}.Open(t.Context(), partition, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for next, end := r.Position(); next < end; next, end = r.Position() {
		records, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range records {
			values = append(values, string(rec.Value))
		}
	}
	return values
}

// numbered writes row i to partition i%2.
func numbered(i int) (int32, []byte, []byte) { return int32(i % 2), nil, fmt.Appendf(nil, "%d", i) }

func TestTopicSinkNeverGoesOnPastAGap(t *testing.T) {
	b := broker(t, "")
	c := b.Config("")
	if err := kafka.EnsureTopics(t.Context(), c, kafka.Topic{Name: "out", Partitions: 2}); err != nil {
		t.Fatal(err)
	}
	sink := kafka.NewTopicSink(c, "out", numbered)
	defer sink.Close()
	rows := func(from, to int) (out []int) {
		for i := from; i < to; i++ {
			out = append(out, i)
		}
		return out
	}
	if err := sink.Put(t.Context(), 0, rows(0, 10)); err != nil {
		t.Fatal(err)
	}
	// The second of three pieces fails in partition 1 only, once.
	const piece = 10_000
	seen := 0
	fault := b.Cluster().Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: "out", Partitions: []int32{1}, Err: kerr.UnknownServerError,
		When: func(kmsg.Request) bool { seen++; return seen == 2 },
	})
	err := sink.Put(t.Context(), 0, rows(10, 10+3*piece))
	if !errors.Is(err, kerr.UnknownServerError) || fault.Hits() != 1 || seen != 2 {
		t.Fatalf("put with a broken partition: %v, %d faults, %d requests; want one request a piece, and none after the second", err, fault.Hits(), seen)
	}
	// Partition 1 ends with the first piece; nothing of the second or third.
	if got, want := len(readAll(t, c, "out", 1)), 5+piece/2; got != want {
		t.Errorf("partition 1 holds %d rows after the failure, want %d", got, want)
	}
	// The shard restarts from its snapshot and repeats.
	if err := sink.Put(t.Context(), 0, rows(10, 10+3*piece)); err != nil {
		t.Fatal(err)
	}
	for partition := range int32(2) {
		// First appearances are in order and complete, which is what a reader takes.
		highest := int(partition) - 2
		for _, v := range readAll(t, c, "out", partition) {
			var i int
			if _, err := fmt.Sscan(v, &i); err != nil {
				t.Fatal(err)
			}
			if i <= highest {
				continue
			}
			if i != highest+2 {
				t.Fatalf("partition %d: row %d follows %d", partition, i, highest)
			}
			highest = i
		}
		if want := 10 + 3*piece - 2 + int(partition); highest != want {
			t.Errorf("partition %d ends with row %d, want %d", partition, highest, want)
		}
	}
}

func TestTopicSinkRefusesWhatIsTooLargeBeforeAnythingAfterIt(t *testing.T) {
	c := broker(t, "").Config("")
	if err := kafka.EnsureTopics(t.Context(), c, kafka.Topic{Name: "out", Partitions: 1}); err != nil {
		t.Fatal(err)
	}
	sink := kafka.NewTopicSink(c, "out", func(v []byte) (int32, []byte, []byte) { return 0, nil, v })
	defer sink.Close()
	err := sink.Put(t.Context(), 0, [][]byte{[]byte("a"), make([]byte, kafka.MaxRecordBytes+1), []byte("b")})
	if !errors.Is(err, kafka.ErrTooLarge) {
		t.Errorf("put: %v", err)
	}
	if got := readAll(t, c, "out", 0); slices.Contains(got, "b") {
		t.Errorf("the topic holds %q, a row behind the one that failed", got)
	}
	// Near the limit a piece is one record, and goes through.
	if err := sink.Put(t.Context(), 0, [][]byte{make([]byte, 30<<20), make([]byte, 30<<20), []byte("c")}); err != nil {
		t.Error(err)
	}
}
