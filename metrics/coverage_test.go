package metrics

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// The operations on sets, against sets of minutes that are marked one by one.
func TestSpans(t *testing.T) {
	const size = 40
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (set []timeline.Window, marks [size]bool) {
			for range rapid.IntRange(0, 6).Draw(t, name) {
				w := timeline.Window{Start: timeline.Millis(rapid.IntRange(0, size-1).Draw(t, "start"))}
				w.End = w.Start + timeline.Millis(rapid.IntRange(0, 9).Draw(t, "length"))
				w.End = min(w.End, size)
				set = addSpan(set, w)
				for i := w.Start; i < w.End; i++ {
					marks[i] = true
				}
			}
			return set, marks
		}
		check := func(name string, set []timeline.Window, marks [size]bool) {
			var want []timeline.Window
			for i := 0; i < size; i++ {
				for from := i; i < size && marks[i]; i++ {
					if i+1 == size || !marks[i+1] {
						want = append(want, timeline.Window{Start: timeline.Millis(from), End: timeline.Millis(i + 1)})
					}
				}
			}
			if !slices.Equal(set, want) {
				t.Fatalf("%s: %v, not %v", name, set, want)
			}
		}
		a, inA := draw("a")
		b, inB := draw("b")
		check("a", a, inA)
		var either, both, only [size]bool
		for i := range size {
			either[i], both[i], only[i] = inA[i] || inB[i], inA[i] && inB[i], inA[i] && !inB[i]
		}
		check("union", union(a, b), either)
		check("common", common(a, b), both)
		check("without", without(a, b), only)
		w := timeline.Window{Start: timeline.Millis(rapid.IntRange(0, size-2).Draw(t, "from"))}
		w.End = w.Start + 1 + timeline.Millis(rapid.IntRange(0, size-2-int(w.Start)).Draw(t, "more"))
		in := inA[w.Start:w.End]
		if meets(a, w) != slices.Contains(in, true) || holds(a, w) == slices.Contains(in, false) {
			t.Fatalf("%v in %v: meets %v, holds %v", w, a, meets(a, w), holds(a, w))
		}
	})
}

// spoken is what a control record says, as route passes it on.
func spoken(t testing.TB, team, repository string, kind event.Kind, from, to string) event.Routed {
	return event.Routed{Copy: event.Aside, Team: team, Event: event.Event{
		Source: event.GitHub, Kind: kind, Created: instant(t, from), Time: instant(t, to), Scope: event.Scope{Repository: repository},
	}}
}

func coverageRows(rows []Row) (list []string) {
	for _, row := range rows {
		if r, ok := row.(*CoverageRow); ok {
			list = append(list, fmt.Sprintf("%s %s from %s covered %v gaps %v", r.Team, r.Source, r.From, r.Covered, r.Gaps))
		}
	}
	return list
}

