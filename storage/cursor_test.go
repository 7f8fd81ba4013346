package storage

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Page by page everything is seen once, in the order of one big page, also when
// all rows have one time and differ only in the last part of their key.
func TestObservationsPageByPage(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	r := d.NewReader()
	var rows []metrics.Row
	for i := range 40 {
		rows = append(rows, &metrics.ObservationRow{
			Version: version(1, at(12, 0)), Team: fmt.Sprint("it's ", i%2),
			Observation: metrics.Observation{
				Metric: "pr_pickup_time", Service: fmt.Sprint("s\t", i%3), Entity: event.EntityID(fmt.Sprint("pr/", i/8)), Item: fmt.Sprint(i % 4),
				At: at(9, 0) + timeline.Millis(i/20), Outcome: metrics.Outcome(1 + i%3), Reason: metrics.Reason(fmt.Sprint("r", i%5)), Value: int64(i),
			},
		})
	}
	write(t, d, Live, rows...)
	values := func(limit int) (list []int64) {
		for cursor, page := "", 0; ; page++ {
			got, next, err := r.Observations(t.Context(), everything(metrics.Hour), cursor, limit)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) > limit {
				t.Fatalf("a page of %d, want at most %d", len(got), limit)
			}
			for _, o := range got {
				list = append(list, o.Value)
			}
			if next == "" {
				return list
			}
			if len(got) != limit || page > 40 {
				t.Fatalf("page %d has %d rows, and there are more", page, len(got))
			}
			cursor = next
		}
	}
	all := values(100)
	is(t, "rows", len(all), 40)
	for _, limit := range []int{1, 7, 20, 40} {
		if got := values(limit); !slices.Equal(got, all) {
			t.Errorf("pages of %d: %v, want %v", limit, got, all)
		}
	}

	// A row that is new, and newer than where the reader is, moves no page.
	first, next, err := r.Observations(t.Context(), everything(metrics.Hour), "", 10)
	if err != nil {
		t.Fatal(err)
	}
	write(t, d, Live, &metrics.ObservationRow{Version: version(1, at(12, 1)), Team: "web", Observation: metrics.Observation{
		Metric: "pr_pickup_time", At: at(9, 30), Outcome: metrics.Observed, Value: 99}})
	second, _, err := r.Observations(t.Context(), everything(metrics.Hour), next, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range slices.Concat(first, second) {
		is(t, fmt.Sprint("row ", i), o.Value, all[i])
	}
}

func TestObservationsAreFiltered(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	r := d.NewReader()
	var rows []metrics.Row
	for i, o := range []struct{ team, metric, service string }{{"a", "m", "x"}, {"a", "m", "y"}, {"a", "n", "x"}, {"b", "m", "x"}} {
		rows = append(rows, &metrics.ObservationRow{Version: version(1, at(12, 0)), Team: o.team, Observation: metrics.Observation{
			Metric: metrics.Name(o.metric), Service: o.service, At: at(i, 0), Outcome: metrics.Observed, Value: int64(i)}})
	}
	write(t, d, Live, rows...)
	for _, c := range []struct {
		q    metrics.Query
		want string
	}{
		{metrics.Query{From: at(0, 0), To: at(9, 0)}, "[3 2 1 0]"},
		{metrics.Query{Teams: []string{}, From: at(0, 0), To: at(9, 0)}, "[]"},
		{metrics.Query{Teams: []string{"a"}, From: at(0, 0), To: at(9, 0)}, "[2 1 0]"},
		{metrics.Query{Teams: []string{"b", "a"}, Metric: "m", From: at(0, 0), To: at(9, 0)}, "[3 1 0]"},
		{metrics.Query{Metric: "m", Service: "x", From: at(0, 0), To: at(9, 0)}, "[3 0]"},
		{metrics.Query{Service: metrics.AllServices, From: at(1, 0), To: at(3, 0)}, "[2 1]"},
	} {
		got, _, err := r.Observations(t.Context(), c.q, "", 10)
		if err != nil {
			t.Fatal(err)
		}
		values := []int64{}
		for _, o := range got {
			values = append(values, o.Value)
		}
		is(t, fmt.Sprintf("%+v", c.q), fmt.Sprint(values), c.want)
	}
}

func TestRejectsPageByPage(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	r := d.NewReader()
	var rows []metrics.Row
	for i := range 30 {
		rows = append(rows, &metrics.RejectRow{
			Version: version(1, at(12, 0)), Team: fmt.Sprint("team", i%2), Origin: streaming.Origin{Partition: int32(i % 3), Offset: int64(i / 6), Ordinal: int32(i)},
			Received: at(9, i/15), Clock: streaming.NoClock, Verdict: event.Late, Reason: "", Detail: fmt.Sprint(i),
		})
	}
	write(t, d, Live, rows...)
	details := func(limit int) (list []string) {
		for cursor := ""; ; {
			got, next, err := r.Rejects(t.Context(), cursor, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range got {
				list = append(list, x.Detail)
			}
			if next == "" || len(list) > 100 {
				return list
			}
			cursor = next
		}
	}
	all := details(100)
	is(t, "rows", len(all), 30)
	for _, limit := range []int{1, 7, 30} {
		if got := details(limit); !slices.Equal(got, all) {
			t.Errorf("pages of %d: %v, want %v", limit, got, all)
		}
	}
}

func TestForeignCursor(t *testing.T) {
	d, _ := open(t, nil)
	r := d.NewReader()
	for _, cursor := range []string{"x", "!", encodeCursor(7)} {
		if _, _, err := r.Observations(t.Context(), everything(metrics.Hour), cursor, 10); !errors.Is(err, metrics.ErrCursor) {
			t.Errorf("observations %q: %v, want ErrCursor", cursor, err)
		}
		if _, _, err := r.Rejects(t.Context(), cursor, 10); !errors.Is(err, metrics.ErrCursor) {
			t.Errorf("rejects %q: %v, want ErrCursor", cursor, err)
		}
	}
}
