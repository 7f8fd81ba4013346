package kafka_test

import (
	"fmt"
	"strings"
	"testing"

	"meridian/streaming/kafka"
)

// A reader that lends its records gives the same ones, and uses their memory again.
func TestLogLendsRecords(t *testing.T) {
	c := broker(t, "").Config("")
	if err := kafka.EnsureTopics(t.Context(), c, kafka.Topic{Name: "out", Partitions: 1}); err != nil {
		t.Fatal(err)
	}
	value := func(i int) string { return fmt.Sprintf("%d %s", i, strings.Repeat("same again ", i%50)) }
	sink := kafka.NewTopicSink(c, "out", func(i int) (int32, []byte, []byte) { return 0, nil, []byte(value(i)) })
	defer sink.Close()
	rows := make([]int, 35_000)
	for i := range rows {
		rows[i] = i
	}
	if err := sink.Put(t.Context(), 0, rows); err != nil {
		t.Fatal(err)
	}
	r, err := kafka.Log{Config: c, Topic: "out", FetchBytes: 64 << 10, Lent: true}.Open(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	seen, again := map[*byte]bool{}, 0
	for n := 0; n < len(rows); {
		records, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range records {
			if got := string(rec.Value); rec.Offset != int64(n) || got != value(n) {
				t.Fatalf("offset %d holds %q, want offset %d with %q", rec.Offset, got, n, value(n))
			}
			if seen[&rec.Value[0]] {
				again++
			}
			seen[&rec.Value[0]] = true
			n++
		}
	}
	if again == 0 {
		t.Error("no memory was used again")
	}
}