// An import covers what was before the first delivery, a gap takes days away, and
// the next reading of the API gives them back.
func TestEngineCoverageAndGaps(t *testing.T) {
	c := testConfig(t, "UTC")
	c.Definitions = ofMetric("t_opened")
	g := newRig(t, c)
	days := func() (days int32) {
		for p := range g.engine.Final() {
			if p.Grain == Day30 {
				days = p.CoveredDays // of the last
			}
		}
		return days
	}
	step := func(what string, r event.Routed, wantDays int32, want ...string) {
		t.Helper()
		g.apply(r)
		g.tickAt(g.engine.Clock() + timeline.Second)
		if got := coverageRows(g.rows); !slices.Equal(got, want) {
			t.Errorf("%s: rows %q, not %q", what, got, want)
		}
		for _, row := range g.rows {
			if p, ok := row.(*Point); ok {
				t.Errorf("%s prints a point: %s", what, short(p))
			}
		}
		if n := days(); n != wantDays {
			t.Errorf("%s: %d days are covered, not %d", what, n, wantDays)
		}
	}
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-20T09:00:00Z")
	g.tick("2026-03-20T09:30:00Z")
	if n := days(); n != 1 {
		t.Fatalf("%d days are covered by the first delivery", n)
	}
	const from = "web github from 2026-03-20T09:00:00Z "
	step("an import", spoken(t, "web", "acme/web", event.ScopeCovered, "2026-03-10T12:00:00Z", "2026-03-20T09:10:00Z"), 11,
		from+"covered [[2026-03-10T12:00:00Z, 2026-03-20T09:10:00Z)] gaps []")
	step("a gap of a day and a half", spoken(t, "web", "acme/web", event.ScopeGap, "2026-03-20T09:20:00Z", "2026-03-20T09:25:00Z"), 11,
		from+"covered [[2026-03-10T12:00:00Z, 2026-03-20T09:10:00Z)] gaps [[2026-03-20T09:20:00Z, 2026-03-20T09:25:00Z)]")
	g.tick("2026-03-24T12:00:00Z")
	step("everybody's gap of two days", spoken(t, "", "", event.ScopeGap, "2026-03-21T12:00:00Z", "2026-03-24T00:00:00Z"), 13,
		from+"covered [[2026-03-10T12:00:00Z, 2026-03-20T09:10:00Z)] gaps [[2026-03-20T09:20:00Z, 2026-03-20T09:25:00Z) [2026-03-21T12:00:00Z, 2026-03-24T00:00:00Z)]")
	step("the next import", spoken(t, "web", "acme/web", event.ScopeCovered, "2026-03-15T00:00:00Z", "2026-03-24T12:00:00Z"), 15,
		from+"covered [[2026-03-10T12:00:00Z, 2026-03-24T12:00:00Z)] gaps []")
	step("another repository's gap", spoken(t, "web", "acme/api", event.ScopeGap, "2026-03-23T00:00:00Z", "2026-03-24T00:00:00Z"), 13,
		from+"covered [[2026-03-10T12:00:00Z, 2026-03-24T12:00:00Z)] gaps [[2026-03-21T12:00:00Z, 2026-03-24T00:00:00Z)]")
	step("all was sent again", spoken(t, "", "", event.ScopeCovered, "2026-03-21T12:00:00Z", "2026-03-24T12:00:00Z"), 15,
		from+"covered [[2026-03-10T12:00:00Z, 2026-03-24T12:00:00Z)] gaps []")
}

// Whatever the order in which it is said, and wherever a snapshot cuts it, the
// last coverage rows of all teams are the same.
func TestEngineCoverageInAnyOrder(t *testing.T) {
	c := testConfig(t, "UTC")
	c.Definitions = ofMetric("t_opened")
	hour := func(h int) string { return fmt.Sprintf("2026-03-%02dT%02d:00:00Z", 2+h/24, h%24) }
	random := rand.New(rand.NewPCG(7, 7))
	for range 40 {
		var records []event.Routed
		for range 2 + random.IntN(8) {
			from := random.IntN(60)
			kind := []event.Kind{event.ScopeCovered, event.ScopeGap}[random.IntN(2)]
			team := []string{"", "web", "pay"}[random.IntN(3)]
			repository := ""
			if team != "" {
				repository = []string{"acme/web", "acme/api"}[random.IntN(2)]
			}
			records = append(records, spoken(t, team, repository, kind, hour(from), hour(from+1+random.IntN(30))))
		}
		at := instant(t, hour(24))
		records = append(records, event.Routed{Copy: event.Home, Team: "web", Verdict: event.Accepted, Received: at, Event: event.Event{
			ID: event.NewID("1"), Source: event.GitHub, Kind: event.PullRequestOpened, Time: at, Entity: "pr/1",
		}})
		var want map[string]string
		for try := range 6 {
			g := newRig(t, c)
			last := map[string]string{}
			for n, i := range random.Perm(len(records)) {
				g.apply(records[i])
				if try%2 == 1 {
					g.engine = reloaded(t, g.engine, c)
				}
				if random.IntN(2) == 0 {
					g.tickAt(at + timeline.Millis(n+1)*timeline.Second)
					keep(last, g.rows)
				}
			}
			g.tickAt(at + timeline.Hour)
			keep(last, g.rows)
			if want == nil {
				want = last
			}
			if fmt.Sprint(last) != fmt.Sprint(want) {
				t.Fatalf("of %+v\nonce %v\nonce %v", records, want, last)
			}
		}
	}
}

