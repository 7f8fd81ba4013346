package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"
)

// fake is a clock that a test sets.
type fake struct {
	mu  sync.Mutex
	now time.Time
}

func newFake() *fake { return &fake{now: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)} }

func (f *fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fake) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func manager(store Store, clock *fake, kinds map[Kind]Func) *Manager {
	return New(store, kinds, slog.New(slog.DiscardHandler), clock.Now)
}

// start runs a manager until the function that it returns is called.
func start(t *testing.T, m *Manager) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := m.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

// over waits until a job is over.
func over(t *testing.T, store *Memory, m *Manager, id string) Job {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last Job
	store.Watch(ctx, jobKeys+id, func(string) {
		if j, ok := m.Get(id); ok && j.State.Over() {
			last = j
			cancel()
		}
	})
	if !last.State.Over() {
		t.Fatalf("the job %s did not end", id)
	}
	return last
}

func ask(t *testing.T, m *Manager, clock *fake, kind Kind, spec any) Job {
	t.Helper()
	clock.pass(time.Second) // jobs are in order of when they were asked for
	j, err := m.Start(t.Context(), kind, fmt.Sprint(spec), spec)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestManager_OneAfterAnother(t *testing.T) {
	store, clock := new(Memory), newFake()
	var mu sync.Mutex
	var order []string
	running := 0
	m := manager(store, clock, map[Kind]Func{"note": func(_ context.Context, task *Task) (any, error) {
		mu.Lock()
		running++
		if running != 1 {
			t.Error("two jobs run at once")
		}
		mu.Unlock()
		var name string
		err := task.Spec(&name)
		mu.Lock()
		defer mu.Unlock()
		running--
		order = append(order, name)
		return len(name), err
	}})
	ask(t, m, clock, "note", "a")
	ask(t, m, clock, "note", "bb")
	start(t, m)
	last := over(t, store, m, ask(t, m, clock, "note", "ccc").ID)
	if !slices.Equal(order, []string{"a", "bb", "ccc"}) {
		t.Errorf("they ran as %q", order)
	}
	if last.State != Done || string(last.Result) != "3" || last.Progress.Share != 1 || last.Runs != 1 {
		t.Errorf("the last is %+v", last)
	}
}

func TestManager_HowJobsEnd(t *testing.T) {
	store, clock := new(Memory), newFake()
	m := manager(store, clock, map[Kind]Func{
		"fail":   func(context.Context, *Task) (any, error) { return nil, errors.New("no disk") },
		"partly": func(context.Context, *Task) (any, error) { return 7, fmt.Errorf("1 of 2: %w", ErrPartly) },
	})
	start(t, m)
	for _, c := range []struct {
		kind   Kind
		state  State
		err    string
		result string
	}{
		{"fail", Failed, "no disk", ""},
		{"partly", Partly, "1 of 2: " + ErrPartly.Error(), "7"},
		{"unknown", Failed, `this version has no job of the kind "unknown"`, ""},
	} {
		j := over(t, store, m, ask(t, m, clock, c.kind, 1).ID)
		if j.State != c.state || j.Error != c.err || string(j.Result) != c.result {
			t.Errorf("%s: %s %q %s", c.kind, j.State, j.Error, j.Result)
		}
		if err := m.Cancel(t.Context(), j.ID); !errors.Is(err, ErrOver) {
			t.Errorf("%s: cancelled after its end: %v", c.kind, err)
		}
	}
	if err := m.Cancel(t.Context(), "none"); !errors.Is(err, ErrNoJob) {
		t.Errorf("%v", err)
	}
}

func TestManager_Cancel(t *testing.T) {
	store, clock := new(Memory), newFake()
	begun := make(chan string)
	m := manager(store, clock, map[Kind]Func{"wait": func(ctx context.Context, task *Task) (any, error) {
		begun <- task.Job().ID
		<-ctx.Done()
		return "so far", ctx.Err()
	}})
	first, second := ask(t, m, clock, "wait", 1), ask(t, m, clock, "wait", 2)
	start(t, m)
	if id := <-begun; id != first.ID {
		t.Fatalf("%s began first", id)
	}
	for _, id := range []string{second.ID, first.ID} { // the queued one, then the one that runs
		if err := m.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if j := over(t, store, m, first.ID); j.State != Cancelled || string(j.Result) != `"so far"` || j.Error != "" {
		t.Errorf("the one that ran: %+v", j)
	}
	if j := over(t, store, m, second.ID); j.State != Cancelled || len(j.Result) != 0 {
		t.Errorf("the queued one has begun: %+v", j)
	}
}

// A process that stops leaves its job as running; the next goes on from what it
// has saved, and forgets that at the end.
func TestManager_GoesOn(t *testing.T) {
	store, clock := new(Memory), newFake()
	saved := make(chan struct{})
	m := manager(store, clock, map[Kind]Func{"read": func(ctx context.Context, task *Task) (any, error) {
		if task.Saved() != nil {
			t.Error("there is something saved before the first run")
		}
		for i, must := range []bool{false, false, true} { // the second comes too soon
			if err := task.Save(ctx, must, func() ([]byte, error) { return fmt.Appendf(nil, "page %d", i), nil }); err != nil {
				t.Error(err)
			}
			if i == 1 && string(task.Saved()) != "page 0" {
				t.Errorf("saved %q", task.Saved())
			}
		}
		close(saved)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	j := ask(t, m, clock, "read", 1)
	stop := start(t, m)
	<-saved
	stop()
	if now, _ := m.Get(j.ID); now.State != Running || now.Runs != 1 {
		t.Fatalf("after the stop: %+v", now)
	}
	next := manager(store, clock, map[Kind]Func{"read": func(_ context.Context, task *Task) (any, error) { return string(task.Saved()), nil }})
	begun, _ := m.Get(j.ID)
	clock.pass(time.Hour)
	start(t, next)
	end := over(t, store, next, j.ID)
	if end.State != Done || string(end.Result) != `"page 2"` || end.Runs != 2 || end.Begun != begun.Begun {
		t.Errorf("%+v", end)
	}
	over(t, store, next, ask(t, next, clock, "read", 2).ID) // behind what the end of the first has written
	if _, still := store.Get(savedKeys + j.ID); still {
		t.Error("what was saved is kept")
	}
}

func TestManager_TheSameIsOneJob(t *testing.T) {
	store, clock := new(Memory), newFake()
	m := manager(store, clock, map[Kind]Func{"a": func(context.Context, *Task) (any, error) { return nil, nil }})
	first := ask(t, m, clock, "a", map[string]int{"since": 1})
	if again := ask(t, m, clock, "a", map[string]int{"since": 1}); again.ID != first.ID {
		t.Error("the same was asked twice and is two jobs")
	}
	if other := ask(t, m, clock, "a", map[string]int{"since": 2}); other.ID == first.ID {
		t.Error("another is the same job")
	}
	start(t, m)
	over(t, store, m, first.ID)
	if later := ask(t, m, clock, "a", map[string]int{"since": 1}); later.ID == first.ID {
		t.Error("a job that is over is asked for again, and is the old one")
	}
}

func TestTask_RateAndETA(t *testing.T) {
	store, clock := new(Memory), newFake()
	var shown []Progress
	m := manager(store, clock, nil)
	m.kinds = map[Kind]Func{"read": func(ctx context.Context, task *Task) (any, error) {
		report := func(share float64, done int64) {
			task.Report(ctx, Progress{Share: share, Done: done, Unit: "deliveries", Text: "x"})
			shown = append(shown, task.Job().Progress)
		}
		report(0.2, 100) // where an interrupted job goes on
		clock.pass(10 * time.Second)
		report(0.3, 150)
		clock.pass(500 * time.Millisecond)
		report(0.31, 151)
		stored, _ := m.Get(task.Job().ID)
		if stored.Progress.Share != 0.3 {
			t.Errorf("a report half a second after another is stored: %v", stored.Progress.Share)
		}
		return nil, errors.New("enough")
	}}
	j := ask(t, m, clock, "read", 1)
	start(t, m)
	end := over(t, store, m, j.ID)
	if shown[0].Rate != 0 || shown[0].ETA != 0 {
		t.Errorf("the first report knows a rate: %+v", shown[0])
	}
	// 50 deliveries and a tenth of the whole in 10 s; seven tenths are left.
	if p := shown[1]; p.Rate != 5 || p.ETA < 69 || p.ETA > 70 {
		t.Errorf("rate %v, ETA %d", p.Rate, p.ETA)
	}
	if s := (Progress{Text: "x", Unit: "deliveries", Rate: 5, ETA: 5400}).String(); s != "x; 5.0 deliveries a second; about 1 h 30 min left" {
		t.Errorf("in words: %q", s)
	}
	if end.Progress.Share != 0.31 {
		t.Errorf("the last progress is lost: %+v", end.Progress)
	}
}

func TestManager_KeepsTheLast(t *testing.T) {
	store, clock := new(Memory), newFake()
	m := manager(store, clock, map[Kind]Func{"a": func(context.Context, *Task) (any, error) { return nil, nil }})
	var ids []string
	for i := range keepJobs + 3 {
		ids = append(ids, ask(t, m, clock, "a", i).ID)
	}
	stop := start(t, m)
	over(t, store, m, ids[len(ids)-1])
	stop()
	// The end of the last may have been cut short by the stop; the one before has not.
	list := m.List()
	if len(list) > keepJobs+1 || list[0].ID != ids[len(ids)-1] || slices.ContainsFunc(list, func(j Job) bool { return j.ID == ids[0] || j.ID == ids[1] }) {
		t.Errorf("%d jobs are kept, of %d", len(list), len(ids))
	}
	var any json.RawMessage
	if data, ok := store.Get(jobKeys + ids[10]); !ok || json.Unmarshal(data, &any) != nil {
		t.Error("one of the last is gone")
	}
}
