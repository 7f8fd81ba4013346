package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// testLine is a line of acts: one for each person, and one for each service of
// a record, in sessions by the day of UTC on which they begin.
type testLine struct {
	Name event.EntityID `cbor:"1,keyasint,omitempty"`
	Acts []testLineAct  `cbor:"2,keyasint,omitempty"` // by time and key
	Asks Parts          `cbor:"3,keyasint,omitempty"`
}

type testLineAct struct {
	_   struct{} `cbor:",toarray"`
	At  timeline.Millis
	Key string
}

const (
	testGap             = timeline.Hour
	subjectLine Subject = 100
)

func lineActAt(a *testLineAct) timeline.Millis { return a.At }

func (f *testLine) Identify(id event.EntityID) { f.Name = id }

func (f *testLine) Apply(r *event.Routed) {
	a := testLineAct{At: r.Act.At, Key: r.Act.Key}
	if i := slices.IndexFunc(f.Acts, func(b testLineAct) bool { return b.Key == a.Key }); i >= 0 {
		if f.Acts[i].At <= a.At {
			return // it happened at the first time that is told of it
		}
		f.touch(f.Acts[i].At)
		f.Acts = slices.Delete(f.Acts, i, i+1)
	}
	i, _ := slices.BinarySearchFunc(f.Acts, a, func(a, b testLineAct) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Key, b.Key)) })
	f.Acts = slices.Insert(f.Acts, i, a)
	f.touch(a.At)
}

func (f *testLine) touch(at timeline.Millis) {
	first, last := SessionAbout(f.Acts, lineActAt, testGap, at)
	for day := utcDayOf(first); day <= utcDayOf(last); day++ {
		f.Asks.Touch(fmt.Sprintf("%08d", day))
	}
}

func (f *testLine) Touched(yield func(string)) { f.Asks.Each(yield) }

func (f *testLine) Trim(before timeline.Millis) int64 {
	n := SessionsBefore(f.Acts, lineActAt, testGap, before)
	f.Acts = slices.Delete(f.Acts, 0, n)
	return int64(n)
}

func (f *testLine) Life() (timeline.Millis, bool) {
	if len(f.Acts) == 0 {
		return 0, false
	}
	return f.Acts[len(f.Acts)-1].At, false
}

// sessions yields those of a part, or all of them.
func (f *testLine) sessions(part string, yield func([]testLineAct)) {
	from, to := timeline.Millis(-1)<<60, timeline.Millis(1)<<60
	if part != "" {
		day, err := strconv.Atoi(part)
		if err != nil {
			panic(err)
		}
		from, to = utcDay(day).start(), utcDay(day+1).start()
	}
	for s := range SessionsIn(f.Acts, lineActAt, testGap, from, to) {
		yield(s)
	}
}

func testLineKind() FoldKind {
	return FoldKind{
		Subject: subjectLine, New: func() Fold { return new(testLine) },
		Entities: func(r *event.Routed, yield func(event.EntityID)) {
			if r.Act == nil {
				return
			}
			yield(event.EntityID(fmt.Sprintf("line/%x", r.Actor.ID[:1])))
			for _, s := range r.Services {
				yield(event.EntityID("line/of " + s))
			}
		},
	}
}

func testLineDefinitions() []*Definition {
	return []*Definition{
		{
			Name: "t_sessions", Statistic: CountLength, Sources: event.Sources[:], Refire: Revise, Subject: subjectLine,
			Observe: func(f Fold, v View, yield func(Observation)) {
				f.(*testLine).sessions(v.Part, func(s []testLineAct) {
					first, last := s[0].At, s[len(s)-1].At
					yield(Observation{Item: first.String(), Start: first, At: last, Value: int64(last - first), Outcome: Observed, Primary: true, Label: string(f.(*testLine).Name)})
				})
			},
		},
		{
			Name: "t_heat", Statistic: Heat, Sources: event.Sources[:], Refire: Revise, Subject: subjectLine,
			Observe: func(f Fold, v View, yield func(Observation)) {
				f.(*testLine).sessions(v.Part, func(s []testLineAct) {
					for _, a := range s {
						yield(Observation{Item: a.Key, At: a.At, Value: 1, Outcome: Observed, Primary: true, Slot: SlotOf(timeline.UTC(), a.At)})
					}
				})
			},
		},
	}
}

