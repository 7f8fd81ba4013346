package storage

import (
	"bytes"
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// Whatever the engine can emit comes back as it was.

func TestPointsComeBack(t *testing.T) {
	roundTrip(t, pointsTable, anyPoint, func(ctx context.Context, r *Reader) (list []*metrics.Point, err error) {
		for _, g := range []metrics.Grain{metrics.Hour, metrics.Day, metrics.Day30} {
			points, err := r.Points(ctx, metrics.Query{Service: metrics.AllServices, Grain: g, From: earliest, To: latest})
			if err != nil {
				return nil, err
			}
			list = append(list, points...)
		}
		return list, nil
	}, func(t *rapid.T, got, want *metrics.Point) {
		if !bytes.Equal(got.AppendJSON(nil), want.AppendJSON(nil)) {
			t.Errorf("got  %s\nwant %s", got.AppendJSON(nil), want.AppendJSON(nil))
		}
		if !bytes.Equal(got.Aggregate.Bytes(), want.Aggregate.Bytes()) {
			t.Errorf("the aggregate of %s differs", want.AppendJSON(nil))
		}
		if got.Withdrawn != want.Withdrawn || got.CoveredDays != want.CoveredDays {
			t.Errorf("withdrawn %v, covered %d; want %v, %d", got.Withdrawn, got.CoveredDays, want.Withdrawn, want.CoveredDays)
		}
	})
}

func TestObservationsComeBack(t *testing.T) {
	roundTrip(t, observationsTable, func(t *rapid.T) *metrics.ObservationRow {
		return &metrics.ObservationRow{Version: anyVersion(t), Team: anyName.Draw(t, "team"), Observation: anyObservation(t)}
	}, func(ctx context.Context, r *Reader) ([]*metrics.ObservationRow, error) {
		list, _, err := r.Observations(ctx, metrics.Query{From: earliest, To: latest}, "", 1000)
		return pointers(list), err
	}, equal)
}

func TestRejectsComeBack(t *testing.T) {
	roundTrip(t, rejectsTable, anyReject, func(ctx context.Context, r *Reader) ([]*metrics.RejectRow, error) {
		list, _, err := r.Rejects(ctx, "", 1000)
		return pointers(list), err
	}, equal)
}

func TestQualityComesBack(t *testing.T) {
	roundTrip(t, qualityTable, anyQuality, func(ctx context.Context, r *Reader) ([]*metrics.QualityRow, error) {
		list, err := r.Quality(ctx, earliest, latest)
		return pointers(list), err
	}, equal)
}

func TestCoverageComesBack(t *testing.T) {
	roundTrip(t, coverageTable, anyCoverage, func(ctx context.Context, r *Reader) ([]*metrics.CoverageRow, error) {
		list, err := r.Coverage(ctx)
		return pointers(list), err
	}, equal)
}

func equal[R any](t *rapid.T, got, want R) {
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func pointers[R any](list []R) (out []*R) {
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// roundTrip writes rows of one table and reads them back, now and then merged
// by the database in between.
func roundTrip[R metrics.Row](t *testing.T, table *table[R], draw func(*rapid.T) R, read func(context.Context, *Reader) ([]R, error), compare func(t *rapid.T, got, want R)) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	rapid.Check(t, func(rt *rapid.T) {
		exec(t, d, "TRUNCATE TABLE "+table.on(Live))
		rows := rapid.SliceOfN(rapid.Custom(draw), 1, 20).Draw(rt, "rows")
		write(t, d, Live, asRows(rows)...)
		if rapid.Bool().Draw(rt, "merge") {
			exec(t, d, "OPTIMIZE TABLE "+table.on(Live)+" FINAL")
		}
		got, err := read(t.Context(), d.NewReader()) // one that keeps no answers of rows that a test takes away
		if err != nil {
			rt.Fatal(err)
		}
		want := newest(rows)
		if len(got) != len(want) {
			rt.Errorf("%d rows came back, want %d", len(got), len(want))
		}
		for _, g := range got {
			w, ok := want[KeyOf(g)]
			if !ok {
				rt.Errorf("nobody has written %+v", g)
				continue
			}
			compare(rt, g, w)
		}
	})
}

// The columns beside the state are for people with SQL: they hold what the
// point says, by hand for one of each kind of statistic.
func TestPointColumns(t *testing.T) {
	d, _ := open(t, nil)
	v := version(1, at(12, 0))
	observe := func(name metrics.Name, grain metrics.Grain, values ...int64) *metrics.Point {
		def := metrics.Find(name)
		a := new(metrics.Aggregate)
		for _, x := range values {
			a.Add(def.Statistic, &metrics.Observation{Outcome: metrics.Observed, Value: x, Primary: true})
		}
		return &metrics.Point{
			Version: v, Team: "web", Metric: name, Definition: def, Grain: grain, Start: at(9, 0), End: at(10, 0), Zone: "UTC", Status: metrics.Final,
			Aggregate: a, CoveredDays: -1,
		}
	}
	empty := observe("pr_pickup_time", metrics.Day)
	empty.Withdrawn, empty.Missing = true, metrics.NothingObserved
	write(t, d, Live,
		observe("pr_pickup_time", metrics.Hour, 315_000, 670_000), // milliseconds; the point is in seconds
		observe("pr_merged", metrics.Hour, 1, 1, 1),
		empty,
	)
	got := map[string]string{}
	rows, err := d.conn.Query(t.Context(), `SELECT concat(metric, ' ', toString(grain)),
		concat(toString(n), ' ', ifNull(toString(value), '-'), ' ', unit, ' ', ifNull(toString(p50), '-'), ' ', ifNull(toString(p75), '-'), ' ',
			ifNull(toString(p90), '-'), ' ', ifNull(toString(sum), '-'), ' ', toString(withdrawn), ' ', missing)
		FROM points_live FINAL`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var key, columns string
		if err := rows.Scan(&key, &columns); err != nil {
			t.Fatal(err)
		}
		got[key] = columns
	}
	for key, want := range map[string]string{
		"pr_pickup_time hour": "2 492.5 seconds 492.5 581.25 634.5 985 false ",
		"pr_merged hour":      "3 3 count - - - - false ",
		"pr_pickup_time day":  "0 - seconds - - - - true nothing_observed",
	} {
		is(t, key, got[key], want)
	}
}

// Times outside of what a column holds become the nearest inside, and never
// another century.
func TestAbsurdTimes(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	o := func(at timeline.Millis, item string) metrics.Row {
		return &metrics.ObservationRow{Version: version(1, 0), Team: "web", Observation: metrics.Observation{Metric: "m", Item: item, At: at, Outcome: metrics.Observed}}
	}
	write(t, d, Live, o(earliest-timeline.Day*90_000, "past"), o(latest+timeline.Day*90_000, "future"), o(0, "1970"), o(-1, "1969"))
	list, _, err := d.NewReader().Observations(t.Context(), metrics.Query{From: earliest - 1, To: latest + 1}, "", 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range list {
		got = append(got, x.Item+" "+x.At.String())
	}
	// [from, to) is clamped as well, so its end leaves out what was clamped to it.
	want := []string{"1970 1970-01-01T00:00:00Z", "1969 1969-12-31T23:59:59.999Z", "past 1900-01-01T00:00:00Z"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
