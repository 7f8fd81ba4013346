package storage

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// absent is a database that is away for a while, on virtual time. It takes 100 ms
// for an insert.
type absent struct {
	from, to time.Time
	rows     map[timeline.Millis]streaming.Version // by start: all else of the points is the same
	inserts  int
	failed   *batches // what could not be written last
	t        *testing.T
}

func (a *absent) write(_ context.Context, b *batches) error {
	time.Sleep(100 * time.Millisecond) // virtual
	now := time.Now()
	if !now.Before(a.from) && now.Before(a.to) {
		if a.failed != nil && a.failed != b {
			a.t.Error("another batch is tried before the one that failed")
		}
		a.failed = b
		return fmt.Errorf("insert: %w", ErrUnavailable)
	}
	if a.failed != nil && a.failed != b {
		a.t.Error("what failed is not what is tried again")
	}
	a.failed = nil
	a.inserts++
	points := b.tables[pointsPlace]
	for _, one := range points.blocks {
		one.settle(points.heads)
		starts, versions := one.columnOf(points, "start").data, one.columnOf(points, "version").data
		for i := range one.rows {
			start, v := timeline.Millis(binary.LittleEndian.Uint64(starts[8*i:])), streaming.Version(binary.LittleEndian.Uint64(versions[8*i:]))
			a.rows[start] = max(a.rows[start], v)
		}
	}
	return nil
}

// The database is away for an hour while events go on. The shard is held back, so
// that what waits here is bounded; whoever feeds it has the rest on the log. When
// the database is back all of it follows, at the speed of full inserts, and nothing
// is lost or stands where a newer version should.
func TestAnHourWithoutTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Database{cfg: Config{MaxRows: 1000, Log: slog.New(slog.DiscardHandler)}.withDefaults()}
		began := time.Now()
		db := &absent{from: began.Add(time.Minute), to: began.Add(time.Hour + time.Minute), rows: map[timeline.Millis]streaming.Version{}, t: t}
		s := d.NewSink(Live, nil)
		s.write = db.write
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()

		// 20 rows a tick, two ticks a second, for two hours: every second one is
		// a new version of a key of before.
		const ticks, each = 4 * 3600, 20
		template := merged("web", at(9, 0), 1, version(1, at(12, 0)))
		want, most := map[timeline.Millis]streaming.Version{}, 0
		var caughtUp time.Duration
		for tick := range ticks {
			due := began.Add(time.Duration(tick) * 500 * time.Millisecond)
			if wait := time.Until(due); wait > 0 {
				if caughtUp == 0 && due.After(db.to) {
					caughtUp = time.Since(db.to)
				}
				time.Sleep(wait) // virtual
			}
			rows := make([]metrics.Row, each)
			for i := range rows {
				p := *template
				p.Start = timeline.Millis((tick/2)*each+i) * timeline.Hour
				p.Version = streaming.NewVersion(1, streaming.Round(1000+tick))
				rows[i] = &p
				want[p.Start] = p.Version
			}
			if err := s.Put(t.Context(), 0, rows); err != nil {
				t.Fatal(err)
			}
			most = max(most, s.State().Waiting)
			if tick == 140 && Trouble(s.State().Trouble) != "unavailable" {
				t.Errorf("in the meantime the trouble is %v", s.State().Trouble)
			}
		}
		if err := s.Flush(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		is(t, "keys", len(db.rows), len(want))
		for key, v := range want {
			if db.rows[key] != v {
				t.Fatalf("the point at %s is not there as version %d", key, v)
			}
		}
		if limit := 1000 + each; most > limit {
			t.Errorf("%d rows waited, want at most %d", most, limit)
		}
		// An hour is 144,000 rows; the bound of 1,000 that wait lets an insert of
		// 100 ms have at least 500 of them.
		if caughtUp == 0 || caughtUp > lastPause+144_000/500*100*time.Millisecond {
			t.Errorf("caught up %v after the database was back", caughtUp)
		}
		t.Logf("caught up %v after an hour, %d inserts", caughtUp, db.inserts)
		is(t, "trouble", Trouble(s.State().Trouble), "")
		stop()
		do(t, <-ended)
	})
}
