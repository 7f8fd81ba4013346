package web

import (
	"cmp"
	"slices"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// A lateCause is one way in which data comes after its time, and what becomes of it.
type lateCause struct {
	text, effect func(*language.QualityWords) string
	of           func(*metrics.QualityRow) int64
}

var lateCauses = []lateCause{
	{func(w *language.QualityWords) string { return w.CauseLate }, func(w *language.QualityWords) string { return w.EffectLate },
		func(q *metrics.QualityRow) int64 { return q.LateAccepted }},
	{func(w *language.QualityWords) string { return w.CauseOld }, func(w *language.QualityWords) string { return w.EffectOld },
		func(q *metrics.QualityRow) int64 { return q.Late }},
	{func(w *language.QualityWords) string { return w.CauseHealed }, func(w *language.QualityWords) string { return w.EffectHealed },
		func(q *metrics.QualityRow) int64 { return q.Healed }},
	{func(w *language.QualityWords) string { return w.CauseRead }, func(w *language.QualityWords) string { return w.EffectRead },
		func(q *metrics.QualityRow) int64 { return q.Backfilled }},
}

// late sums what came late by source and cause, with its days.
func late(say *language.Words, rows []metrics.QualityRow, z *timeline.Zone, win timeline.Window) (out []views.Late) {
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
			Source: sourceTitle(say, k.source), Cause: lateCauses[k.cause].text(&say.Quality), Effect: lateCauses[k.cause].effect(&say.Quality), N: views.Int(n),
			Days: views.NewBars(say.Quality.ByDays(views.Int(n), first.String(), last.String()), days),
		})
	}
	return out
}
