package storage

import (
	"fmt"
	"testing"
	"time"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

func TestKept(t *testing.T) {
	day := func(y int, m time.Month, d int) timeline.Millis {
		return timeline.FromTime(time.Date(y, m, d, 13, 14, 15, 0, time.UTC))
	}
	midnight := func(y int, m time.Month) timeline.Millis {
		return timeline.FromTime(time.Date(y, m, 1, 0, 0, 0, 0, time.UTC))
	}
	is(t, "for ever", Kept(day(2026, 3, 2), 0), earliest)
	is(t, "30 days before the end of March", Kept(day(2026, 3, 31), 30*timeline.Day), midnight(2026, 3))
	is(t, "31 days", Kept(day(2026, 3, 31), 31*timeline.Day), midnight(2026, 2))
	is(t, "550 days", Kept(day(2026, 3, 2), 550*timeline.Day), midnight(2024, 8))
}

// Months are dropped as a whole, from every table, both halves and every
// generation, those that generation 0 has kept included; the rest stays.
func TestRetain(t *testing.T) {
	d, _ := open(t, nil)
	write(t, d, Live, ofAllTables(1, 1)...)
	current(t, d, 1, 1)
	do(t, d.Keep(t.Context(), 1, at(23, 0)))
	write(t, d, Replay, ofAllTables(2, 2)...)

	// The rows are of 2 March, of 30 January and of 30 December.
	dropped, err := d.Retain(t.Context(), Kept(at(12, 0), 40*timeline.Day))
	do(t, err)
	is(t, "partitions of December", dropped, 3*4)
	dropped, err = d.Retain(t.Context(), Kept(at(12, 0), 40*timeline.Day))
	do(t, err)
	is(t, "partitions, the second time", dropped, 0)
	is(t, "live rows of 1", rowsIn(t, d, Live, 1), rowsOfAll-4)
	is(t, "kept rows", rowsIn(t, d, Live, 0), rowsOfAll-4)
	is(t, "replay rows of 2", rowsIn(t, d, Replay, 2), rowsOfAll-4)
	is(t, "the oldest point", count(t, d, "SELECT toUInt64(toYYYYMM(min(start))) FROM points_live"), 202601)

	// A window on the border's side of midnight is its month's.
	write(t, d, Live, merged("web", Kept(at(12, 0), timeline.Day), 1, version(1, at(11, 0))), merged("web", Kept(at(12, 0), timeline.Day)-1, 1, version(1, at(11, 0))))
	_, err = d.Retain(t.Context(), Kept(at(12, 0), timeline.Day))
	do(t, err)
	points, err := d.NewReader().Points(t.Context(), metrics.Query{Service: metrics.AllServices, Grain: metrics.Hour, From: earliest, To: latest})
	do(t, err)
	is(t, "points of March", fmt.Sprint(len(points), points[0].Start), fmt.Sprint(2, Kept(at(12, 0), timeline.Day)))
}
