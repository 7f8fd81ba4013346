package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// dropAfter is how long other processes may take to leave a generation, and
// requests that began before a turn to end.
const dropAfter = 30 * time.Second

// tidy takes the rows of what was replaced out of the live tables, and drops what
// nobody needs: superseded generations, and those replaced that are not kept
// (generations.keep, for 7 days at most). Runs are dropped when somebody says so.
func (c *coordinator) tidy(ctx context.Context) error {
	t, err := c.live()
	if err != nil || t.Generation == 0 || time.Since(t.At) < c.dropAfter {
		return err
	}
	if _, any, err := c.promoting(); err != nil || any {
		return err
	}
	if err := c.sendBack(ctx, t); err != nil {
		return err
	}
	course, any, err := c.course()
	if err != nil || !any {
		return err
	}
	all, err := c.manifests()
	if err != nil {
		return err
	}
	for _, g := range all {
		if err := c.emptyAudit(ctx, g); err != nil {
			return err
		}
		needed, err := c.needed(g, t, course.Number)
		if err != nil {
			return err
		}
		if needed {
			continue
		}
		if err := c.drop(ctx, g); err != nil {
			return err
		}
	}
	return c.sweep(ctx, t)
}

// needed reports whether a generation has to stay.
func (c *coordinator) needed(g streaming.GenerationManifest, t turn, course streaming.Generation) (bool, error) {
	if g.Number == t.Generation || g.Number >= course || t.kept(g.Number, c.m.config.Generations.Keep, time.Now()) {
		return true, nil
	}
	for _, before := range t.Before {
		if before == g.Number {
			return false, nil // and not kept
		}
	}
	r, err := c.runOf(g.Number)
	return r.Kind != runUpgrade, err
}

// emptyAudit removes what an audit that is over has computed. Its report stays.
func (c *coordinator) emptyAudit(ctx context.Context, g streaming.GenerationManifest) error {
	r, err := c.runOf(g.Number)
	if err != nil || r.Audit == nil || r.Emptied || time.Since(r.Ended.Time()) < c.dropAfter {
		return err
	}
	if err := c.empty(ctx, g); err != nil {
		return err
	}
	r.Emptied = true
	return c.setRun(ctx, g.Number, r)
}

// sendBack takes the rows of the generation that was replaced last out of the live
// tables, once for each turn.
func (c *coordinator) sendBack(ctx context.Context, t turn) error {
	if len(t.Before) == 0 || c.sentBack == t.Sequence {
		return nil
	}
	if _, ok, err := c.manifestOf(t.Before[0]); err != nil || !ok {
		return err
	}
	if err := c.m.database.Back(ctx, t.Before[0]); err != nil {
		return err
	}
	c.sentBack = t.Sequence
	return nil
}

// drop removes all that there is of a generation: its topic, groups, snapshots, files
// and rows, and last its records.
func (c *coordinator) drop(ctx context.Context, g streaming.GenerationManifest) error {
	if err := c.empty(ctx, g); err != nil {
		return err
	}
	if err := c.forget(ctx, g); err != nil {
		return err
	}
	c.m.app.log.Info("a generation is dropped", "generation", g.Number)
	c.sweepAt = time.Now().Add(c.dropAfter) // for what somebody writes who has not noticed
	return nil
}

// empty removes everything but the records.
func (c *coordinator) empty(ctx context.Context, g streaming.GenerationManifest) error {
	if p := c.past[g.Number]; p != nil {
		c.stopHistory(p)
	}
	shards := []string{kafka.ShardName("history", g.Number, 0)}
	for p := range c.m.log.partitions {
		shards = append(shards, kafka.ShardName("route", g.Number, p))
	}
	for p := range g.EventsPartitions {
		shards = append(shards, kafka.ShardName("engine", g.Number, p))
	}
	if _, err := c.dropTopics(ctx, g.Number); err != nil {
		return err
	}
	for _, shard := range shards {
		if err := c.m.snapshots.Forget(ctx, shard); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(c.m.instance.path("history", fmt.Sprint(g.Number))); err != nil {
		return err
	}
	return c.m.database.Drop(ctx, g.Number)
}
