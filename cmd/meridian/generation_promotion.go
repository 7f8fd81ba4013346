package main

import (
	"context"
	"encoding/json"
	"fmt"

	"meridian/streaming"
)

// promotion is a turn that is being taken. Its record in control is what makes it
// go on after a crash: whoever coordinates then does the step that it names, and
// each can be done again.
type promotion struct {
	Generation streaming.Generation `json:"generation"`
	Step       promotionStep        `json:"step"`
	Round      streaming.Round      `json:"round,omitempty"` // its shards stand there, or beyond
	Sequence   uint64               `json:"sequence"`        // of the turn
	Rollback   bool                 `json:"rollback,omitempty"`
	By         string               `json:"by,omitempty"`
}

// promotionStep is one step of a promotion.
type promotionStep string

const (
	stepCatchUp promotionStep = "catch up" // until it is as far as the one that readers see
	stepPause   promotionStep = "pause"    // its shards apply rounds up to R, flush, keep a snapshot and say so
	stepMove    promotionStep = "move"     // its rows go into the live tables
	stepFlip    promotionStep = "flip"     // one row: readers see it
)

const (
	promotionKey = "promotion"
	pausedKeys   = "paused/"
)

// promoting returns the turn that is being taken, if any.
func (l ledger) promoting() (p promotion, any bool, err error) {
	data, ok := l.control.Get(promotionKey)
	if !ok {
		return p, false, nil
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, false, fmt.Errorf("the record of a promotion cannot be read: %w", err)
	}
	return p, true, nil
}

func (l ledger) setPromotion(ctx context.Context, p promotion) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return l.control.Put(ctx, promotionKey, data)
}

// pausedAnswer is what a shard says when it stands for a promotion: its rows are
// durable, its snapshot too, and it writes nothing more until it may.
type pausedAnswer struct {
	Sequence uint64          `json:"sequence"` // of the promotion
	Clock    streaming.Clock `json:"clock"`
}

func pausedKey(g streaming.Generation, shard int32) string {
	return fmt.Sprintf("%s/%05d", numbered(pausedKeys, g), shard)
}

func (l ledger) setPaused(ctx context.Context, g streaming.Generation, shard int32, a pausedAnswer) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return l.control.Put(ctx, pausedKey(g, shard), data)
}

// paused counts the shards that stand for a promotion.
func (l ledger) paused(p promotion) (n int32) {
	for _, e := range l.control.All(numbered(pausedKeys, p.Generation) + "/") {
		var a pausedAnswer
		if json.Unmarshal(e.Value, &a) == nil && a.Sequence == p.Sequence && a.Clock >= p.Round.Clock() {
			n++
		}
	}
	return n
}

// endPromotion forgets a promotion that is over, or that was given up.
func (l ledger) endPromotion(ctx context.Context, g streaming.Generation) error {
	for _, e := range l.control.All(numbered(pausedKeys, g) + "/") {
		if err := l.control.Delete(ctx, e.Key); err != nil {
			return err
		}
	}
	if _, any := l.control.Get(promotionKey); !any {
		return nil
	}
	return l.control.Delete(ctx, promotionKey)
}
