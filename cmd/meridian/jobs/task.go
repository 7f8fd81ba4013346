package jobs

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"meridian/streaming/timeline"
)

// Task is a job that runs.
type Task struct {
	manager *Manager

	mu    sync.Mutex
	job   Job
	began timeline.Millis // this run
	first float64         // share at its first report, where an interrupted job goes on
	done  int64
	seen  bool
	shown timeline.Millis
	saved timeline.Millis
}

// Job returns the job as it is.
func (t *Task) Job() Job {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.job
}

// Spec reads what was asked for.
func (t *Task) Spec(to any) error { return json.Unmarshal(t.Job().Spec, to) }

// Saved returns what an earlier run has saved last; nil: nothing.
func (t *Task) Saved() []byte {
	data, _ := t.manager.store.Get(savedKeys + t.Job().ID)
	return data
}

// How often is stored. Each costs the log a synced write.
const (
	showEvery = timeline.Second
	saveEvery = 2 * timeline.Second
)

// Save keeps where to go on after a crash. Unless it must, it leaves some out:
// what is read twice counts once.
func (t *Task) Save(ctx context.Context, must bool, state func() ([]byte, error)) error {
	now := timeline.FromTime(t.manager.now())
	t.mu.Lock()
	due := must || now-t.saved >= saveEvery
	if due {
		t.saved = now
	}
	t.mu.Unlock()
	if !due {
		return nil
	}
	data, err := state()
	if err != nil {
		return err
	}
	return t.manager.store.Put(ctx, savedKeys+t.Job().ID, data)
}

// Report shows how far the job is. Rate and ETA are of this run.
func (t *Task) Report(ctx context.Context, p Progress) {
	now := timeline.FromTime(t.manager.now())
	t.mu.Lock()
	if !t.seen {
		t.seen, t.first, t.done = true, p.Share, p.Done
	}
	p.At = now
	if passed := time.Duration(now-t.began) * time.Millisecond; passed >= time.Second {
		p.Rate = float64(p.Done-t.done) / passed.Seconds()
		if gained := p.Share - t.first; gained > 0.001 {
			p.ETA = int64(passed.Seconds() * (1 - p.Share) / gained)
		}
	}
	t.job.Progress = p
	due := now-t.shown >= showEvery
	if due {
		t.shown = now
	}
	j := t.job
	t.mu.Unlock()
	if due {
		if err := t.manager.put(ctx, j); err != nil && ctx.Err() == nil {
			t.manager.log.Warn("the progress of a job could not be stored", "job", j.ID, "error", err)
		}
	}
}
