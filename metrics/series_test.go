package metrics

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// What is added up from cells is, to the byte, what its observations add up to one by
// one: both parts, people, and all that is counted beside.
func TestCellsAddUpAsObservationsDo(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 5))
	apart := 0
	for _, statistic := range []Statistic{MedianDuration, Count, Share, People, MedianLines, Heat, CountLength} {
		for range 40 {
			c := testConfig(t, "UTC")
			c.Definitions = ofMetric("t_wait")
			e, err := NewEngine(c)
			if err != nil {
				t.Fatal(err)
			}
			def := *c.Definitions[0]
			def.Statistic = statistic
			s := &series{team: e.newTeam("web"), def: &def}
			var want Aggregate
			start := timeline.UTC().Midnight(timeline.MakeDate(2026, 3, 1))
			for range 1 + rng.IntN(12) {
				o := Observation{
					At: start + timeline.Millis(rng.Int64N(int64(2*timeline.Day))), Value: rng.Int64N(6), Hit: rng.IntN(2) == 0,
					Outcome: Outcome(1 + rng.IntN(3)), Primary: rng.IntN(4) > 0, Person: event.PersonID{byte(rng.IntN(3))},
					Class: timeline.Class(rng.IntN(4)), Known: event.ZoneSource(rng.IntN(4)), Slot: uint8(rng.IntN(3)), Basis: []string{"", BasisMeasured}[rng.IntN(2)],
				}
				if o.Outcome != Observed {
					o.Reason = []Reason{Bot, Self}[rng.IntN(2)]
				}
				want.Add(statistic, &o)
				g := e.give(0, &o)
				s.pend(g.change(1))
			}
			s.apply()
			var got Aggregate
			s.aggregate(&got, timeline.CellOf(start), timeline.CellOf(start+2*timeline.Day))
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Fatalf("statistic %d: cells add up to\n%s\nand observations to\n%s", statistic, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
			}
			if got.Primary != nil {
				apart++
			}
		}
	}
	if apart < 100 {
		t.Errorf("only %d have a second part", apart)
	}
}
