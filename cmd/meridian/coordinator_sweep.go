package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// sweepEvery is how often strays are looked for: what is left of generations that
// nobody knows any more, and rows that lie in the wrong half. It reads lists of
// partitions, topics and groups.
const sweepEvery = time.Minute

// sweep removes rows, topics and groups of generations that are gone: written by a
// process that was thought dead while its run was dropped, left by a drop or a
// beginning that was cut off. And it brings after what such a process wrote into the
// replay tables of the generation that readers see, when it had not heard of its
// promotion.
//
// One that was replaced and has not noticed may not take for a stray what its successor
// begins: a number is given first, then come topic and manifest. So it touches only
// numbers up to the highest that was given before it looked for manifests, and only what
// was a stray a sweep before, too. Rows that may be of another instance in the same
// database, or of a log that is gone, are left alone: nobody could compute them again.
func (c *coordinator) sweep(ctx context.Context, t turn) error {
	if time.Now().Before(c.sweepAt) {
		return nil
	}
	c.sweepAt = time.Now().Add(c.sweepEvery)
	if whole, err := c.m.database.Confirmed(ctx, t.Generation); err != nil {
		return err
	} else if !whole {
		c.m.app.log.Info("rows of the generation that readers see are brought after", "generation", t.Generation)
		if err := c.m.database.Promote(ctx, t.Generation); err != nil {
			return err
		}
	}
	highest, err := c.highest() // first: what is begun from here on has a higher number
	if err != nil {
		return err
	}
	ours, err := c.ours()
	if err != nil {
		return err
	}
	all, err := c.manifests()
	if err != nil {
		return err
	}
	rows, err := c.m.database.Generations(ctx)
	if err != nil {
		return err
	}
	left, err := kafka.Generations(ctx, c.m.log.Config, computingStages...)
	if errors.Is(err, kafka.ErrGroupsHidden) && ctx.Err() == nil {
		c.warnOnce("consumer groups cannot be listed: those of generations that are gone may stay on the broker", "error", err)
		err = nil
	}
	if err != nil {
		return err
	}
	stray := c.stray(slices.Concat(rows, left), time.Now(), func(g streaming.Generation) bool {
		return g != 0 && g != t.Generation && g <= highest && !slices.ContainsFunc(all, func(m streaming.GenerationManifest) bool { return m.Number == g })
	})
	for _, g := range rows {
		if !stray(g) {
			continue
		}
		if !ours(g) {
			c.warnOnce("rows of generations that this log has not numbered are left alone: another instance has them, which needs a database of its own, "+
				"or they are of a log that is gone; then delete them in ClickHouse", "generation", g)
			continue
		}
		if err := c.m.database.Drop(ctx, g); err != nil && !errors.Is(err, storage.ErrCurrent) {
			return err
		}
		c.m.app.log.Info("rows are removed of a generation that is gone", "generation", g)
	}
	for _, g := range left {
		if !stray(g) {
			continue
		}
		gone, err := c.dropTopics(ctx, g)
		if err != nil {
			return err
		}
		if !gone {
			continue
		}
		c.m.app.log.Info("what the broker had of a generation is removed", "generation", g)
	}
	return nil
}

// stray says which of those that were found are gone: nobody knows them now, nor did
// anybody a sweep before.
func (c *coordinator) stray(found []streaming.Generation, now time.Time, unknown func(streaming.Generation) bool) func(streaming.Generation) bool {
	seen := map[streaming.Generation]time.Time{}
	for _, g := range found {
		if !unknown(g) {
			continue
		}
		seen[g] = now
		if first, ok := c.strays[g]; ok {
			seen[g] = first
		}
	}
	c.strays = seen
	return func(g streaming.Generation) bool {
		first, ok := seen[g]
		return ok && now.Sub(first) >= c.sweepEvery
	}
}

// computingStages are the stages of a generation that have a consumer group each.
var computingStages = []string{"route", "engine"}

// dropTopics removes what the broker has of a generation, and reports whether all of
// it is gone. A group that somebody is still a member of, as one who has died is for
// some seconds, is left to the next sweep. What the broker does not let go is said once
// and holds nothing else up: groups have only offsets, and of a topic that stays an
// erasure says so.
func (c *coordinator) dropTopics(ctx context.Context, g streaming.Generation) (gone bool, err error) {
	gone = true
	topic := c.m.log.EventsTopic(g)
	if err := c.dropTopic(ctx, c.m.log.Config, topic); kafka.Denied(err) {
		gone = false
		c.warnOnce("the broker does not let Meridian delete topics of generations that are gone: allow it (DELETE on topics), or delete them by hand", "topic", topic, "error", err)
	} else if err != nil {
		return false, err
	}
	var groups []string
	for _, stage := range computingStages {
		groups = append(groups, c.m.log.Group(stage, g))
	}
	err = c.dropGroups(ctx, c.m.log.Config, groups...)
	switch {
	case err == nil:
		return gone, nil
	case ctx.Err() != nil:
		return false, err
	case !errors.Is(err, kafka.ErrGroupInUse):
		c.warnOnce("consumer groups of generations that are gone cannot be deleted (DELETE on groups); they hold nothing but offsets", "groups", groups, "error", err)
	}
	return false, nil
}

// warnOnce says a warning the first time that it is due in this process.
func (c *coordinator) warnOnce(text string, args ...any) {
	if !c.warned[text] {
		c.warned[text] = true
		c.m.app.log.Warn(text, args...)
	}
}
