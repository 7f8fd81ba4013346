package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"meridian/streaming/timeline"
)

// Store keeps jobs. A value is durable when Put returns. Safe for concurrent use.
type Store interface {
	Put(ctx context.Context, key string, value []byte) error
	Delete(ctx context.Context, key string) error
	Get(key string) ([]byte, bool)
	All(prefix string) map[string][]byte

	// Watch calls changed for each key there is that begins with prefix, and after
	// each change of one, until ctx ends: what was put just before is not missed.
	Watch(ctx context.Context, prefix string, changed func(key string))
}

// Keys of the store.
const (
	Keys       = "jobs/"
	jobKeys    = "jobs/job/"
	cancelKeys = "jobs/cancel/"
	savedKeys  = "jobs/saved/"
)

// keepJobs is how many jobs that are over are kept.
const keepJobs = 50

// Func is what a kind of job does. It returns when it is done, when ctx ends, or
// when it cannot go on; an error that wraps [ErrPartly] comes with a result.
type Func func(ctx context.Context, t *Task) (result any, err error)

// Manager is the jobs of an instance.
type Manager struct {
	store Store
	kinds map[Kind]Func
	log   *slog.Logger
	now   func() time.Time

	mu      sync.Mutex
	current string // that runs here
	stop    context.CancelCauseFunc
}

// New returns a manager. now may be nil.
func New(store Store, kinds map[Kind]Func, log *slog.Logger, now func() time.Time) *Manager {
	if now == nil {
		now = time.Now
	}
	return &Manager{store: store, kinds: kinds, log: log, now: now}
}

// Start asks for a job; whoever runs jobs will take it up.
func (m *Manager) Start(ctx context.Context, kind Kind, what string, spec any) (Job, error) {
	data, err := json.Marshal(spec)
	if err != nil {
		return Job{}, err
	}
	for _, j := range m.List() {
		if !j.State.Over() && j.Kind == kind && string(j.Spec) == string(data) {
			return j, nil // the same was asked for already: a second click, a second gap
		}
	}
	now := timeline.FromTime(m.now())
	j := Job{ID: fmt.Sprintf("%013d-%s", int64(now), strings.ToLower(rand.Text()[:6])), Kind: kind, What: what, Spec: data, State: Queued, Queued: now}
	return j, m.put(ctx, j)
}

// Cancel ends a job, or keeps a queued one from beginning.
func (m *Manager) Cancel(ctx context.Context, id string) error {
	j, ok := m.Get(id)
	switch {
	case !ok:
		return ErrNoJob
	case j.State.Over():
		return ErrOver
	}
	return m.store.Put(ctx, cancelKeys+id, []byte("1"))
}

// Get returns a job.
func (m *Manager) Get(id string) (Job, bool) {
	data, ok := m.store.Get(jobKeys + id)
	if !ok {
		return Job{}, false
	}
	var j Job
	err := json.Unmarshal(data, &j)
	return j, err == nil
}

// List returns all jobs, the newest first.
func (m *Manager) List() []Job {
	var list []Job
	for _, data := range m.store.All(jobKeys) {
		var j Job
		if json.Unmarshal(data, &j) == nil {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b Job) int { return cmp.Compare(b.ID, a.ID) })
	return list
}

func (m *Manager) put(ctx context.Context, j Job) error {
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return m.store.Put(ctx, jobKeys+j.ID, data)
}

// Run runs jobs, one at a time and the oldest first, until ctx ends. One process
// of an instance does.
func (m *Manager) Run(ctx context.Context) error {
	wake := make(chan struct{}, 1)
	watch, stop := context.WithCancel(ctx)
	defer stop()
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		m.store.Watch(watch, Keys, func(key string) {
			if id, ok := strings.CutPrefix(key, cancelKeys); ok {
				m.interrupt(id)
			}
			select {
			case wake <- struct{}{}:
			default:
			}
		})
	}()
	defer func() { stop(); <-watching }()
	for ctx.Err() == nil {
		j, ok := m.next()
		if ok {
			m.run(ctx, j)
			continue
		}
		select {
		case <-wake:
		case <-ctx.Done():
		}
	}
	return nil
}

