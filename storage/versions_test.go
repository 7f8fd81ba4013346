package storage

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// The newest version of a key wins, in whatever order versions are inserted,
// and before as well as after the database has merged its parts.
func TestNewestVersionWins(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	r := d.NewReader()
	random := rand.New(rand.NewPCG(7, 7))
	exec(t, d, "SYSTEM STOP MERGES points_live") // so that the first reading is before any
	var points []*metrics.Point
	for hour := range 6 {
		for n := range 5 {
			// An hour's version n has n observations.
			points = append(points, merged("web", at(hour, 0)-timeline.Millis(hour%2)*40*timeline.Day, n, version(1, at(10, n))))
		}
	}
	random.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	for len(points) > 0 {
		n := min(len(points), 1+random.IntN(4))
		write(t, d, Live, asRows(points[:n])...)
		points = points[n:]
	}
	check := func(when string) {
		got, err := r.Points(t.Context(), metrics.Query{Service: metrics.AllServices, Grain: metrics.Hour, From: earliest, To: latest})
		if err != nil {
			t.Fatal(err)
		}
		is(t, when+": rows", len(got), 6)
		for _, p := range got {
			is(t, fmt.Sprintf("%s: observations at %s", when, p.Start), p.N(), 4)
		}
	}
	if n := count(t, d, "SELECT count() FROM points_live"); n <= 6 {
		t.Fatalf("%d rows are stored: they are merged already, and the test proves nothing", n)
	}
	check("before merging")
	exec(t, d, "SYSTEM START MERGES points_live")
	exec(t, d, "OPTIMIZE TABLE points_live FINAL")
	is(t, "rows after merging", count(t, d, "SELECT count() FROM points_live"), 6)
	check("after merging")
}

// FINAL, with partitions looked at one by one, is the same as taking the
// highest version of each key by hand.
func TestFinalIsArgMax(t *testing.T) {
	d, _ := open(t, nil)
	random := rand.New(rand.NewPCG(1, 2))
	exec(t, d, "SYSTEM STOP MERGES points_live")
	for range 8 {
		var rows []metrics.Row
		for range 50 {
			start := at(0, 0) - timeline.Millis(random.IntN(60))*timeline.Day
			n := random.IntN(100)
			rows = append(rows, merged(fmt.Sprint("team", random.IntN(3)), start, n, version(1, at(0, n)))) // equal versions, equal content
		}
		write(t, d, Live, rows...)
	}
	const columns = "team, metric, grain, service, start"
	final := "SELECT sum(cityHash64(" + columns + ", n, state, version)) FROM points_live FINAL"
	byHand := "SELECT sum(cityHash64(" + columns + ", n, state, v)) FROM (SELECT " + columns +
		", argMax(n, version) AS n, argMax(state, version) AS state, max(version) AS v FROM points_live GROUP BY generation, " + columns + ")"
	want := count(t, d, byHand)
	is(t, "before merging", count(t, d, final), want)
	exec(t, d, "SYSTEM START MERGES points_live")
	exec(t, d, "OPTIMIZE TABLE points_live FINAL")
	is(t, "after merging", count(t, d, final), want)
}

// An observation that moves leaves a tombstone, and can come back.
func TestTombstones(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	r := d.NewReader()
	o := func(hour int, v timeline.Millis, deleted bool) *metrics.ObservationRow {
		return &metrics.ObservationRow{
			Version: version(1, v), Team: "web", Deleted: deleted,
			Observation: metrics.Observation{Metric: "pr_pickup_time", Entity: "pr/1", At: at(hour, 0), Value: int64(hour), Outcome: metrics.Observed},
		}
	}
	hours := func() (list []int64) {
		rows, _, err := r.Observations(t.Context(), everything(metrics.Hour), "", 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range rows {
			list = append(list, x.Value)
		}
		return list
	}
	write(t, d, Live, o(9, at(10, 0), false))
	is(t, "written", fmt.Sprint(hours()), "[9]")
	write(t, d, Live, o(9, at(10, 5), true), o(8, at(10, 5), false))
	is(t, "moved to 8", fmt.Sprint(hours()), "[8]")
	exec(t, d, "OPTIMIZE TABLE observations_live FINAL")
	is(t, "moved and merged", fmt.Sprint(hours()), "[8]")
	write(t, d, Live, o(9, at(10, 0), false)) // sent once more after a crash
	is(t, "an old row comes again", fmt.Sprint(hours()), "[8]")
	write(t, d, Live, o(8, at(10, 10), true), o(9, at(10, 10), false))
	is(t, "moved back", fmt.Sprint(hours()), "[9]")
}

// Replay and live never see each other's rows, whatever their versions.
func TestSidesAreApart(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	r := d.NewReader()
	write(t, d, Live, merged("web", at(9, 0), 1, version(1, at(10, 0))))
	write(t, d, Replay, merged("web", at(9, 0), 2, version(2, at(10, 0))))
	for g, want := range map[streaming.Generation]int64{0: 1, 1: 1, 2: 2} {
		q := everything(metrics.Hour)
		q.Generation = g
		got, err := r.Points(t.Context(), q)
		if err != nil || len(got) != 1 || got[0].N() != want {
			t.Errorf("generation %d: %d points, %v; want one with %d observations", g, len(got), err, want)
		}
	}
}
