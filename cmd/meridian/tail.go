package main

import (
	"context"
	"fmt"
	"math"

	"meridian/ingest"
	"meridian/streaming"
	"meridian/streaming/kafka"
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
		tick, after, err := lastTickOf(ctx, l, p, streaming.RoundOf(1<<61))
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

// lastTickOf returns the last tick of a partition that is not behind end and
// raises its clock, and the offset just after it. It looks near the partition's
// end first, and then at all of it.
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
	for _, from := range []int64{max(start, b.End-tailRecords), start} {
		tick, after, err := scanTicks(ctx, l, partition, from, b.End, end)
		if err != nil || tick != streaming.NoClock || from == start {
			return tick, after, err
		}
	}
	return streaming.NoClock, 0, nil
}

func scanTicks(ctx context.Context, l *deliveryLog, partition int32, from, to int64, end streaming.Round) (streaming.Clock, int64, error) {
	last, after := streaming.NoClock, int64(0)
	if from >= to {
		return last, after, nil
	}
	reader, err := kafka.Log{Config: l.Config, Topic: l.DeliveriesTopic(), Archive: l.archive}.Open(ctx, partition, from)
	if err != nil {
		return last, after, err
	}
	defer reader.Close()
	var decoder ingest.EntryDecoder
	for next := from; next < to; {
		records, err := reader.Next(ctx)
		if err != nil {
			return last, after, err
		}
		for _, r := range records {
			next = r.Offset + 1
			e, err := decoder.Entry(r.Value)
			if err != nil {
				return last, after, fmt.Errorf("deliveries/%d at offset %d: %w", partition, r.Offset, err)
			}
			if e.IsTick() && e.Tick > last && streaming.RoundOf(e.Tick) <= end {
				last, after = e.Tick, next
			}
		}
	}
	return last, after, nil
}