// next is the oldest job that is not over.
func (m *Manager) next() (Job, bool) {
	list := m.List()
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].State.Over() {
			return list[i], true
		}
	}
	return Job{}, false
}

func (m *Manager) interrupt(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.current == id && m.stop != nil {
		m.stop(errCancelled)
	}
}

var errCancelled = errors.New("the job was cancelled")

func (m *Manager) run(ctx context.Context, j Job) {
	jobCtx, stop := context.WithCancelCause(ctx)
	m.mu.Lock()
	m.current, m.stop = j.ID, stop
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		m.current, m.stop = "", nil
		m.mu.Unlock()
		stop(nil)
	}()
	if _, cancelled := m.store.Get(cancelKeys + j.ID); cancelled {
		stop(errCancelled)
	}
	now := timeline.FromTime(m.now())
	if j.Begun == 0 {
		j.Begun = now
	}
	j.State, j.Runs = Running, j.Runs+1
	t := &Task{manager: m, job: j, began: now}
	var result any
	err := m.put(ctx, j)
	if err == nil {
		if do := m.kinds[j.Kind]; do == nil {
			err = fmt.Errorf("this version has no job of the kind %q", j.Kind)
		} else if jobCtx.Err() == nil {
			result, err = do(jobCtx, t)
		} else {
			err = jobCtx.Err()
		}
	}
	if ctx.Err() != nil {
		return // the process stops: the job goes on at the next start
	}
	m.end(ctx, t, result, err, errors.Is(context.Cause(jobCtx), errCancelled))
}

// end stores how a job ended, and forgets what it had saved.
func (m *Manager) end(ctx context.Context, t *Task, result any, err error, cancelled bool) {
	t.mu.Lock()
	j := t.job
	t.mu.Unlock()
	j.Ended = timeline.FromTime(m.now())
	switch {
	case cancelled && err != nil:
		j.State = Cancelled
	case errors.Is(err, ErrPartly):
		j.State, j.Error = Partly, err.Error()
	case err != nil:
		j.State, j.Error = Failed, err.Error()
		m.log.Error("a job failed", "job", j.ID, "kind", j.Kind, "error", err)
	default:
		j.State, j.Progress.Share, j.Progress.ETA = Done, 1, 0
	}
	if result != nil {
		if data, err := json.Marshal(result); err == nil {
			j.Result = data
		}
	}
	m.settle(ctx, j)
	m.log.Info("a job is over", "job", j.ID, "kind", j.Kind, "what", j.What, "state", j.State)
}

// Waits between attempts to store how a job ended.
const (
	firstSettle = time.Second
	lastSettle  = time.Minute
)

// settle stores how a job ended, and tries until it is: a job whose end is not
// stored would be begun again at once, for ever. It gives up with the process; the
// job then goes on at the next start, which is harmless.
func (m *Manager) settle(ctx context.Context, j Job) {
	for wait := firstSettle; ; wait = min(2*wait, lastSettle) {
		err := m.put(ctx, j)
		if err == nil { // the rest is tidying, and is done with a later job where it fails
			err = errors.Join(m.store.Delete(ctx, savedKeys+j.ID), m.store.Delete(ctx, cancelKeys+j.ID), m.forget(ctx))
			if err != nil {
				m.log.Warn("what a job had saved could not be removed", "job", j.ID, "error", err)
			}
			return
		}
		m.log.Error("the end of a job could not be stored, and is tried again", "job", j.ID, "error", err, "after", wait)
		again := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			again.Stop()
			return
		case <-again.C:
		}
	}
}

// forget drops the oldest jobs that are over.
func (m *Manager) forget(ctx context.Context) (err error) {
	kept := 0
	for _, j := range m.List() {
		if !j.State.Over() {
			continue
		}
		if kept++; kept > keepJobs {
			err = errors.Join(err, m.store.Delete(ctx, jobKeys+j.ID))
		}
	}
	return err
}
