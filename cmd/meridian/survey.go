package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// surveyDays is how far back a survey of the log looks, by receipt: what nobody
// has touched for a quarter is not what people look for.
const surveyDays = 92

// surveyLog reads what the log tells of the organisation. It reads all of it, if
// events alone (150,000 deliveries take a second or two), so it is for questions
// that people ask.
func surveyLog(ctx context.Context, l *deliveryLog) (*catalog.Survey, error) {
	s := &catalog.Survey{}
	since := timeline.FromTime(time.Now()) - surveyDays*timeline.Day
	err := eachDelivery(ctx, l, func(d *ingest.LoggedDelivery) {
		if d.Delivery.Received >= since {
			addToSurvey(s, d)
		}
	})
	return s, err
}

func addToSurvey(s *catalog.Survey, d *ingest.LoggedDelivery) {
	for i := range d.Events {
		s.Add(&d.Events[i])
	}
}

// eachDelivery gives every delivery that is on the log now, without its body,
// partition by partition.
func eachDelivery(ctx context.Context, l *deliveryLog, take func(*ingest.LoggedDelivery)) error {
	bounds, err := kafka.Offsets(ctx, l.Config, l.DeliveriesTopic())
	if err != nil {
		return err
	}
	for p := range l.partitions {
		from, err := l.start(p, bounds[p])
		if err != nil {
			return err
		}
		if err := eachOfPartition(ctx, l, p, from, bounds[p].End, take); err != nil {
			return err
		}
	}
	return nil
}

func eachOfPartition(ctx context.Context, l *deliveryLog, p int32, from, end int64, take func(*ingest.LoggedDelivery)) error {
	if from >= end {
		return nil
	}
	log := kafka.Log{Config: l.Config, Topic: l.DeliveriesTopic(), Archive: l.archive, FetchBytes: 8 << 20}
	r, err := log.Open(ctx, p, from)
	if err != nil {
		return err
	}
	defer r.Close()
	var decoder ingest.EntryDecoder
	for next := from; next < end; {
		records, err := r.Next(ctx)
		if err != nil {
			return err
		}
		for _, rec := range records {
			e, err := decoder.Entry(rec.Value)
			if err != nil {
				return fmt.Errorf("deliveries/%d at offset %d: %w", p, rec.Offset, err)
			}
			if e.Delivery != nil {
				take(e.Delivery)
			}
			next = rec.Offset + 1
		}
	}
	return nil
}

// errNotThere says that the log has no delivery at a place.
var errNotThere = errors.New("the log has no delivery there any more, or never had")

// deliveryAt reads one delivery whole, with its body.
func deliveryAt(ctx context.Context, l *deliveryLog, partition int32, offset int64) (*ingest.LoggedDelivery, error) {
	bounds, err := kafka.Offsets(ctx, l.Config, l.DeliveriesTopic())
	if err != nil {
		return nil, err
	}
	if b, ok := bounds[partition]; !ok || offset < 0 || offset >= b.End {
		return nil, errNotThere
	}
	log := kafka.Log{Config: l.Config, Topic: l.DeliveriesTopic(), Archive: l.archive, Bodies: true}
	r, err := log.Open(ctx, partition, offset)
	if errors.Is(err, kafka.ErrTrimmed) {
		return nil, errNotThere
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	records, err := r.Next(ctx)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || records[0].Offset != offset {
		return nil, errNotThere
	}
	e, err := ingest.DecodeEntry(records[0].Value)
	if err != nil {
		return nil, fmt.Errorf("deliveries/%d at offset %d: %w", partition, offset, err)
	}
	if e.Delivery == nil {
		return nil, errNotThere
	}
	return e.Delivery, nil
}
