package storage

import (
	"testing"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

func TestProgressIsThatOfTheSlowestShard(t *testing.T) {
	d, _ := open(t, nil)
	ctx := t.Context()
	if n, _, err := d.Progress(ctx, 3); n != 0 || err != nil {
		t.Fatalf("before the first: %d shards, %v", n, err)
	}
	s := d.NewSink(Live, nil)
	defer run(t, s)()
	for shard, clock := range []timeline.Millis{9_000_000, 7_000_000, 8_000_000} {
		s.Advance(int32(shard), 3, clock)
	}
	s.Advance(0, 4, 1_000)
	if err := s.Flush(ctx, 0); err != nil {
		t.Fatal(err)
	}
	n, clock, err := d.Progress(ctx, streaming.Generation(3))
	if err != nil || n != 3 || clock != 7_000_000 {
		t.Errorf("%d shards up to %v, %v; want 3 up to 7,000,000", n, clock, err)
	}
}
