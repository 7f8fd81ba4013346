package storage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"meridian/metrics"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// ofAllTables are rows of every table, over three months, with a tombstone.
func ofAllTables(g streaming.Generation, n int) (rows []metrics.Row) {
	v := version(g, at(10, 0))
	for month := range 3 {
		t := at(9, 0) - timeline.Millis(month)*31*timeline.Day
		rows = append(rows, merged("web", t, n, v),
			&metrics.ObservationRow{Version: v, Team: "web", Observation: metrics.Observation{At: t, Value: int64(n), Outcome: metrics.Observed}},
			&metrics.ObservationRow{Version: v, Team: "web", Deleted: true, Observation: metrics.Observation{At: t + 1, Outcome: metrics.Observed}},
			&metrics.QualityRow{Version: v, Team: "web", Cell: timeline.CellOf(t), Decoded: int64(n)},
			&metrics.RejectRow{Version: v, Team: "web", Origin: streaming.Origin{Offset: int64(month)}, Received: t, Detail: fmt.Sprint(n)})
	}
	return append(rows, &metrics.CoverageRow{Version: v, Team: "web", From: at(9, 0)})
}

// rowsIn counts the rows of a generation in all tables of a side.
func rowsIn(t testing.TB, d *Database, s Side, g streaming.Generation) (n int) {
	t.Helper()
	for _, pair := range halved {
		n += count(t, d, fmt.Sprintf("SELECT count() FROM %s_%s FINAL WHERE generation = %d", pair.name, s, g))
	}
	return n
}

const rowsOfAll = 3*4 + 1 // a tombstone is no row

// A generation that takes over is moved as a whole, and back, and nothing of the
// other one moves with it.
func TestPromoteAndBack(t *testing.T) {
	d, _ := open(t, nil)
	r := d.NewReader()
	write(t, d, Live, ofAllTables(1, 1)...)
	current(t, d, 1, 1)
	write(t, d, Replay, ofAllTables(2, 2)...)
	is(t, "confirmed before", confirmed(t, d, 2), false)
	if err := d.SetCurrent(t.Context(), 2, 2); !errors.Is(err, ErrNotMoved) {
		t.Errorf("a flip before the move: %v, want ErrNotMoved", err)
	}
	for range 2 { // the second time there is nothing to do
		do(t, d.Promote(t.Context(), 2))
	}
	is(t, "confirmed", confirmed(t, d, 2), true)
	is(t, "live rows of 2", rowsIn(t, d, Live, 2), rowsOfAll)
	is(t, "replay rows of 2", rowsIn(t, d, Replay, 2), 0)
	is(t, "live rows of 1", rowsIn(t, d, Live, 1), rowsOfAll)
	is(t, "readers see", asOf(t, r).Generation, 1)
	current(t, d, 2, 2)
	is(t, "observations", observed(t, r, 0), 2)
	is(t, "observations of 1 by name", observed(t, r, 1), 1)

	for range 2 {
		do(t, d.Back(t.Context(), 1))
	}
	is(t, "live rows of 1 after going back", rowsIn(t, d, Live, 1), 0)
	is(t, "replay rows of 1", rowsIn(t, d, Replay, 1), rowsOfAll)
	is(t, "observations of 1 by name, in replay", observed(t, r, 1), 1)
	if err := d.Back(t.Context(), 2); !errors.Is(err, ErrCurrent) {
		t.Errorf("Back of the current one: %v, want ErrCurrent", err)
	}
	if err := d.Drop(t.Context(), 2); !errors.Is(err, ErrCurrent) {
		t.Errorf("Drop of the current one: %v, want ErrCurrent", err)
	}

	// A rollback is the same in the other direction, and restores exactly.
	do(t, d.Promote(t.Context(), 1))
	current(t, d, 1, 3)
	do(t, d.Back(t.Context(), 2))
	is(t, "readers see, rolled back", asOf(t, r).Generation, 1)
	is(t, "observations, rolled back", observed(t, r, 0), 1)

	for range 2 {
		do(t, d.Drop(t.Context(), 2))
	}
	is(t, "rows of 2 after the drop", rowsIn(t, d, Live, 2)+rowsIn(t, d, Replay, 2), 0)
	is(t, "rows of 1 after the drop", rowsIn(t, d, Live, 1), rowsOfAll)
	is(t, "what is known of 2", count(t, d, "SELECT (SELECT count() FROM sides WHERE generation = 2) + (SELECT count() FROM generations WHERE generation = 2) + (SELECT count() FROM progress WHERE generation = 2)"), 0)
	is(t, "observations of 2 by name", observed(t, r, 2), 0)
}

