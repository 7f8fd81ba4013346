package main

import (
	"context"
	"errors"
	"time"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// beginWork finds what may run, and looks whether it fits the log and the tables. A
// broker that goes away meanwhile ends nothing: webhooks are refused as long, and
// when it is back the coordinator goes on from where it was.
func (c *coordinator) beginWork(ctx context.Context, release func(streaming.Clock)) error {
	var g streaming.GenerationManifest
	err := c.insist(ctx, func() (err error) {
		g, err = c.first(ctx)
		return err
	})
	if err != nil || ctx.Err() != nil {
		return err
	}
	release(c.m.lastTick(g))
	select {
	case <-c.m.tables:
	case <-ctx.Done():
		return nil
	}
	return c.insist(ctx, func() error { return c.standing(ctx) })
}

// insist does something until it works, where the broker is somebody else's and
// may be away. What no waiting mends ends it: a wrong number of partitions, and
// whatever has an exit code of its own.
func (c *coordinator) insist(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if c.m.log.Embedded || errors.Is(err, kafka.ErrPartitions) || codeOf(err) != exitError && codeOf(err) != exitUnavailable {
			return err
		}
		c.m.app.log.Warn("generations wait for the broker or the database; it is tried again", "error", err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil
		}
	}
}
