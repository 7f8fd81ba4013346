package metrics

import (
	"fmt"
	"slices"
	"testing"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// written is a row as somebody who does not keep it writes it down.
func written(r Row) string {
	switch r := r.(type) {
	case *Point:
		p := *r
		p.Aggregate, p.Definition = nil, nil
		return fmt.Sprintf("%+v %s %x", p, r.AppendJSON(nil), r.Aggregate.Bytes())
	case *ObservationRow:
		return fmt.Sprintf("%+v", *r)
	case *QualityRow:
		return fmt.Sprintf("%+v", *r)
	case *RejectRow:
		return fmt.Sprintf("%+v", *r)
	case *CoverageRow:
		return fmt.Sprintf("%+v", *r)
	}
	return "unknown"
}

// Rows that are lent say what rows say that are given away, in the same order; and
// there is one of each kind, used again and again.
func TestRowsThatAreLent(t *testing.T) {
	log := engineLog(benchScale{teams: 3, days: 40, copies: 4000})
	for _, every := range []timeline.Millis{0, 7 * timeline.Hour} {
		rows := func(lend bool) (list []string, points map[*Point]bool) {
			config, last := benchConfig(), streaming.RoundOf(log[len(log)-1].Value.Event.Time+timeline.Day)
			next := log[0].Value.Event.Time + every
			if every == 0 {
				config.HistoryEnd, next = last, never
			}
			e, err := NewEngine(config)
			if err != nil {
				t.Fatal(err)
			}
			if lend {
				e.Lend()
			}
			points = map[*Point]bool{}
			emit := func(r Row) {
				if p, ok := r.(*Point); ok {
					points[p] = true
				}
				list = append(list, written(r))
			}
			tick := func(r streaming.Round) { e.Tick(r.Clock(), streaming.NewVersion(1, r), emit) }
			for i := range log {
				for ; log[i].Value.Event.Time > next; next += every {
					tick(streaming.RoundOf(next))
				}
				e.Apply(0, log[i], emit)
			}
			tick(last)
			return list, points
		}
		given, many := rows(false)
		lent, one := rows(true)
		if i := slices.IndexFunc(given, func(s string) bool { return s == "unknown" }); i >= 0 || len(given) < len(log) {
			t.Fatalf("%d rows, of which %d is unknown", len(given), i)
		}
		if len(many) < 1000 || len(one) != 1 {
			t.Errorf("%d points are given away in %d places, and lent in %d", len(many), len(many), len(one))
		}
		if !slices.Equal(given, lent) {
			for i := range given {
				if i >= len(lent) || given[i] != lent[i] {
					t.Fatalf("ticks of %s: row %d is\n%s\nand lent\n%s", every, i, given[i], lent[min(i, len(lent)-1)])
				}
			}
		}
	}
}