// lineRig drives an engine with lines alone.
func lineRig(t testing.TB) *rig {
	c := testConfig(t, "UTC")
	c.Definitions, c.Folds = testLineDefinitions(), []FoldKind{testLineKind()}
	return newRig(t, c)
}

// act applies an act of a person, and restores the engine after it.
func (g *rig) act(person byte, key, at string, services ...string) {
	m := instant(g.t, at)
	g.apply(event.Routed{
		Copy: event.Activity, Team: "web", Verdict: event.Accepted, Received: m, Clock: g.engine.Clock(), Services: services,
		Actor: event.Person{ID: event.PersonID{person}}, Act: &event.Act{Key: key, At: m},
		Event: event.Event{ID: event.NewID(key), Source: event.GitHub, Time: m},
	})
	g.engine = restored(g.t, g.config, g.engine)
}

// evidence is the observation rows of the last tick, in short.
func (g *rig) evidence(metric Name) (lines []string) {
	for _, row := range g.rows {
		if r, ok := row.(*ObservationRow); ok && r.Metric == metric {
			what := fmt.Sprintf("%s until %s", r.Item, r.At)
			switch {
			case r.Deleted:
				what = "gone: " + what
			case r.Value == StillOpen:
				what += ", open"
			default:
				what += ", " + timeline.FormatLength(timeline.Millis(r.Value))
			}
			lines = append(lines, what)
		}
	}
	return lines
}

// A late act that bridges two sessions withdraws both and gives one; an act
// that turns out to have been earlier splits them again.
func TestLateActBridgesSessions(t *testing.T) {
	g := lineRig(t)
	g.act(1, "a", "2026-03-02T22:00:00Z")
	g.act(1, "b", "2026-03-02T22:30:00Z")
	g.act(1, "c", "2026-03-03T00:10:00Z") // 100 minutes later
	g.tick("2026-03-03T00:30:00Z")
	same(t, "two sessions", g.evidence("t_sessions"),
		"2026-03-02T22:00:00Z until 2026-03-02T22:30:00Z, 30m", "2026-03-03T00:10:00Z until 2026-03-03T00:10:00Z, 0s")

	g.act(1, "d", "2026-03-02T23:15:00Z") // 45 and 55 minutes from its neighbours
	points := only(only(g.tick("2026-03-03T00:31:00Z"), "t_sessions"), "hour")
	same(t, "a bridge", g.evidence("t_sessions"),
		"gone: 2026-03-02T22:00:00Z until 2026-03-02T22:30:00Z", "gone: 2026-03-03T00:10:00Z until 2026-03-03T00:10:00Z",
		"2026-03-02T22:00:00Z until 2026-03-03T00:10:00Z, 2h10m")
	same(t, "its windows", points,
		"web t_sessions hour 2026-03-02T22:00:00Z n=0 missing=nothing_observed revised",
		"web t_sessions hour 2026-03-03T00:00:00Z n=1 value=1 provisional")

	g.act(1, "d", "2026-03-02T20:00:00Z") // it is told of again, with an earlier time
	g.tick("2026-03-03T00:32:00Z")
	same(t, "the bridge is gone", g.evidence("t_sessions"),
		"gone: 2026-03-02T22:00:00Z until 2026-03-03T00:10:00Z",
		"2026-03-02T20:00:00Z until 2026-03-02T20:00:00Z, 0s", "2026-03-02T22:00:00Z until 2026-03-02T22:30:00Z, 30m",
		"2026-03-03T00:10:00Z until 2026-03-03T00:10:00Z, 0s")
}

