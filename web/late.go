package web

import (
	"cmp"
	"fmt"
	"slices"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/views"
)

// A lateCause is one way in which data comes after its time, and what becomes of it.
type lateCause struct {
	text, effect string
	of           func(*metrics.QualityRow) int64
}

var lateCauses = []lateCause{
	{"Came after the time that is waited for its source", "Counted; windows that were final by then were revised",
		func(q *metrics.QualityRow) int64 { return q.LateAccepted }},
	{"Came when it was older than the horizon", "Not counted; it waits for the next time that history is computed",
		func(q *metrics.QualityRow) int64 { return q.Late }},
	{"Had come beyond the horizon, and history was computed since", "Counted",
		func(q *metrics.QualityRow) int64 { return q.Healed }},
	{"Was read from an API", "Counted at its own time, as far as it is inside the horizon; never late by its own fault",
		func(q *metrics.QualityRow) int64 { return q.Backfilled }},
}

// late sums what came late by source and cause, with its days.
func late(rows []metrics.QualityRow, z *timeline.Zone, win timeline.Window) (out []views.Late) {
	type key struct {
		source event.Source
		cause  int
	}
	sums := map[key]map[timeline.Date]int64{}
	for i := range rows {
		q := &rows[i]
		for cause := range lateCauses {
			if n := lateCauses[cause].of(q); n > 0 {
				k := key{q.Source, cause}
				if sums[k] == nil {
					sums[k] = map[timeline.Date]int64{}
				}
				sums[k][z.Date(q.Cell.Start())] += n
			}
		}
	}
	var keys []key
	for k := range sums {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.cause, b.cause)) })
	first, last := z.Date(win.Start), z.Date(win.End-1)
	for _, k := range keys {
		days := make([]int64, last-first+1)
		var n int64
		for d, count := range sums[k] {
			n += count
			if i := int(d - first); i >= 0 && i < len(days) {
				days[i] += count
			}
		}
		out = append(out, views.Late{
			Source: sourceTitle(k.source), Cause: lateCauses[k.cause].text, Effect: lateCauses[k.cause].effect, N: views.Int(n),
			Days: views.NewBars(fmt.Sprintf("%d, by day of the event from %s to %s", n, first, last), days),
		})
	}
	return out
}
