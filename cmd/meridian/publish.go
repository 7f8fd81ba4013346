package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"meridian/metrics"
	"meridian/streaming"
)

// publishedKey is the control key of the last turn whose points the topic has all.
const publishedKey = "published"

// publisher is the shard that a whole generation is published as; no engine has it.
const publisher = -1

// publishTurns gives the topic of points all those of a generation when readers
// begin to see it: it wrote none while it was beside. An embedded broker, which
// nobody else can reach and which keeps a day, has only what is emitted from then
// on. It runs until ctx ends, and begins again after a crash: points are equal.
func (m *machine) publishTurns(ctx context.Context) error {
	if m.log.Embedded {
		<-ctx.Done()
		return nil
	}
	select {
	case <-m.tables:
	case <-ctx.Done():
		return nil
	}
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		if err := m.publishTurn(ctx); err != nil && ctx.Err() == nil {
			m.app.log.Warn("the topic of points does not have all of them yet; it is tried again", "error", err)
			select {
			case <-time.After(5 * time.Second):
			case <-ctx.Done():
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
	}
}

func (m *machine) publishTurn(ctx context.Context) error {
	t, err := m.room.live()
	if err != nil || t.Generation == 0 {
		return err
	}
	last, _ := m.control.Get(publishedKey)
	if n, err := strconv.ParseUint(string(last), 10, 64); err == nil && n >= t.Sequence {
		return nil
	}
	if err := m.publishAll(ctx, t.Generation, t.Sequence); err != nil {
		return err
	}
	return m.control.Put(ctx, publishedKey, fmt.Append(nil, t.Sequence))
}

// publishAll writes every point of a generation to the topic.
func (m *machine) publishAll(ctx context.Context, g streaming.Generation, turn uint64) error {
	definitions, err := definitionsOf(m.config.Metrics.Disabled, variationsOf(m.config.Metrics))
	if err != nil {
		return err
	}
	sink := pointTopic(m.log)
	defer sink.Close()
	var piece []sidePoint
	err = m.database.NewReader().Knowing(definitions...).Scan(ctx, g, func(p *metrics.Point) error {
		piece = append(piece, sidePoint{p, turn})
		if len(piece) < 10_000 {
			return nil
		}
		err := sink.Put(ctx, publisher, piece)
		piece = piece[:0]
		return err
	})
	if err != nil {
		return err
	}
	return sink.Put(ctx, publisher, piece)
}
