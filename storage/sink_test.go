package storage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"meridian/metrics"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// tapped gives a database whose statements can be seen and answered.
func tapped(t testing.TB, change func(*Config)) (*Database, *wire) {
	t.Helper()
	var w *wire
	d := openOn(t, embeddedtest.Start(t), func(c *Config) {
		w = tap(c)
		if change != nil {
			change(c)
		}
	})
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d, w
}

// gate holds inserts of points back until it is opened.
type gate struct {
	reached chan struct{} // gets one for each insert that has come to the gate
	open    chan struct{}
}

func newGate() *gate { return &gate{reached: make(chan struct{}, 100), open: make(chan struct{})} }

func (g *gate) hold(sql string, r *http.Request) *http.Response {
	if strings.Contains(sql, insertsPoints) {
		g.reached <- struct{}{}
		select {
		case <-g.open:
		case <-r.Context().Done():
		}
	}
	return nil
}

func rowsFrom(hour, n int) (rows []metrics.Row) {
	for i := range n {
		rows = append(rows, merged(fmt.Sprint("team", i), at(hour, 0), 1, version(1, at(12, 0))))
	}
	return rows
}

// Put blocks when the bound is reached, and goes on when there is room.
func TestPutBlocks(t *testing.T) {
	d, w := tapped(t, func(c *Config) { c.MaxRows = 10 })
	g := newGate()
	w.intercept(g.hold)
	s := d.NewSink(Live, nil)
	run(t, s)
	put := func(ctx context.Context, hour int) error { return s.Put(ctx, 0, rowsFrom(hour, 10)) }
	if err := put(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	<-g.reached // the first rows are on their way and not written
	if err := put(t.Context(), 2); err != nil {
		t.Fatal(err) // as many again may wait
	}
	is(t, "waiting", s.State().Waiting, 10)

	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	ended := make(chan error)
	go func() { ended <- put(ctx, 3) }()
	cancel(reason)
	if err := <-ended; !errors.Is(err, reason) {
		t.Errorf("a Put that is given up: %v, want its cause", err)
	}
	is(t, "rows waiting after it", s.State().Waiting, 10)

	go func() { ended <- put(t.Context(), 4) }()
	select {
	case err := <-ended:
		t.Fatalf("Put has returned (%v) while nothing was written", err)
	default:
	}
	close(g.open)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	is(t, "rows", count(t, d, "SELECT count() FROM points_live FINAL"), 30)
}

// Flush waits for what is on its way too, and for nothing when there is nothing.
func TestFlushWaitsForTheInsertUnderWay(t *testing.T) {
	d, w := tapped(t, nil)
	s := d.NewSink(Live, nil)
	run(t, s)
	if err := s.Flush(t.Context(), 0); err != nil {
		t.Fatalf("nothing to flush: %v", err)
	}
	g := newGate()
	w.intercept(g.hold)
	if err := s.Put(t.Context(), 0, rowsFrom(1, 3)); err != nil {
		t.Fatal(err)
	}
	<-g.reached
	is(t, "waiting", s.State().Waiting, 0)
	flushed := make(chan error, 1)
	go func() { flushed <- s.Flush(t.Context(), 0) }()
	select {
	case err := <-flushed:
		t.Fatalf("Flush has returned (%v) while nothing was written", err)
	default:
	}
	close(g.open)
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	is(t, "rows", count(t, d, "SELECT count() FROM points_live FINAL"), 3)
}

// Rows of many small puts are collected while an insert is under way.
func TestRowsAreCollected(t *testing.T) {
	d, w := tapped(t, nil)
	g := newGate()
	w.intercept(g.hold)
	s := d.NewSink(Live, nil)
	run(t, s)
	for hour := range 20 {
		if err := s.Put(t.Context(), int32(hour), rowsFrom(hour, 2)); err != nil {
			t.Fatal(err)
		}
		if hour == 0 {
			<-g.reached
		}
	}
	close(g.open)
	if err := s.Flush(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	is(t, "inserts of points", w.seen(insertsPoints), 2)
	is(t, "inserts", s.State().Inserts, 2)
	is(t, "rows", count(t, d, "SELECT count() FROM points_live FINAL"), 40)
}

// An interval lies between two inserts, but a Flush does not wait for it, nor
// do rows that come after a pause.
func TestFlushDoesNotWaitForTheInterval(t *testing.T) {
	d, _ := tapped(t, func(c *Config) { c.Interval = time.Hour })
	s := d.NewSink(Live, nil)
	run(t, s)
	for hour := range 3 {
		if err := s.Put(t.Context(), 0, rowsFrom(hour, 2)); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	is(t, "rows", count(t, d, "SELECT count() FROM points_live FINAL"), 6)
}

// When readers are told of a clock, they find the rows and the clock.
func TestReadersAreToldBehindTheRows(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	r := d.NewReader()
	asOf(t, r) // remembered, and outdated by what comes
	told := make(chan timeline.Millis, 1)
	s := d.NewSink(Live, func(clock timeline.Millis) { told <- clock })
	run(t, s)
	if err := s.Put(t.Context(), 0, []metrics.Row{merged("web", at(9, 0), 3, version(1, at(12, 0)))}); err != nil {
		t.Fatal(err)
	}
	is(t, "clock", <-told, at(12, 0)-streaming.RoundLength)
	is(t, "readers' clock", asOf(t, r).Clock, at(12, 0)-streaming.RoundLength)
	points, err := r.Points(t.Context(), everything(metrics.Hour))
	if err != nil || len(points) != 1 {
		t.Errorf("%d points, %v; want 1", len(points), err)
	}
}

// A sink that has stopped says so, to those who wait already as well.
func TestStoppedSink(t *testing.T) {
	d, w := tapped(t, func(c *Config) { c.MaxRows = 2 })
	g := newGate()
	w.intercept(g.hold)
	s := d.NewSink(Live, nil)
	stop := run(t, s)
	for hour := range 2 {
		if err := s.Put(t.Context(), 0, rowsFrom(hour, 2)); err != nil {
			t.Fatal(err)
		}
		if hour == 0 {
			<-g.reached
		}
	}
	ended := make(chan error, 2)
	go func() { ended <- s.Put(t.Context(), 0, rowsFrom(3, 1)) }()
	go func() { ended <- s.Flush(t.Context(), 0) }()
	stop()
	for range 2 {
		if err := <-ended; !errors.Is(err, ErrStopped) {
			t.Errorf("got %v, want ErrStopped", err)
		}
	}
	if err := s.Put(t.Context(), 0, rowsFrom(3, 1)); !errors.Is(err, ErrStopped) {
		t.Errorf("Put: %v, want ErrStopped", err)
	}
}

// Several shards write and several readers read at the same time; at the end
// every row is there once.
func TestManyAtOnce(t *testing.T) {
	d, _ := open(t, func(c *Config) { c.MaxRows = 200 })
	current(t, d, 1, 1)
	r := d.NewReader()
	s := d.NewSink(Live, func(timeline.Millis) {})
	run(t, s)
	const shards, puts, rows = 4, 12, 20
	var writers, readers sync.WaitGroup
	written := make(chan struct{})
	for shard := range int32(shards) {
		writers.Go(func() {
			for p := range puts {
				var batch []metrics.Row
				for i := range rows {
					batch = append(batch, merged(fmt.Sprintf("team%d", shard), at(0, 0)+timeline.Millis(p*rows+i)*timeline.Hour, 1, version(1, at(12, p))))
				}
				if err := s.Put(t.Context(), shard, batch); err != nil {
					t.Error(err)
				}
				s.Advance(shard, 1, at(12, p))
				if p%5 == 0 {
					if err := s.Flush(t.Context(), shard); err != nil {
						t.Error(err)
					}
				}
			}
			if err := s.Flush(t.Context(), shard); err != nil {
				t.Error(err)
			}
		})
	}
	for range 3 {
		readers.Go(func() {
			for last := 0; ; {
				q := everything(metrics.Hour)
				q.To = latest
				points, err := r.Points(t.Context(), q)
				if err != nil {
					t.Error(err)
					return
				}
				if len(points) < last {
					t.Errorf("%d points after %d", len(points), last)
				}
				last = len(points)
				_ = s.State()
				select {
				case <-written:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(written)
	readers.Wait()
	is(t, "rows", count(t, d, "SELECT count() FROM points_live FINAL"), shards*puts*rows)
	is(t, "clock", asOf(t, r).Clock, at(12, puts-1))
}

// What a tick brings comes from several shards, one after the other: it is one insert,
// with the clock of all of them, and none waits an interval for the next.
func TestSink_WritesARoundTogether(t *testing.T) {
	d, w := tapped(t, func(c *Config) { c.Interval = time.Hour })
	current(t, d, 1, 1)
	told := make(chan timeline.Millis, 100)
	s := d.NewSink(Live, func(clock timeline.Millis) { told <- clock })
	for shard := range int32(3) {
		s.Advance(shard, 1, streaming.Clock(at(11, 0)))
	}
	run(t, s)
	is(t, "clock", <-told, at(11, 0))
	s.mu.Lock()
	s.began = time.Time{} // an interval has passed
	s.mu.Unlock()
	inserts := s.State().Inserts
	s.Advance(2, 1, streaming.Clock(at(12, 0))) // has nothing to say
	for shard := range int32(2) {
		if err := s.Put(t.Context(), shard, []metrics.Row{merged(fmt.Sprint("team", shard), at(9, 0), 3, version(1, at(12, 0)))}); err != nil {
			t.Fatal(err)
		}
		is(t, "inserts before the round is whole", s.State().Inserts, inserts)
		s.Advance(shard, 1, streaming.Clock(at(12, 0)))
	}
	is(t, "clock", <-told, at(12, 0))
	is(t, "inserts", s.State().Inserts, inserts+1)
	is(t, "inserts of points", w.seen(insertsPoints), 1)
	is(t, "readers' clock", asOf(t, d.NewReader()).Clock, at(12, 0))
}

// A shard that has gone to another process says nothing any more: it is waited for
// once.
func TestSink_WaitsOnceForAShardThatIsGone(t *testing.T) {
	d, _ := tapped(t, func(c *Config) { c.Interval = time.Hour })
	current(t, d, 1, 1)
	s := d.NewSink(Live, nil)
	s.Advance(2, 1, streaming.Clock(at(11, 0))) // its last word
	for shard := range int32(2) {
		s.Advance(shard, 1, streaming.Clock(at(12, 0)))
	}
	waits := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.whole()
	}
	is(t, "it is waited for", waits(), true)
	run(t, s)
	if err := s.Flush(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.urgent = false // what is flushed may leave the next in a hurry
	s.mu.Unlock()
	for shard := range int32(2) {
		s.Advance(shard, 1, streaming.Clock(at(13, 0)))
	}
	is(t, "it is waited for again", waits(), false)
	s.Advance(2, 1, streaming.Clock(at(12, 0))) // it is back
	is(t, "it is waited for when it is back", waits(), true)
}
