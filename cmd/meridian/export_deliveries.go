package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"meridian/ingest"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// exportDeliveries writes the log as it is now, oldest first: deliveries, what is
// said of scopes and people, and ticks. It is one archive, whatever the number of
// partitions. A record stands between the same two ticks as in its own partition,
// which is all that its verdict and its round depend on; inside a round, partitions
// are merged by receipt.
func exportDeliveries(ctx context.Context, l *deliveryLog, write func(ingest.ArchiveLine) error) error {
	bounds, err := kafka.Offsets(ctx, l.Config, l.DeliveriesTopic())
	if err != nil {
		return err
	}
	var all []*exported
	defer func() {
		for _, e := range all {
			e.reader.Close()
		}
	}()
	for p := range l.partitions {
		e, err := openExported(ctx, l, p, bounds[p])
		if err != nil {
			return err
		}
		if e != nil {
			all = append(all, e)
		}
	}
	for {
		next := noTick
		for _, e := range all {
			if err := e.fill(ctx); err != nil {
				return err
			}
			next = min(next, e.tick)
		}
		for _, line := range roundOf(all, next) {
			if err := write(line); err != nil {
				return err
			}
		}
		if next == noTick {
			return nil
		}
		if err := write(ingest.ArchiveLine{Tick: next}); err != nil {
			return err
		}
	}
}

// noTick is the clock of what no tick has closed yet.
const noTick = streaming.Clock(math.MaxInt64)

// roundOf takes the lines of the round that a tick closes.
func roundOf(all []*exported, tick streaming.Clock) (lines []ingest.ArchiveLine) {
	for _, e := range all {
		if e.tick == tick {
			lines = append(lines, e.lines...)
			e.lines, e.whole = nil, tick == noTick
		}
	}
	if len(all) == 1 {
		return lines // its order is the log's
	}
	slices.SortStableFunc(lines, func(a, b ingest.ArchiveLine) int { return cmp.Compare(receiptOf(a), receiptOf(b)) })
	return lines
}

// receiptOf is 0 of what is no delivery, which so comes first in its round: it says
// something of other times, and has no place of its own.
func receiptOf(line ingest.ArchiveLine) timeline.Millis {
	if line.Delivery == nil {
		return 0
	}
	return line.Delivery.Received
}

// exported is one partition of deliveries on its way into an archive.
type exported struct {
	partition int32
	reader    *kafka.LogReader
	decoder   ingest.EntryDecoder
	next, end int64
	ahead     []kafka.LogRecord

	clock streaming.Clock
	lines []ingest.ArchiveLine // of the round that tick closes
	tick  streaming.Clock
	whole bool // lines and tick are
}

// openExported returns nil for a partition that holds nothing.
func openExported(ctx context.Context, l *deliveryLog, p int32, b kafka.Bounds) (*exported, error) {
	from, err := l.start(p, b)
	if err != nil || from >= b.End {
		return nil, err
	}
	log := kafka.Log{Config: l.Config, Topic: l.DeliveriesTopic(), Archive: l.archive, Bodies: true, FetchBytes: 8 << 20}
	reader, err := log.Open(ctx, p, from)
	if err != nil {
		return nil, err
	}
	return &exported{
		partition: p, reader: reader, decoder: ingest.EntryDecoder{Bodies: true}, next: from, end: b.End, clock: streaming.NoClock,
	}, nil
}

// fill reads up to the next tick that raises the partition's clock. Others do
// nothing, and are left out.
func (e *exported) fill(ctx context.Context) error {
	if e.whole {
		return nil
	}
	for e.next < e.end {
		if len(e.ahead) == 0 {
			records, err := e.reader.Next(ctx)
			if err != nil {
				return err
			}
			e.ahead = records
			continue
		}
		rec := e.ahead[0]
		e.ahead, e.next = e.ahead[1:], rec.Offset+1
		entry, err := e.decoder.Entry(rec.Value)
		if err != nil {
			return fmt.Errorf("deliveries/%d at offset %d: %w", e.partition, rec.Offset, err)
		}
		if entry.IsTick() {
			if entry.Tick > e.clock {
				e.clock, e.tick, e.whole = entry.Tick, entry.Tick, true
				return nil
			}
			continue
		}
		line := ingest.LineOf(entry)
		line.Placed, line.Partition, line.Offset = true, e.partition, rec.Offset
		e.lines = append(e.lines, line)
	}
	e.tick, e.whole = noTick, true
	return nil
}