// One record is told to several entities of a kind, and only touched parts are
// asked.
func TestLinesOfSeveralEntities(t *testing.T) {
	g := lineRig(t)
	asked := 0
	observe := g.config.Definitions[0].Observe
	g.config.Definitions[0].Observe = func(f Fold, v View, yield func(Observation)) {
		asked++
		observe(f, v, yield)
	}
	g.act(1, "a", "2026-03-01T09:00:00Z")
	g.act(1, "b", "2026-03-02T09:00:00Z", "checkout", "search")
	g.tick("2026-03-02T09:01:00Z")
	entities := map[event.EntityID]int{}
	for _, row := range g.rows {
		if r, ok := row.(*ObservationRow); ok && r.Metric == "t_sessions" {
			entities[r.Entity]++
			if r.Label != string(r.Entity) {
				t.Errorf("%s thinks it is %s", r.Entity, r.Label)
			}
		}
	}
	if len(entities) != 3 || entities["line/01"] != 2 || entities["line/of checkout"] != 1 || entities["line/of search"] != 1 {
		t.Errorf("observed %v", entities)
	}
	asked = 0
	g.act(1, "c", "2026-03-02T09:10:00Z")
	g.tick("2026-03-02T09:11:00Z")
	if asked != 1 {
		t.Errorf("asked %d times about one day of one line", asked)
	}
}

// What can change no more is forgotten, counted, and withdraws nothing; a
// session that reaches beyond is kept whole.
func TestLinesAreTrimmed(t *testing.T) {
	g := lineRig(t)
	g.act(1, "a", "2026-03-01T09:00:00Z")
	g.act(1, "b", "2026-03-01T23:30:00Z") // these two are one session
	g.act(1, "c", "2026-03-02T00:10:00Z")
	g.act(1, "d", "2026-03-09T09:00:00Z")
	g.tick("2026-03-09T10:00:00Z")
	line := func() *entity { return g.engine.teams["web"].entities[0]["line/01"] }
	g.tick("2026-06-03T00:00:00Z") // 2 March, 92 days and one more: the session may still be joined
	if c := g.engine.Counters(); c.TrimmedFacts != 1 || c.TrimmedGiven != 0 || len(line().fold.(*testLine).Acts) != 3 {
		t.Errorf("on 3 June %+v", c) // its part still holds the session, so what was given stays as a whole
	}
	g.tick("2026-06-04T00:00:00Z")
	if c := g.engine.Counters(); c.TrimmedFacts != 3 || len(line().fold.(*testLine).Acts) != 1 || len(line().parts) != 1 {
		t.Errorf("on 4 June %+v, %d parts", c, len(line().parts))
	}
	if len(g.evidence("t_sessions")) > 0 || g.engine.Counters().TooOld > 0 {
		t.Errorf("forgetting withdraws: %v, %+v", g.evidence("t_sessions"), g.engine.Counters())
	}
	g.tick("2026-06-12T00:00:00Z")
	g.tick("2026-06-13T00:00:00Z")
	if line() != nil || g.engine.Counters().EvictedFolds != 1 {
		t.Errorf("an empty line stays: %+v", g.engine.Counters())
	}
}

