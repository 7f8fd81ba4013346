package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// refusing is a store that takes no more values for a while.
type refusing struct {
	Memory
	refuse  atomic.Bool
	refused atomic.Int64
}

func (r *refusing) Put(ctx context.Context, key string, value []byte) error {
	if r.refuse.Load() {
		r.refused.Add(1)
		return errors.New("the broker is away")
	}
	return r.Memory.Put(ctx, key, value)
}

// A store that refuses a job's end is asked again, more and more slowly, and the
// job is not run again meanwhile.
func TestManager_TheEndOfAJobIsStoredInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(refusing)
		runs := 0
		m := New(store, map[Kind]Func{"note": func(context.Context, *Task) (any, error) {
			runs++
			store.refuse.Store(true)
			return "read", nil
		}}, slog.New(slog.DiscardHandler), nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); _ = m.Run(ctx) }()
		j, err := m.Start(ctx, "note", "a note", 1)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := store.refused.Load(); runs != 1 || n < 10 || n > 20 {
			t.Errorf("in ten minutes it ran %d times and its end was tried %d times", runs, n)
		}
		store.refuse.Store(false)
		time.Sleep(lastSettle)
		synctest.Wait()
		if got, ok := m.Get(j.ID); !ok || got.State != Done || string(got.Result) != `"read"` || runs != 1 {
			t.Errorf("it is %+v after %d runs", got, runs)
		}
		cancel()
		<-ended
	})
}
