package metrics

import (
	"math/rand/v2"
	"slices"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Ten years end with no more state than one year of the same rate: everything
// has an end, and what was evicted has a count. One year is measured after 13
// months, since a stub is kept for 400 days.
func TestTenYearsAreOneYear(t *testing.T) {
	type held struct{ bytes, entities, given, series, windows, days int }
	config := benchConfig()
	e, err := NewEngine(config)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	start := timeline.UTC().Midnight(timeline.MakeDate(2016, 1, 1))
	var waiting []event.Routed
	var offset int64
	drop := func(Row) {}
	at := make(map[int]held)
	const days = 3660
	for day := range days {
		begin := start + timeline.Millis(day)*timeline.Day
		if day%4 == 0 {
			waiting = append(waiting, benchWork(rng, "web", 1, day/2, begin+9*timeline.Hour)...)
			slices.SortStableFunc(waiting, func(a, b event.Routed) int { return int((a.Event.Time - b.Event.Time) / 1000) })
		}
		end := begin + timeline.Day
		for len(waiting) > 0 && waiting[0].Event.Time < end {
			offset++
			e.Apply(0, streaming.Record[event.Routed]{Origin: streaming.Origin{Offset: offset}, Value: waiting[0]}, drop)
			waiting = waiting[1:]
		}
		r := streaming.RoundOf(end)
		e.Tick(r.Clock(), streaming.NewVersion(1, r), drop)
		if day+1 == 410 || day+1 == days {
			var h held
			e.Save(func(_ string, data []byte) { h.bytes += len(data) })
			for _, tm := range e.teams {
				for _, entities := range tm.entities {
					for _, en := range entities {
						h.entities++
						h.given += int(e.observations(en))
					}
				}
				h.series += len(tm.ordered)
				for _, s := range tm.ordered {
					h.days += len(s.chunks)
					for g := range s.windows {
						h.windows += len(s.windows[g])
					}
				}
			}
			at[day+1] = h
		}
	}
	one, ten := at[410], at[days]
	more := func(a, b int) bool { return float64(b) > 1.1*float64(a)+20 } // the log is random
	if more(one.bytes, ten.bytes) || more(one.entities, ten.entities) || more(one.given, ten.given) ||
		more(one.series, ten.series) || more(one.windows, ten.windows) || more(one.days, ten.days) {
		t.Errorf("after 410 days %+v\nafter ten years %+v", one, ten)
	}
	if n := e.alarms.Len() + len(e.expiries); n > 2000 {
		t.Errorf("%d timers and expiries", n)
	}
	c := e.Counters()
	if c.EvictedFolds == 0 || c.EvictedStubs == 0 || c.EvictedCells == 0 || c.EvictedWindows == 0 || c.EvictedQuality == 0 || c.EvictedGiven == 0 || c.TrimmedFacts == 0 {
		t.Errorf("counted %+v", c)
	}
	if c.TooOld != 0 || c.Twice != 0 {
		t.Errorf("%d changes came too late, and all facts were in time: forgetting has changed what is told; %d observations were given twice", c.TooOld, c.Twice)
	}
	t.Logf("after 410 days %+v, after ten years %+v; %s", one, ten, c)
}
