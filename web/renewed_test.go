package web

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// An answer serves for a while after its minute, and then for nobody; of another
// generation, and of rows that were rewritten, none does.
func TestRenewed_NobodyWaitsForWhatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rewritten, works, failing := int64(0), 0, error(nil)
		m := newRenewed(timeline.Minute, 6*timeline.Minute, func() int64 { return rewritten })
		ask := func(as metrics.AsOf) int {
			t.Helper()
			ctx, leave := context.WithCancel(t.Context())
			defer leave() // whoever asked has gone when it is renewed
			v, err := lately(ctx, m, as, "a", func(ctx context.Context) (int, error) { works++; return works, errors.Join(failing, ctx.Err()) })
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		at := func(g uint32, minutes timeline.Millis) metrics.AsOf {
			return metrics.AsOf{Generation: 1, Clock: 600*timeline.Minute + minutes*timeline.Minute, HistoryFrom: timeline.Millis(g)}
		}
		for i, c := range []struct {
			as   metrics.AsOf
			want int
		}{
			{at(1, 0), 1}, {at(1, 0), 1}, // once a minute
			{at(1, 1), 1}, {at(1, 1), 2}, // the older one, and meanwhile a newer
			{at(1, 7), 2}, {at(1, 7), 3}, // it lags as far as it may
			{at(1, 14), 4}, // too far: it is waited for
			{at(2, 14), 5}, // what is before the border is of another computation
		} {
			if got := ask(c.as); got != c.want {
				t.Errorf("question %d: answer of work %d, want %d", i, got, c.want)
			}
			synctest.Wait()
		}
		rewritten++
		if got := ask(at(2, 14)); got != 6 {
			t.Errorf("after rows were rewritten: answer of work %d, want 6", got)
		}
		failing = errors.New("away")
		if got := ask(at(2, 16)); got != 6 {
			t.Errorf("while the next fails: answer of work %d, want 6", got)
		}
		synctest.Wait()
		failing = nil
		ask(at(2, 16))
		synctest.Wait()
		if works != 8 {
			t.Errorf("%d works after a failure, want 8", works)
		}
	})
}

// Rows that are rewritten while an answer is worked out from what was there before do
// not come back with it.
func TestRenewed_WhatIsUnderWayIsOfItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rewritten := int64(0)
		m := newRenewed(timeline.Minute, 6*timeline.Minute, func() int64 { return rewritten })
		as, going := metrics.AsOf{Generation: 1, Clock: timeline.Day}, make(chan struct{})
		old := make(chan string)
		go func() {
			v, _ := lately(t.Context(), m, as, "a", func(context.Context) (string, error) { <-going; return "before", nil })
			old <- v
		}()
		synctest.Wait()
		rewritten++
		if v, err := lately(t.Context(), m, as, "a", func(context.Context) (string, error) { return "after", nil }); v != "after" || err != nil {
			t.Errorf("%q, %v", v, err)
		}
		close(going)
		<-old
		if v, err := lately(t.Context(), m, as, "a", func(context.Context) (string, error) { return "again", nil }); v != "after" || err != nil {
			t.Errorf("%q, %v", v, err)
		}
	})
}

// What throws behind a page ends no process.
func TestRenewed_APanicIsAnError(t *testing.T) {
	m := newRenewed(timeline.Minute, timeline.Minute, nil)
	_, err := lately(t.Context(), m, metrics.AsOf{Clock: 1}, "a", func(context.Context) (int, error) { panic("oh") })
	if err == nil {
		t.Error("no error")
	}
}
