package main

import (
	"context"
	"time"

	"meridian/storage"
	"meridian/streaming/timeline"
)

// retainEvery is how often the tables are looked at for months that are too old. It
// reads the list of partitions, which takes a millisecond.
const retainEvery = 10 * time.Minute

// retainRows drops what is older than retention.points, of every generation, until
// ctx ends.
func (m *machine) retainRows(ctx context.Context) error {
	keep := m.config.Retention.Points.Millis()
	if keep <= 0 {
		<-ctx.Done()
		return nil
	}
	select {
	case <-m.tables:
	case <-ctx.Done():
		return nil
	}
	again := time.NewTicker(retainEvery)
	defer again.Stop()
	for {
		from := storage.Kept(timeline.FromTime(time.Now()), keep)
		n, err := m.database.Retain(ctx, from)
		switch {
		case err != nil && ctx.Err() == nil:
			m.app.log.Warn("old rows are not dropped yet; it is tried again", "before", from, "error", err)
		case n > 0:
			m.app.log.Info("rows older than retention.points are dropped", "before", from, "partitions", n)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
	}
}
