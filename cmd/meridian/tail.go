package main

import (
	"context"
	"fmt"
	"math"

	"meridian/ingest"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// tailRecords is how far back the last tick of a partition is looked for first:
// one follows every delivery within a second, so it is near the end.
const tailRecords = 2_000

// ticks is how far time has come on the log.
type ticks struct {
	highest  streaming.Clock // in any partition
	all      streaming.Clock // that every partition has reached: where a history may end, since no round may come twice
	unticked bool            // whether there is anything behind the last one of a partition
}

// ticksOf reads them; clocks are NoClock where there is none.
func ticksOf(ctx context.Context, l *deliveryLog) (t ticks, err error) {
	t.highest, t.all = streaming.NoClock, math.MaxInt64
	bounds, err := kafka.Offsets(ctx, l.Config, l.DeliveriesTopic())
	if err != nil {
		return t, err
	}
	for p := range l.partitions {
		tick, after, err := lastTickOf(ctx, l, p, noEnd)
		if err != nil {
			return t, err
		}
		t.highest, t.all, t.unticked = max(t.highest, tick), min(t.all, tick), t.unticked || after < bounds[p].End
	}
	return t, nil
}

// historyOffsets returns the offsets just after the last tick at or before end
// in each partition.
func historyOffsets(ctx context.Context, l *deliveryLog, end streaming.Round) ([]int64, error) {
	offsets := make([]int64, l.partitions)
	for p := range l.partitions {
		_, after, err := lastTickOf(ctx, l, p, end)
		if err != nil {
			return nil, err
		}
		offsets[p] = after
	}
	return offsets, nil
}

// lastTickOf returns the last tick of a partition before its clock is beyond end, if
// it raises it, and the offset just after it. It looks near the partition's end
// first, and then further and further up.
func lastTickOf(ctx context.Context, l *deliveryLog, partition int32, end streaming.Round) (streaming.Clock, int64, error) {
	bounds, err := kafka.Offsets(ctx, l.Config, l.DeliveriesTopic())
	if err != nil {
		return streaming.NoClock, 0, err
	}
	b := bounds[partition]
	start, err := l.start(partition, b)
	if err != nil {
		return streaming.NoClock, 0, err
	}
	for window := int64(tailRecords); ; window *= 8 {
		from := max(start, b.End-window)
		first, tick, after, err := scanTicks(ctx, l, partition, from, b.End, end)
		if err != nil || from == start || tick != streaming.NoClock && (end == noEnd || first <= tick-tickDisorder) {
			return tick, after, err
		}
	}
}

// noEnd is of a log that is looked at as far as it goes.
const noEnd streaming.Round = math.MaxInt64

// tickDisorder is more than an ingester's ticks can be behind those of another, which
// has 10 s. Behind a tick that is so much later than the first one that was looked at,
// nothing further up can have raised the clock.
const tickDisorder = 5 * timeline.Minute

// scanTicks looks for the last tick that raises the clock and is not beyond end. Behind
// one that is, a lower one of an ingester whose clock is behind raises nothing: what
// lies between the two is not of the rounds up to end.
func scanTicks(ctx context.Context, l *deliveryLog, partition int32, from, to int64, end streaming.Round) (first, last streaming.Clock, after int64, err error) {
	first, last = streaming.NoClock, streaming.NoClock
	if from >= to {
		return first, last, after, nil
	}
	reader, err := kafka.Log{Config: l.Config, Topic: l.DeliveriesTopic(), Archive: l.archive}.Open(ctx, partition, from)
	if err != nil {
		return first, last, after, err
	}
	defer reader.Close()
	var decoder ingest.EntryDecoder
	for next := from; next < to; {
		records, err := reader.Next(ctx)
		if err != nil {
			return first, last, after, err
		}
		for _, r := range records {
			next = r.Offset + 1
			e, err := decoder.Entry(r.Value)
			if err != nil {
				return first, last, after, fmt.Errorf("deliveries/%d at offset %d: %w", partition, r.Offset, err)
			}
			if !e.IsTick() {
				continue
			}
			if first == streaming.NoClock {
				first = e.Tick
			}
			if streaming.RoundOf(e.Tick) > end {
				return first, last, after, nil
			}
			if e.Tick > last {
				last, after = e.Tick, next
			}
		}
	}
	return first, last, after, nil
}
