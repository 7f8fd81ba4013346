package main

import (
	"context"
	"strings"
	"time"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// remember begins the next generation where a shard of one has no whole snapshot left: it
// cannot start again, and would fail for ever. At a start all are looked through (see
// standing); while they run only what a shard says is a reason to, since it costs a look
// at each snapshot.
func (c *coordinator) remember(ctx context.Context) error {
	if time.Now().Before(c.rememberAt) {
		return nil
	}
	said := c.forgetful()
	if len(said) == 0 {
		return nil
	}
	c.rememberAt = time.Now().Add(rememberEvery)
	all, err := c.manifests()
	if err != nil {
		return err
	}
	course, _, err := c.course()
	if err != nil {
		return err
	}
	for _, g := range all {
		if !said[g.Number] || c.lost(g.Number) || !c.following(g) {
			continue
		}
		why, err := forgotten(ctx, c.m.snapshots, g)
		if err != nil {
			return err
		}
		if why == "" {
			continue // it has come back, as a folder that was away
		}
		c.m.app.log.Error("a shard has no whole snapshot left; its generation is left", "generation", g.Number, "why", why)
		if g.Number == course.Number { // first what follows: what is lost and followed by nothing would stand until a start
			if err := c.begin(ctx, why, 0, nil); err != nil {
				return err
			}
		}
		if err := c.setLost(ctx, g.Number, why); err != nil {
			return err
		}
	}
	return nil
}

// rememberEvery is how long what shards say is not looked into again.
const rememberEvery = 10 * time.Second

// forgetful returns the generations of which a shard, in any process, says that it
// has forgotten what it began with.
func (c *coordinator) forgetful() map[streaming.Generation]bool {
	said := map[streaming.Generation]bool{}
	look := func(sh kafka.ShardStatus) {
		if sh.State == kafka.Failed && strings.Contains(sh.LastError, kafka.ErrForgotten.Error()) {
			said[sh.Generation] = true
		}
	}
	for _, r := range c.list() {
		for _, sh := range append(r.stages.route.Shards(), r.stages.engine.Shards()...) {
			look(sh)
		}
	}
	for _, e := range c.control.All(kafka.ShardKeys) {
		if sh, err := kafka.DecodeShard(e.Value); err == nil {
			look(sh)
		}
	}
	return said
}
