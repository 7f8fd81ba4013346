package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"meridian/ingest"
	"meridian/ingest/backfill"
	"meridian/streaming/timeline"
)

// backfillRate is how many deliveries a second a backfill appends at most, so that
// webhooks keep their figures: an API rarely gives as many, but a fast Enterprise
// server may.
const backfillRate = 150

// Besides, an import rests after each delivery, twice as long as that took: where
// the machine or the log is busy everything takes longer, and an import makes room.
const (
	backfillRest = 2
	longestRest  = 2 * time.Second
)

// apiLog appends what is read from an API.
type apiLog struct {
	to       ingest.Appender
	decoders map[string]ingest.Decoder
	appended func(*ingest.LoggedDelivery)
	pace     *rate.Limiter
	rested   time.Time // when the next may go

	oldest timeline.Millis // of all facts; 0: none
}

func (m *machine) newAPILog() *apiLog {
	return &apiLog{
		to: appendTo{m.door.appender}, decoders: decoders(m.currentCatalog()), appended: m.door.ticker.Delivered,
		pace: rate.NewLimiter(backfillRate, backfillRate),
	}
}

// Deliver implements backfill.Log.
func (l *apiLog) Deliver(ctx context.Context, d ingest.Delivery) error {
	if err := l.pace.Wait(ctx); err != nil {
		return err
	}
	if err := (backfill.WallClock{}).Sleep(ctx, time.Until(l.rested)); err != nil {
		return err
	}
	began := time.Now()
	defer func() {
		now := time.Now()
		l.rested = now.Add(min(backfillRest*now.Sub(began), longestRest))
	}()
	d.ViaAPI, d.Received = true, timeline.FromTime(time.Now())
	key, logged := ingest.DecodeArchived(l.decoders[d.Provider], d)
	if err := l.to.Append(ctx, key, ingest.Entry{Delivery: logged}); err != nil {
		return fmt.Errorf("the log does not take what was read: %w", err)
	}
	l.appended(logged)
	for i := range logged.Events {
		if t := logged.Events[i].Time; logged.Events[i].Defect == "" && (l.oldest == 0 || t < l.oldest) {
			l.oldest = t
		}
	}
	return nil
}

// Cover implements backfill.Log.
func (l *apiLog) Cover(ctx context.Context, key string, c ingest.Coverage) error {
	if err := l.to.Append(ctx, key, ingest.Entry{Coverage: &c}); err != nil {
		return fmt.Errorf("the log does not take what was read: %w", err)
	}
	return nil
}
