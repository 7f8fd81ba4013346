package storage

import (
	"fmt"
	"testing"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// What generation 0 has kept is read before the border, and the current
// generation from there on; each window from one of them.
func TestWindowsBeforeTheBorderAreRead(t *testing.T) {
	d, _ := open(t, nil)
	r := d.NewReader()
	month := func(n int) timeline.Millis { return at(9, 0) - timeline.Millis(n)*31*timeline.Day }
	write(t, d, Live, ofAllTables(1, 1)...)
	current(t, d, 1, 1)
	border := at(0, 0) - 40*timeline.Day // between the second and the third month
	for range 2 {                        // it may be done again
		do(t, d.Keep(t.Context(), 1, border))
	}
	is(t, "rows before the border has moved", pointsSeen(t, r), "1 1 1")
	do(t, d.SetHistoryFrom(t.Context(), border))
	do(t, d.SetHistoryFrom(t.Context(), border-timeline.Day)) // it does not go back
	from, err := d.HistoryFrom(t.Context())
	do(t, err)
	is(t, "border", from, border)
	is(t, "rows of one generation, half of them kept", pointsSeen(t, r), "1 1 1")

	// The next generation has lost the oldest month and sees the rest otherwise.
	rows := ofAllTables(2, 2)
	write(t, d, Replay, rows[:10]...)
	write(t, d, Replay, &metrics.CoverageRow{Version: version(2, at(10, 0)), Team: "web", From: border, Covered: []timeline.Window{{Start: border - timeline.Day, End: border + 1}}})
	do(t, d.Promote(t.Context(), 2))
	current(t, d, 2, 2)
	do(t, d.Back(t.Context(), 1))
	do(t, d.Drop(t.Context(), 1))
	is(t, "rows", pointsSeen(t, r), "1 2 2")
	observations, next, err := r.Observations(t.Context(), metrics.Query{From: month(3), To: at(23, 0)}, "", 2)
	do(t, err)
	is(t, "a page of observations", fmt.Sprint(observations[0].Value, observations[1].Value, next != ""), "2 2 true")
	observations, _, err = r.Observations(t.Context(), metrics.Query{From: month(3), To: at(23, 0)}, next, 2)
	do(t, err)
	is(t, "the next page", fmt.Sprint(len(observations), observations[0].Value, observations[0].Version.Generation()), "1 1 1")
	quality, err := r.Quality(t.Context(), month(3), at(23, 0))
	do(t, err)
	is(t, "quality", fmt.Sprint(quality[0].Decoded, quality[1].Decoded, quality[2].Decoded), "1 2 2")
	rejects, _, err := r.Rejects(t.Context(), "", 10)
	do(t, err)
	is(t, "rejects", fmt.Sprint(rejects[0].Detail, rejects[1].Detail, rejects[2].Detail), "221")
	running := thirtyDays("web", "")
	running.Version = version(2, at(10, 0))
	write(t, d, Live, running)
	teams, err := r.Teams(t.Context())
	do(t, err)
	is(t, "teams", fmt.Sprint(teams), "[web]")
	coverage, err := r.Coverage(t.Context())
	do(t, err)
	is(t, "coverage", fmt.Sprint(len(coverage), coverage[0].From, int64(coverage[0].Covered[0].End-border)), fmt.Sprint(1, border, 1))
}

// A person who is forgotten is in no observation of generation 0, and everybody
// else stays.
func TestForget(t *testing.T) {
	d, _ := open(t, nil)
	o := func(person byte, hour int) *metrics.ObservationRow {
		return &metrics.ObservationRow{Version: version(1, at(10, 0)), Team: "web", Observation: metrics.Observation{
			At: at(hour, 0), Person: [16]byte{person}, Outcome: metrics.Observed}}
	}
	write(t, d, Live, o(7, 1), o(8, 2), o(7, 3))
	current(t, d, 1, 1)
	do(t, d.Keep(t.Context(), 1, at(12, 0)))
	do(t, d.Forget(t.Context(), [16]byte{7}))
	is(t, "in generation 0", count(t, d, "SELECT count() FROM observations_live FINAL WHERE generation = 0"), 1)
	is(t, "in generation 1", count(t, d, "SELECT count() FROM observations_live FINAL WHERE generation = 1"), 3)
}

func TestCoverageThatWasKept(t *testing.T) {
	w := func(from, to timeline.Millis) timeline.Window { return timeline.Window{Start: from, End: to} }
	kept := []metrics.CoverageRow{
		{Team: "a", From: 10, Covered: []timeline.Window{w(1, 5), w(90, 120)}, Gaps: []timeline.Window{w(50, 60)}},
		{Team: "gone", From: 20, Last: 30},
		{Team: "late", From: 150},
	}
	now := []metrics.CoverageRow{
		{Team: "a", From: 110, Last: 500, Covered: []timeline.Window{w(95, 100), w(300, 310)}},
		{Team: "late", From: 160}, {Team: "new", From: 400},
	}
	got := withKept(kept, now, 100)
	want := []metrics.CoverageRow{
		{Team: "a", From: 10, Last: 500, Covered: []timeline.Window{w(1, 5), w(90, 100), w(300, 310)}, Gaps: []timeline.Window{w(50, 60)}},
		{Team: "gone", From: 20, Last: 30}, {Team: "late", From: 160}, {Team: "new", From: 400},
	}
	is(t, "coverage", fmt.Sprint(got), fmt.Sprint(want))
}

// pointsSeen are the counts of all points, the oldest first.
func pointsSeen(t testing.TB, r *Reader) string {
	t.Helper()
	points, err := r.Points(t.Context(), metrics.Query{Service: metrics.AllServices, Grain: metrics.Hour, From: at(0, 0) - 100*timeline.Day, To: at(23, 0)})
	do(t, err)
	var seen []int64
	for _, p := range points {
		seen = append(seen, p.N())
	}
	text := fmt.Sprint(seen)
	return text[1 : len(text)-1]
}