// The promotion is cut off before each of its statements in turn, and asked for
// again. Nobody ever reads a part of the generation, whatever they name.
func TestPromoteIsCutOffAnywhere(t *testing.T) {
	var w *wire
	d := openOn(t, embeddedtest.Start(t), func(c *Config) { w = tap(c) })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := d.NewReader()
	write(t, d, Live, ofAllTables(1, 1)...)
	current(t, d, 1, 1)
	write(t, d, Replay, ofAllTables(2, 2)...)
	const moves = 4*3 + 1
	for cut := range moves + 1 {
		ctx, cancel := context.WithCancel(t.Context())
		left := 1 // each attempt gets one partition further
		w.intercept(func(sql string, _ *http.Request) *http.Response {
			if strings.Contains(sql, "MOVE PARTITION") {
				if left == 0 {
					cancel()
				}
				left--
			}
			return nil
		})
		err := d.Promote(ctx, 2)
		cancel()
		w.intercept(nil)
		if last := cut >= moves-1; (err == nil) != last {
			t.Fatalf("attempt %d: %v", cut, err)
		}
		d.generations.forget()
		is(t, "current", observed(t, r, 0), 1)
		q := everything(metrics.Hour)
		q.Generation, q.From = 2, at(0, 0)-100*timeline.Day
		points, err := r.Points(t.Context(), q)
		if errors.Is(err, ErrMoving) == (err == nil && len(points) == 3) {
			t.Errorf("attempt %d: a reader of generation 2 gets %d points and %v; want all of it or ErrMoving", cut, len(points), err)
		}
		is(t, "rows of 2 in both", rowsIn(t, d, Live, 2)+rowsIn(t, d, Replay, 2), rowsOfAll)
	}
	is(t, "confirmed", confirmed(t, d, 2), true)
	current(t, d, 2, 2)
	is(t, "observations", observed(t, r, 0), 2)
}

// The database itself is killed while partitions are moved. It may have made one
// here and not removed it there yet: the rows are equal, and one after the next
// attempt.
func TestDatabaseKilledInMidPromotion(t *testing.T) {
	server := embeddedtest.Start(t)
	var w *wire
	d := openOn(t, server, func(c *Config) {
		synced(c)
		w = tap(c)
	})
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, d, Replay, ofAllTables(2, 2)...)
	kills := 0
	for attempt := 0; ; attempt++ {
		seen := 0
		w.intercept(func(sql string, _ *http.Request) *http.Response {
			if strings.Contains(sql, "MOVE PARTITION") {
				if seen++; seen == 3 && kills < 3 {
					if pid := server.Status().PID; pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
						kills++
					}
				}
			}
			return nil
		})
		err := d.Promote(t.Context(), 2)
		if err == nil {
			break
		}
		if attempt > 20 {
			t.Fatal(err)
		}
		w.intercept(nil)
		do(t, server.Ready(t.Context()))
	}
	is(t, "kills", kills, 3)
	is(t, "live rows", rowsIn(t, d, Live, 2), rowsOfAll)
	is(t, "replay rows", rowsIn(t, d, Replay, 2), 0)
}

// What a process that was thought dead has written to the wrong half is found,
// and brought after without anything being counted twice.
func TestRowsOfAZombieAreBroughtAfter(t *testing.T) {
	d, _ := open(t, nil)
	r := d.NewReader()
	write(t, d, Replay, ofAllTables(2, 2)...)
	do(t, d.Promote(t.Context(), 2))
	current(t, d, 2, 1)
	write(t, d, Replay, ofAllTables(2, 2)...)
	is(t, "confirmed", confirmed(t, d, 2), false)
	is(t, "readers meanwhile", observed(t, r, 0), 2)
	do(t, d.Promote(t.Context(), 2))
	is(t, "confirmed after", confirmed(t, d, 2), true)
	is(t, "rows", rowsIn(t, d, Live, 2), rowsOfAll)
}

// A sink turns from one half to the other between two rows, with nothing on the
// wrong side.
func TestSinkTurnsToTheOtherSide(t *testing.T) {
	d, _ := open(t, nil)
	s := d.NewSink(Replay, nil)
	run(t, s)
	do(t, s.Put(t.Context(), 0, rowsFrom(1, 5)))
	do(t, s.Use(t.Context(), Live))
	is(t, "rows in replay when Use returns", count(t, d, "SELECT count() FROM points_replay"), 5)
	do(t, s.Put(t.Context(), 0, rowsFrom(2, 3)))
	do(t, s.Flush(t.Context(), 0))
	is(t, "rows in live", count(t, d, "SELECT count() FROM points_live"), 3)
	is(t, "rows in replay", count(t, d, "SELECT count() FROM points_replay"), 5)
}

func confirmed(t testing.TB, d *Database, g streaming.Generation) bool {
	t.Helper()
	ok, err := d.Confirmed(t.Context(), g)
	do(t, err)
	return ok
}

// observed sums the observations of the points of a generation, and checks that
// there is one row of each of March's tables.
func observed(t testing.TB, r *Reader, g streaming.Generation) int {
	t.Helper()
	q := everything(metrics.Hour)
	q.Generation = g
	points, err := r.Points(t.Context(), q)
	do(t, err)
	n := 0
	for _, p := range points {
		n += int(p.N())
	}
	list, _, err := r.Observations(t.Context(), q, "", 10)
	do(t, err)
	if len(list) != len(points) {
		t.Errorf("generation %d: %d observations and %d points", g, len(list), len(points))
	}
	return n
}

func do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
