package main

import (
	"context"

	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// takeTurns has the shards of a generation that is being promoted stand, says so in
// control, and lets them go on when readers see it, writing live.
func (r *room) takeTurns(ctx context.Context, t turn) error {
	p, any, err := r.promoting()
	if err != nil {
		return err
	}
	for _, run := range r.list() {
		g := run.manifest.Number
		switch {
		case g == t.Generation:
			if run.side != storage.Live {
				// Nothing is written between the two: its shards stand, flushed.
				if err := run.sink.Use(ctx, storage.Live); err != nil {
					if ctx.Err() != nil {
						return nil
					}
					return err
				}
				run.side = storage.Live
			}
			r.goOn(run)
		case any && p.Generation == g:
			r.stand(run, p)
			if err := r.answer(ctx, run, p); err != nil && ctx.Err() == nil {
				r.m.app.log.Warn("that a shard stands cannot be said; it is tried again", "generation", g, "error", err)
			}
		default:
			r.goOn(run)
		}
	}
	return nil
}

// stand makes the shards of a run stand at a promotion's round.
func (r *room) stand(run *running, p promotion) {
	if p.Generation != run.manifest.Number || p.Step == stepCatchUp || run.stands == p.Sequence {
		return
	}
	run.stands = p.Sequence
	clear(run.answered)
	run.stages.engine.Pause(p.Round)
}

func (r *room) goOn(run *running) {
	if run.stands == 0 {
		return
	}
	run.stands = 0
	run.stages.engine.Resume()
}

// answer says of each shard that stands here, once, that it does.
func (r *room) answer(ctx context.Context, run *running, p promotion) error {
	if run.stands != p.Sequence {
		return nil
	}
	for _, sh := range run.stages.engine.Shards() {
		if sh.State != kafka.Paused || sh.Clock < p.Round.Clock() || run.answered[sh.Partition] {
			continue
		}
		if err := r.setPaused(ctx, run.manifest.Number, sh.Partition, pausedAnswer{Sequence: p.Sequence, Clock: sh.Clock}); err != nil {
			return err
		}
		run.answered[sh.Partition] = true
	}
	return nil
}

// tuning is how the shards of a generation run: those of one that readers do not
// see are held back.
func (r *room) tuning(g streaming.Generation, record runRecord) stagesTuning {
	t := defaultStagesTuning()
	throttle := r.m.throttleOf(g, record)
	held := func(count bool) func(context.Context, int) (func(), error) {
		return func(ctx context.Context, records int) (func(), error) {
			if now, err := r.live(); err != nil || now.Generation == g || now.Generation == 0 {
				return func() {}, nil
			}
			if !count {
				records = 0
			}
			return throttle.turn(ctx, records)
		}
	}
	t.route.Turn, t.engine.Turn = held(true), held(false)
	return t
}