// Sessions, and what an act touches, as anybody would work them out.
func TestSessionsEqualOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const gap = 60
		acts := rapid.SliceOfN(rapid.Int64Range(0, 1000), 0, 12).Draw(rt, "acts")
		slices.Sort(acts)
		at := func(a *int64) timeline.Millis { return timeline.Millis(*a) }
		cut := func(acts []int64) (sessions [][]int64) {
			for i, a := range acts {
				if i > 0 && a-acts[i-1] <= gap {
					last := &sessions[len(sessions)-1]
					*last = append(*last, a)
				} else {
					sessions = append(sessions, []int64{a})
				}
			}
			return sessions
		}
		all := cut(acts)
		from := timeline.Millis(rapid.Int64Range(-10, 1010).Draw(rt, "from"))
		to := from + timeline.Millis(rapid.Int64Range(0, 500).Draw(rt, "length"))
		var got, want [][]int64
		for s := range SessionsIn(acts, at, gap, from, to) {
			got = append(got, s)
		}
		for _, s := range all {
			if timeline.Millis(s[0]) >= from && timeline.Millis(s[0]) < to {
				want = append(want, s)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("in [%d,%d) of %v: %v, want %v", from, to, all, got, want)
		}

		// What differs with and without an act lies within what it is about.
		act := rapid.Int64Range(0, 1000).Draw(rt, "act")
		with := slices.Clone(acts)
		i, _ := slices.BinarySearch(with, act)
		with = slices.Insert(with, i, act)
		first, last := SessionAbout(acts, at, gap, timeline.Millis(act))
		if f, l := SessionAbout(with, at, gap, timeline.Millis(act)); f != first || l != last {
			rt.Fatalf("an act among others is about [%d,%d], and before it came about [%d,%d]", f, l, first, last)
		}
		inside := func(s []int64) bool { return timeline.Millis(s[0]) >= first && timeline.Millis(s[len(s)-1]) <= last }
		outside := func(sessions [][]int64) string { return fmt.Sprint(slices.DeleteFunc(sessions, inside)) }
		if a, b := outside(cut(acts)), outside(cut(with)); a != b {
			rt.Fatalf("%d is about [%d,%d], but changes %s to %s", act, first, last, a, b)
		}

		// What is forgotten joins nothing that comes at or after an instant.
		before := rapid.Int64Range(0, 1100).Draw(rt, "before")
		n := SessionsBefore(acts, at, gap, timeline.Millis(before))
		for i, s := range all {
			end := 0
			for _, s := range all[:i+1] {
				end += len(s)
			}
			if gone := s[len(s)-1]+gap < before; gone != (end <= n) {
				rt.Fatalf("before %d, %d of %v are forgotten", before, n, all)
			}
		}
	})
}

// Weekday and hour come from the same local time, in zones of half hours too.
func TestSlotOf(t *testing.T) {
	for _, c := range []struct {
		zone, at string
		want     uint8
	}{
		{"UTC", "2026-03-02T00:00:00Z", 1},
		{"UTC", "2026-03-08T23:59:59Z", 168},
		{"Asia/Kolkata", "2026-03-01T18:30:00Z", 1},          // Monday 00:00
		{"Asia/Kolkata", "2026-03-01T18:29:59Z", 168},        // Sunday 23:59
		{"America/Los_Angeles", "2026-03-02T01:00:00Z", 162}, // Sunday 17:00
	} {
		if got := SlotOf(testZone(t, c.zone), instant(t, c.at)); got != c.want {
			t.Errorf("%s in %s: %d, want %d", c.at, c.zone, got, c.want)
		}
	}
}

// What was refused beside what was given, in one part, is given when it moves to where it
// can be, as it is where nothing was given beside it.
func TestLineGivesWhatWasRefused(t *testing.T) {
	g := lineRig(t)
	g.act(1, "a", "2026-03-02T14:00:00Z")
	g.tick("2026-03-02T14:30:00Z")
	g.tick("2026-06-02T11:00:00Z") // 92 days later: until 10:45 all is too old
	g.act(1, "b", "2026-03-02T10:30:00Z")
	g.tick("2026-06-02T11:01:00Z")
	same(t, "too old", g.evidence("t_sessions"))
	g.act(1, "c", "2026-03-02T11:20:00Z")
	g.tick("2026-06-02T11:02:00Z")
	same(t, "it ends later", g.evidence("t_sessions"), "2026-03-02T10:30:00Z until 2026-03-02T11:20:00Z, 50m")
}
