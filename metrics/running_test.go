package metrics

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// The sum that is kept of a full day is what its cells add up to, whatever comes, goes,
// and lies in other days.
func TestRunningDay(t *testing.T) {
	kept := 0
	rapid.Check(t, func(rt *rapid.T) {
		c := testConfig(t, "UTC")
		c.Definitions = ofMetric("t_wait")
		d := *c.Definitions[0]
		d.Statistic = rapid.SampledFrom([]Statistic{MedianDuration, Count, Share, People, Heat, CountLength}).Draw(rt, "statistic")
		c.Definitions = []*Definition{&d}
		e, err := NewEngine(c)
		if err != nil {
			rt.Fatal(err)
		}
		s := e.newTeam("web").of(0, "")
		first := timeline.MakeDate(2026, 3, 1)
		var in []change
		for range rapid.IntRange(1, 8).Draw(rt, "ticks") {
			for range rapid.IntRange(0, 60).Draw(rt, "changes") {
				if n := len(in); n > 0 && rapid.IntRange(0, 3).Draw(rt, "gone") == 0 {
					i := rapid.IntRange(0, n-1).Draw(rt, "which")
					g := in[i]
					g.sign = -1
					s.pending, in = append(s.pending, g), append(in[:i], in[i+1:]...)
					continue
				}
				at := timeline.UTC().Midnight(first) + timeline.Millis(rapid.IntRange(0, 2*96-1).Draw(rt, "cell"))*timeline.CellLength
				o := Observation{
					At: at, Value: int64(rapid.IntRange(0, 3).Draw(rt, "value")), Hit: rapid.Bool().Draw(rt, "hit"), Outcome: Outcome(rapid.IntRange(1, 3).Draw(rt, "outcome")),
					Reason: rapid.SampledFrom([]Reason{"", Bot, Self}).Draw(rt, "reason"), Primary: rapid.IntRange(0, 3).Draw(rt, "secondary") > 0,
					Slot: uint8(rapid.IntRange(0, 168).Draw(rt, "slot")), Known: event.ZoneSource(rapid.IntRange(0, 3).Draw(rt, "known")),
					Person: event.PersonID{byte(rapid.IntRange(0, 3).Draw(rt, "person"))}, Basis: rapid.SampledFrom([]string{"", BasisMeasured}).Draw(rt, "basis"),
				}
				g := e.give(0, &o)
				ch := g.change(1)
				s.pending, in = append(s.pending, ch), append(in, ch)
			}
			s.apply()
			s.settled()
			from, to := cellsOf(s.team.calendar.day(first + timeline.Date(rapid.IntRange(0, 1).Draw(rt, "day"))))
			var got, want Aggregate
			s.aggregateDay(&got, from, to)
			s.aggregate(&want, from, to)
			if !bytes.Equal(got.AppendBytes(nil), want.AppendBytes(nil)) {
				rt.Fatalf("%+v\nwant\n%+v", got, want)
			}
			if s.running != nil {
				kept++
			}
		}
	})
	if kept == 0 {
		t.Error("no day was ever full")
	}
}
