package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"meridian/streaming/kafka"
	"meridian/streaming/kafka/kafkatest"
)

func TestSealer(t *testing.T) {
	c := broker(t, t.TempDir()).Config("")
	archive := kafka.OpenArchive(t.TempDir(), splitAtBar)
	if err := kafka.EnsureTopics(t.Context(), c, c.Topics(1)...); err != nil {
		t.Fatal(err)
	}
	a, err := kafka.NewAppender(c, kafkatest.AppenderConfig(c, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close(context.Background())
	total := int64(0)
	send := func(n int64) {
		for _, r := range records(total, total+n) {
			if _, err := a.Append(t.Context(), "k", r.Value); err != nil {
				t.Fatal(err)
			}
		}
		total += n
	}
	now := noon
	sealer := kafka.NewSealer(c, archive, kafka.DefaultSealerConfig(c))
	sealer.SetNow(func() time.Time { return now })
	seal := func(wantEnd, wantStart int64) {
		t.Helper()
		if err := sealer.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		span, err := archive.Span(0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := kafka.Offsets(t.Context(), c, c.DeliveriesTopic())
		if err != nil {
			t.Fatal(err)
		}
		if span.End != wantEnd || b[0].Start != wantStart {
			t.Errorf("at %s the archive ends at %d and the topic begins at %d, want %d and %d", now, span.End, b[0].Start, wantEnd, wantStart)
		}
	}
	seal(0, 0) // nothing there
	send(10)
	seal(10, 0)
	seal(10, 0) // nothing new
	now = now.Add(23 * time.Hour)
	send(10)
	seal(20, 0) // the first frame is 23 h old
	now = now.Add(time.Hour)
	send(1)
	seal(21, 10) // and now 24 h
	now = now.Add(30 * time.Hour)
	seal(21, 20) // everything is old enough; the last record stays

	log := kafka.Log{Config: c, Topic: c.DeliveriesTopic(), Archive: archive, Bodies: true}
	send(5)
	for from := range total {
		r, err := log.Open(t.Context(), 0, from)
		if err != nil {
			t.Fatal(err)
		}
		var got []kafka.LogRecord
		for next, end := r.Position(); next < end; next, end = r.Position() {
			records, err := r.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, records...)
		}
		r.Close()
		wantRecords(t, got, records(from, total))
	}
	if _, err := (kafka.Log{Config: c, Topic: c.DeliveriesTopic()}).Open(t.Context(), 0, 3); !errors.Is(err, kafka.ErrTrimmed) {
		t.Errorf("without the archive: %v", err)
	}
	if _, err := (kafka.Log{Config: c, Topic: c.DeliveriesTopic(), Archive: kafka.OpenArchive(t.TempDir(), nil)}).Open(t.Context(), 0, 3); !errors.Is(err, kafka.ErrTrimmed) {
		t.Errorf("with an empty archive: %v", err)
	}
}

// Route begins in the archive when the broker no longer has what it needs.
func TestRouteReadsTheArchiveFirst(t *testing.T) {
	c := broker(t, t.TempDir()).Config("")
	p := kafkatest.NewPipeline(t, c, 1, 2)
	p.RouteLog = kafka.OpenArchive(t.TempDir(), func(v []byte) ([]byte, []byte) { return v, nil })
	end := p.Feed(t, 1_700_000_000_000, 10)
	sealer := kafka.NewSealer(c, p.RouteLog, kafka.SealerConfig{Every: time.Hour, Keep: time.Nanosecond})
	sealer.SetNow(func() time.Time { return noon })
	if err := sealer.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	noon2 := noon.Add(time.Hour)
	sealer.SetNow(func() time.Time { return noon2 })
	if err := sealer.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, err := kafka.Offsets(t.Context(), c, c.DeliveriesTopic())
	if err != nil || b[0].Start != b[0].End-1 {
		t.Fatalf("the topic was not trimmed: %v, %v", b, err)
	}
	m := p.Start(t)
	end = p.Feed(t, end, 3)
	p.Rows.WaitFor(t, 2, end)
	m.Stop(t)
	p.Rows.Check(t, p.Want())
}

func TestEmbeddedRestartKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	var rows *kafkatest.Rows
	var before *kafkatest.Pipeline
	for i := range 3 {
		b, err := kafka.StartBroker(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := b.Config("")
		p := kafkatest.NewPipeline(t, c, 1, 2)
		if before != nil {
			p.Continue(before)
		}
		before, rows = p, p.Rows
		m := p.Start(t)
		end := p.Feed(t, kafkatestStart(i), 5)
		rows.WaitFor(t, 2, end)
		m.Stop(t)
		p.Close()
		b.Close()
	}
	rows.Check(t, before.Want())
}

func kafkatestStart(i int) kafkatest.Millis {
	return kafkatest.Millis(1_700_000_000_000 + i*1_000_000)
}

func ExamplePartitionOf() {
	fmt.Println(kafka.PartitionOf("github/42", 6))
	// Output: 0
}
