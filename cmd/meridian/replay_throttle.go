package main

import (
	"context"
	"sync"
	"time"

	"meridian/streaming"
)

// throttle holds back what is computed beside the numbers that readers see, so
// that webhooks and pages keep their figures: by records a second, and by how many
// processors it may keep busy at once. It changes when things are done, and nothing
// of what comes of them.
type throttle struct {
	procs chan struct{} // nil: any number
	rate  *pace         // nil: any
	spare *spare        // nil: none
}

// turn returns when records may be worked on; done gives the processor back. Work
// that waits for somebody else should not hold it.
func (t *throttle) turn(ctx context.Context, records int) (done func(), err error) {
	if err := t.rate.wait(ctx, records); err != nil {
		return nil, err
	}
	if t.procs == nil {
		return func() {}, nil
	}
	select {
	case t.procs <- struct{}{}:
		t.spare.begin()
		return func() { t.spare.end(); <-t.procs }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lowered is turn for goroutines that do nothing but a history's work: it lowers their
// threads' priority for good.
func (t *throttle) lowered(ctx context.Context, records int) (done func(), err error) {
	stepBack()
	return t.turn(ctx, records)
}

// pace lets so many records through in a second, over all partitions of a run.
type pace struct {
	perSecond float64

	mu   sync.Mutex
	next time.Time // when the next record may go
	let  int64     // records that were let through, or wait for it
}

func (p *pace) passed() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.let
}

func (p *pace) wait(ctx context.Context, records int) error {
	if p == nil || records == 0 {
		return ctx.Err()
	}
	p.mu.Lock()
	p.let += int64(records)
	now := time.Now()
	if p.next.Before(now) {
		p.next = now // what was not used is not saved up
	}
	p.next = p.next.Add(time.Duration(float64(records) / p.perSecond * float64(time.Second)))
	pause := p.next.Sub(now)
	p.mu.Unlock()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// throttleOf returns what holds a run back. Its history and its shards share it,
// and all runs of a process share their processors (replay.max_procs).
func (m *machine) throttleOf(g streaming.Generation, r runRecord) *throttle {
	rate := r.MaxRate
	if rate == 0 {
		rate = m.config.Replay.MaxRate
	}
	m.throttles.Lock()
	defer m.throttles.Unlock()
	if m.throttles.procs == nil && m.config.Replay.MaxProcs > 0 {
		m.throttles.procs = make(chan struct{}, m.config.Replay.MaxProcs)
		m.throttles.spare = &spare{threads: m.config.Replay.MaxProcs}
	}
	if m.throttles.rates == nil {
		m.throttles.rates = map[streaming.Generation]*pace{}
	}
	t := &throttle{procs: m.throttles.procs, spare: m.throttles.spare}
	if rate > 0 {
		if m.throttles.rates[g] == nil {
			m.throttles.rates[g] = &pace{perSecond: float64(rate)}
		}
		t.rate = m.throttles.rates[g]
	}
	return t
}

// throttles are those of a process.
type throttles struct {
	sync.Mutex
	procs chan struct{}
	spare *spare
	rates map[streaming.Generation]*pace
}

// historyTuning is how a history is computed: beside numbers that readers see it is
// held back, and alone it takes what there is. The shards that follow are not lowered:
// they may become the ones that readers see.
func (m *machine) historyTuning(memory int64, t turn, g streaming.GenerationManifest, r runRecord) historyTuning {
	tuning := defaultHistoryTuning(memory)
	if t.Generation != 0 {
		tuning.turn = m.throttleOf(g.Number, r).lowered
	}
	return tuning
}