func keep(last map[string]string, rows []Row) {
	for _, row := range rows {
		if r, ok := row.(*CoverageRow); ok {
			last[r.Team] = coverageRows([]Row{r})[0]
		}
	}
}

// reloaded is an engine's state in another engine.
func reloaded(t testing.TB, e *Engine, c Config) *Engine {
	t.Helper()
	sections := map[string][]byte{}
	e.Save(func(name string, data []byte) { sections[name] = slices.Clone(data) })
	other, err := NewEngine(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Load(func(name string) ([]byte, error) { return sections[name], nil }); err != nil {
		t.Fatal(err)
	}
	return other
}

// A reader's covered days are the engine's, whatever is covered.
func TestCoverageOfAgreesWithTheEngine(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	d := &Definition{Sources: []event.Source{event.GitHub, event.Deploy}}
	cal := newCalendar(testConfig(t, "UTC").Catalog, "web")
	first := timeline.MakeDate(2026, 3, 2)
	for range 300 {
		var c, everyone coverage
		if random.IntN(3) > 0 {
			c.receive(event.GitHub, timeline.UTC().Midnight(first)+timeline.Millis(random.IntN(40))*12*timeline.Hour)
		}
		for range random.IntN(5) {
			from := timeline.UTC().Midnight(first) + timeline.Millis(random.IntN(70))*12*timeline.Hour
			during := timeline.Window{Start: from, End: from + timeline.Millis(1+random.IntN(20))*12*timeline.Hour}
			kind := []event.Kind{event.ScopeCovered, event.ScopeGap}[random.IntN(2)]
			if random.IntN(3) == 0 {
				everyone[event.GitHub].say("", kind, during)
			} else {
				c[event.GitHub].say([]string{"a", "b"}[random.IntN(2)], kind, during)
			}
		}
		if random.IntN(3) == 0 {
			c.receive(event.Deploy, timeline.UTC().Midnight(first)+timeline.Millis(random.IntN(40))*12*timeline.Hour)
		}
		clock := timeline.UTC().Midnight(first+35) + timeline.Hour
		var row []CoverageRow
		for _, s := range d.Sources {
			row = append(row, *coverageRow("web", int(s), &c[s], &everyone[s], streaming.NewVersion(1, 1)))
		}
		got := CoverageOf(d, row).Days(timeline.UTC(), first, first+29, clock)
		if want := c.days(cal, d.Sources, &everyone, first, first+29, clock); got != want {
			t.Fatalf("%+v: a reader counts %d days, the engine %d", row, got, want)
		}
	}
}

// A zero outside of what is covered is none, and in a gap it is none either.
func TestFillWithHoles(t *testing.T) {
	d := &Definition{Name: "t", Statistic: Count, Sources: []event.Source{event.GitHub}}
	z, monday := timeline.UTC(), timeline.MakeDate(2026, 3, 2)
	day := func(n int) timeline.Millis { return z.Midnight(monday + timeline.Date(n)) }
	c := CoverageOf(d, []CoverageRow{
		{Source: event.GitHub, From: day(6), Covered: []timeline.Window{{Start: day(1), End: day(4)}}, Gaps: []timeline.Window{{Start: day(2), End: day(2) + 1}}},
		{Source: event.Jira, From: day(0)}, // which the metric does not read
	})
	var got []string
	for _, p := range Fill(d, Frame{Team: "web", Grain: Day, Zone: "UTC", Clock: day(8)}, Windows(z, Day, day(0), day(8)), nil, c) {
		got = append(got, fmt.Sprint(p.Missing))
	}
	if want := []string{"before_coverage", "", "gap", "", "gap", "gap", "", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
