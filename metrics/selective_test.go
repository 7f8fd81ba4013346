package metrics

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/streaming/timeline"
)

// A metric that is not asked again, since it reads nothing that has changed, would have
// said what it said before: rows and state are those of an engine that asks all of them.
func TestOnlyWhatHasChangedIsAsked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := benchConfig()
		some, all := newRig(t, c), newRig(t, c)
		all.engine.askAll = true
		clock := timeline.UTC().Midnight(timeline.MakeDate(2026, 3, 2))
		n := 0
		for range rapid.IntRange(1, 8).Draw(rt, "ticks") {
			for range rapid.IntRange(0, 4).Draw(rt, "records") {
				n++
				r := drawBuiltIn(rt, n, clock)
				some.apply(r)
				all.apply(r)
			}
			clock += rapid.SampledFrom([]timeline.Millis{500, timeline.Hour, 26 * timeline.Hour, 95 * timeline.Day}).Draw(rt, "step")
			some.tickAt(clock)
			all.tickAt(clock)
			if got, want := described(some.rows), described(all.rows); !slices.Equal(got, want) {
				rt.Fatalf("at %s:\n%s", clock, strings.ReplaceAll(difference(got, want), "oracle", "all"))
			}
			if !maps.EqualFunc(sections(some.engine), sections(all.engine), bytes.Equal) {
				rt.Fatalf("at %s: other bytes of state", clock)
			}
		}
	})
}

// The same of a log of teams that work as teams do, and fewer metrics are asked: a
// comment is read by one of fifteen.
func TestWhatIsNotAsked(t *testing.T) {
	asked := map[bool]int{}
	var rows [2][]string
	for i, all := range []bool{false, true} {
		c := benchConfig()
		c.Definitions = Definitions()
		for j, d := range c.Definitions {
			if d.Subject != SubjectPullRequest {
				continue
			}
			counted, observe := *d, d.Observe
			counted.Observe = func(f Fold, v View, yield func(Observation)) {
				asked[all]++
				observe(f, v, yield)
			}
			c.Definitions[j] = &counted
		}
		g := newRig(t, c)
		g.engine.askAll = all
		var next timeline.Millis
		for _, r := range engineLog(benchScale{teams: 2, days: 20, copies: 2000}) {
			if at := r.Value.Event.Time; at >= next {
				next = at + timeline.Hour
				g.tickAt(at)
			}
			g.apply(r.Value)
		}
		g.tickAt(next)
		rows[i] = described(g.rows)
	}
	if !slices.Equal(rows[0], rows[1]) {
		t.Fatal(difference(rows[0], rows[1]))
	}
	if asked[false]*5 > asked[true]*4 || asked[false] == 0 {
		t.Errorf("metrics of pull requests were asked %d times, and %d times where all are", asked[false], asked[true])
	}
}
