package storage

import (
	"errors"
	"testing"

	"meridian/metrics"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

func asOf(t testing.TB, r *Reader) metrics.AsOf {
	t.Helper()
	as, err := r.AsOf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return as
}

func TestAsOf(t *testing.T) {
	d, _ := open(t, nil)
	r := d.NewReader()
	is(t, "an empty database", asOf(t, r), metrics.AsOf{})

	current(t, d, 1, 1)
	is(t, "a generation without rows", asOf(t, r), metrics.AsOf{Generation: 1})

	s := d.NewSink(Live, nil)
	run(t, s)
	flush := func() {
		t.Helper()
		if err := s.Flush(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	put := func(shard int32, v streaming.Version) {
		t.Helper()
		if err := s.Put(t.Context(), shard, []metrics.Row{merged("web", at(9, 0), 1, v)}); err != nil {
			t.Fatal(err)
		}
		flush()
	}
	put(0, version(1, at(10, 0)))
	// More rows of that round may come, so the one before it is whole.
	is(t, "rows of one round", asOf(t, r), metrics.AsOf{Generation: 1, Clock: at(10, 0) - streaming.RoundLength})

	s.Advance(0, 1, at(10, 0))
	flush()
	is(t, "the round is whole", asOf(t, r), metrics.AsOf{Generation: 1, Clock: at(10, 0)})

	s.Advance(1, 1, at(9, 30))
	flush()
	is(t, "another shard is behind", asOf(t, r), metrics.AsOf{Generation: 1, Clock: at(9, 30)})

	s.Advance(1, 1, at(11, 0))
	flush()
	is(t, "it has overtaken", asOf(t, r), metrics.AsOf{Generation: 1, Clock: at(10, 0)})

	s.Advance(0, 1, at(9, 0))
	put(0, version(1, at(9, 0)))
	is(t, "a shard starts again from its snapshot", asOf(t, r), metrics.AsOf{Generation: 1, Clock: at(10, 0)})

	s.Advance(0, 2, at(12, 0))
	flush()
	is(t, "another generation goes its own way", asOf(t, r), metrics.AsOf{Generation: 1, Clock: at(10, 0)})

	s.Advance(0, 2, streaming.NoClock)
	current(t, d, 2, 2)
	is(t, "it takes over", asOf(t, r), metrics.AsOf{Generation: 2, Clock: at(12, 0)})
	current(t, d, 2, 2) // once more, after a crash
	for _, old := range []streaming.Generation{1, 3} {
		if err := d.SetCurrent(t.Context(), old, uint64(3-old)); !errors.Is(err, ErrOldTurn) {
			t.Errorf("an old turn of generation %d: %v, want ErrOldTurn", old, err)
		}
	}
	if err := d.SetCurrent(t.Context(), 1, 2); !errors.Is(err, ErrOldTurn) {
		t.Errorf("a turn that another generation has taken: %v, want ErrOldTurn", err)
	}
	is(t, "an old turn comes again", asOf(t, r), metrics.AsOf{Generation: 2, Clock: at(12, 0)})
	current(t, d, 1, 3)
	is(t, "back to the first", asOf(t, r), metrics.AsOf{Generation: 1, Clock: at(10, 0)})
}

// A request that looked up its generation keeps it, costs hardly a further look-up,
// and finds its rows after another generation has taken over.
func TestGenerationPassedOn(t *testing.T) {
	var w *wire
	d := openOn(t, embeddedtest.Start(t), func(c *Config) { w = tap(c) })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := d.NewReader()
	current(t, d, 1, 1)
	write(t, d, Live, merged("web", at(9, 0), 1, version(1, at(10, 0))), merged("web", at(9, 0), 2, version(2, at(10, 0))))

	q := everything(metrics.Hour)
	q.Generation = asOf(t, r).Generation
	is(t, "generation", q.Generation, 1)
	before := w.seen("FROM generations FINAL")
	current(t, d, 2, 2)
	for range 5 {
		got, err := r.Points(t.Context(), q)
		if err != nil || len(got) != 1 || got[0].N() != 1 {
			t.Fatalf("the request's generation: %d points, %v; want the one with 1 observation", len(got), err)
		}
	}
	if n := w.seen("FROM generations FINAL") - before; n > 1 {
		t.Errorf("%d look-ups for five queries of one request, want at most 1", n)
	}

	q.Generation = 0
	got, err := r.Points(t.Context(), q)
	if err != nil || len(got) != 1 || got[0].N() != 2 {
		t.Errorf("the next request: %d points, %v; want the one with 2 observations", len(got), err)
	}
}

// The two halves of a pair are alike enough for ClickHouse to move a month of a
// generation from one to the other: that is what a promotion does.
func TestPartitionsCanBeMoved(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	r := d.NewReader()
	o := &metrics.ObservationRow{Version: version(2, at(10, 0)), Team: "web", Observation: metrics.Observation{At: at(9, 0), Outcome: metrics.Observed}}
	write(t, d, Live, merged("web", at(9, 0), 1, version(1, at(10, 0))))
	write(t, d, Replay, merged("web", at(9, 0), 2, version(2, at(10, 0))), o,
		&metrics.QualityRow{Version: version(2, at(10, 0)), Team: "web", Cell: timeline.CellOf(at(9, 0))},
		&metrics.RejectRow{Version: version(2, at(10, 0)), Team: "web", Received: at(9, 0)},
		&metrics.CoverageRow{Version: version(2, at(10, 0)), Team: "web", From: at(9, 0)},
	)
	for _, pair := range []string{"points", "observations", "quality", "rejects"} {
		exec(t, d, "ALTER TABLE "+pair+"_replay MOVE PARTITION (2, 202603) TO TABLE "+pair+"_live")
	}
	exec(t, d, "ALTER TABLE coverage_replay MOVE PARTITION 2 TO TABLE coverage_live")
	current(t, d, 2, 2)
	points, err := r.Points(t.Context(), everything(metrics.Hour))
	if err != nil || len(points) != 1 || points[0].N() != 2 {
		t.Errorf("points: %d, %v; want the one with 2 observations", len(points), err)
	}
	observations, _, err := r.Observations(t.Context(), everything(metrics.Hour), "", 10)
	if err != nil || len(observations) != 1 {
		t.Errorf("observations: %d, %v; want 1", len(observations), err)
	}
	quality, err := r.Quality(t.Context(), at(0, 0), at(23, 0))
	if err != nil || len(quality) != 1 {
		t.Errorf("quality: %d, %v; want 1", len(quality), err)
	}
	rejects, _, err := r.Rejects(t.Context(), "", 10)
	if err != nil || len(rejects) != 1 {
		t.Errorf("rejects: %d, %v; want 1", len(rejects), err)
	}
	coverage, err := r.Coverage(t.Context())
	if err != nil || len(coverage) != 1 {
		t.Errorf("coverage: %d, %v; want 1", len(coverage), err)
	}
}
