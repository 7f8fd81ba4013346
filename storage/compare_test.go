package storage

import (
	"reflect"
	"testing"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Two generations of five points: one equal, one of another value, one of another
// round, one in the first alone, one in the second alone; and one that the first has
// written after the round up to which they are compared.
func TestCompare(t *testing.T) {
	d, _ := open(t, nil)
	end := at(12, 0)
	put := func(side Side, g streaming.Generation, hour, n int, when timeline.Millis, team string) {
		s := d.NewSink(side, nil)
		stop := run(t, s)
		defer stop()
		if err := s.Put(t.Context(), 0, []metrics.Row{merged(team, at(hour, 0), n, version(g, when))}); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, side := range []Side{Live, Replay} {
		g := streaming.Generation(1)
		if side == Replay {
			g = 2
		}
		put(side, g, 1, 2, at(11, 0), "equal")
		put(side, g, 1, 1, at(10, 0), "equal") // an older version of it, which came later
		put(side, g, 2, int(g), at(11, 0), "value")
		put(side, g, 3, 1, at(10+int(g), 0)-timeline.Hour, "round")
		put(side, g, 9, 1, at(11, 0), "newer")
	}
	put(Live, 1, 4, 1, at(11, 0), "missing")
	put(Replay, 2, 5, 1, at(11, 0), "extra")
	put(Live, 1, 9, 2, at(12, 30), "newer")

	all, err := d.Compare(t.Context(), 1, 2, streaming.RoundOf(end), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	points := all[0]
	want := Compared{Table: "points", Rows: 6, Equal: 1, Different: 2, Missing: 1, Extra: 1, Newer: 1}
	got := points
	got.Examples = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("points: %+v, want %+v", got, want)
	}
	byTeam := map[string]RowDifference{}
	for _, e := range points.Examples {
		byTeam[e.Key[0].Value] = e
	}
	is(t, "examples", len(byTeam), 4)
	has := func(team, column string) {
		t.Helper()
		for _, c := range byTeam[team].Columns {
			if c.Name == column {
				return
			}
		}
		t.Errorf("%s differs in %v, and not in %s", team, byTeam[team].Columns, column)
	}
	has("value", "n")
	has("value", "state")
	is(t, "the round", byTeam["round"].First != byTeam["round"].Second && len(byTeam["round"].Columns) == 0, true)
	is(t, "missing", byTeam["missing"].Second, streaming.Round(0))
	is(t, "extra", byTeam["extra"].First, streaming.Round(0))
	for _, c := range all[1:] {
		is(t, c.Table, c.Rows, uint64(0))
	}
	later, err := d.Compare(t.Context(), 1, 2, streaming.RoundOf(end), at(4, 0), 0)
	if err != nil {
		t.Fatal(err)
	}
	is(t, "from 04:00 on", later[0].Rows, uint64(3))
}

// What the second has taken back and the first has not, and the other way round.
func TestCompare_Tombstones(t *testing.T) {
	d, _ := open(t, nil)
	for _, x := range []struct {
		g       streaming.Generation
		deleted bool
	}{{1, false}, {2, true}} {
		s := d.NewSink(Replay, nil)
		stop := run(t, s)
		rows := []metrics.Row{
			&metrics.ObservationRow{Version: version(x.g, at(10, 0)), Team: "web", Observation: metrics.Observation{Metric: "pr_merged", Item: "1", At: at(9, 0), Outcome: metrics.Observed}},
			&metrics.ObservationRow{Version: version(x.g, at(11, 0)), Team: "web", Deleted: x.deleted, Observation: metrics.Observation{Metric: "pr_merged", Item: "1", At: at(9, 0), Outcome: metrics.Observed}},
			&metrics.ObservationRow{Version: version(x.g, at(11, 0)), Team: "web", Deleted: true, Observation: metrics.Observation{Metric: "pr_merged", Item: "2", At: at(9, 0), Outcome: metrics.Observed}},
		}
		for _, r := range rows {
			if err := s.Put(t.Context(), 0, []metrics.Row{r}); err != nil {
				t.Fatal(err)
			}
			if err := s.Flush(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
		stop()
	}
	all, err := d.Compare(t.Context(), 1, 2, streaming.RoundOf(at(12, 0)), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	got := all[1]
	got.Examples = nil
	if want := (Compared{Table: "observations", Rows: 1, Missing: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("observations: %+v, want %+v", got, want)
	}
}
