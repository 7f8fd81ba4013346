package metrics

import (
	"slices"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// testGauge is open from the first opening to the first review, merge or close.
func testGauge() *Definition {
	return &Definition{
		Name: "t_waiting", Statistic: Gauge, Sources: []event.Source{event.GitHub}, Refire: Revise, Subject: SubjectPullRequest,
		Observe: func(f Fold, _ View, yield func(Observation)) {
			start, ok := f.(*testThing).first(event.PullRequestOpened, 0)
			if !ok {
				return
			}
			o := Observation{Start: start.At, At: start.At, Value: StillOpen, Outcome: Observed, Primary: true}
			for _, fact := range f.(*testThing).Facts {
				if fact.Kind != event.PullRequestOpened && fact.At >= start.At && !fact.Bot {
					o.Value = int64(fact.At - start.At)
					break
				}
			}
			yield(o)
		},
	}
}

// A gauge gives rows and no points. Its row keeps its key when it closes, and
// it is its end that becomes too old to change.
func TestGauge(t *testing.T) {
	c := testConfig(t, "UTC")
	c.Definitions = []*Definition{testGauge()}
	g := newRig(t, c)
	step := func(what, at string, want ...string) {
		t.Helper()
		if lines := g.tick(at); len(lines) > 0 {
			t.Errorf("%s: a gauge has points: %v", what, lines)
		}
		same(t, what, g.evidence("t_waiting"), want...)
		g.engine = restored(t, c, g.engine)
	}
	g.send("web", "pr/1", event.PullRequestOpened, "2026-01-02T09:00:00Z")
	step("opened", "2026-01-02T10:00:00Z", " until 2026-01-02T09:00:00Z, open")
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-04-12T09:00:00Z")
	step("closed after 100 days", "2026-04-12T10:00:00Z", " until 2026-01-02T09:00:00Z, 100d")
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-04-10T09:00:00Z")
	step("ended earlier", "2026-04-12T11:00:00Z", " until 2026-01-02T09:00:00Z, 98d")
	g.send("web", "pr/1", event.PullRequestOpened, "2026-01-01T09:00:00Z")
	step("began earlier", "2026-04-12T12:00:00Z", "gone:  until 2026-01-02T09:00:00Z", " until 2026-01-01T09:00:00Z, 99d")
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-01-08T09:00:00Z") // beyond the horizon of 13 April
	step("its end was long ago", "2026-04-13T12:00:00Z")
	if n := g.engine.Counters().TooOld; n != 1 {
		t.Errorf("counted %d times", n)
	}
	if g.engine.alarms.Len()+len(g.engine.teams["web"].series) > 0 {
		t.Error("a gauge has windows")
	}
}

func TestGaugeAt(t *testing.T) {
	intervals := []Interval{
		{Start: 100, End: 200, Primary: true}, {Start: 150, End: 300, Primary: true}, {Start: 150, End: never}, {Start: 400, End: 400, Primary: true},
	}
	for _, c := range []struct {
		at   timeline.Millis
		n    int64
		ages []int64
	}{
		{99, 0, nil}, {100, 1, []int64{0}}, {199, 3, []int64{49, 49, 99}}, {200, 2, []int64{50, 50}}, {300, 1, []int64{150}}, {400, 1, []int64{250}},
	} {
		if n, ages := GaugeAt(intervals, c.at); n != c.n || !slices.Equal(ages, c.ages) {
			t.Errorf("at %d: %d %v", c.at, n, ages)
		}
	}
}

// A gauge adds up over teams and takes the last over time; without coverage it
// is null.
func TestGaugePoint(t *testing.T) {
	monday := timeline.MakeDate(2026, 3, 2)
	day := timeline.UTC().Day(monday)
	f := Frame{Team: "org", Several: true, Grain: Day, Window: day, Zone: "UTC", Clock: day.End + timeline.Hour, Generation: 7}
	covered := Coverage{From: day.Start - timeline.Day}
	intervals := []Interval{
		{Start: day.End - 3*timeline.Hour, End: never, Primary: true}, // of one team
		{Start: day.End - timeline.Hour, End: never, Primary: true},   // of another
		{Start: day.End - timeline.Hour, End: never},                  // the second team's copy
		{Start: day.Start, End: day.End, Primary: true},               // closed at the very end
	}
	p := GaugePoint(testGauge(), f, intervals, covered)
	j := p.JSON()
	if p.N() != 2 || *j.Value != 2 || *j.P50 != 7200 || *j.Sum != 14400 || j.Unit != "count" || j.Status != "final" || j.Missing != "" || j.Generation != 7 {
		t.Errorf("%s", p.AppendJSON(nil))
	}
	f.Several, f.Clock = false, day.End-2*timeline.Hour
	if p := GaugePoint(testGauge(), f, intervals, covered); p.N() != 2 || p.Status != Provisional {
		t.Errorf("at noon: %s", p.AppendJSON(nil))
	}
	for reason, c := range map[Reason]Coverage{NoSource: {}, BeforeCoverage: {From: day.End}, "": {From: day.End - 2*timeline.Hour - 1}} {
		if p := GaugePoint(testGauge(), f, nil, c); p.Missing != reason {
			t.Errorf("covered from %s: missing %q, want %q", c.From, p.Missing, reason)
		}
	}
	f.Window = timeline.Window{Start: f.Clock + 1, End: f.Clock + 2}
	if p := GaugePoint(testGauge(), f, intervals, covered); p.Missing != NothingObserved {
		t.Errorf("ahead of the clock: missing %q", p.Missing)
	}
}
