package metrics

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// A small world for the engine's tests: things that are opened, reviewed,
// merged and closed, and acts of people.

type testFact struct {
	_       struct{} `cbor:",toarray"`
	At      timeline.Millis
	ID      event.ID
	Kind    event.Kind
	Bot     bool
	Service string
}

type testThing struct {
	Facts []testFact `cbor:"1,keyasint,omitempty"` // by time and id
}

func (f *testThing) Apply(r *event.Routed) {
	fact := testFact{At: r.Event.Time, ID: r.Event.ID, Kind: r.Event.Kind, Bot: r.Actor.Bot, Service: r.Service}
	i, found := slices.BinarySearchFunc(f.Facts, fact, func(a, b testFact) int {
		return cmp.Or(cmp.Compare(a.At, b.At), bytes.Compare(a.ID[:], b.ID[:]))
	})
	if !found {
		f.Facts = slices.Insert(f.Facts, i, fact)
	}
}

func (f *testThing) Life() (timeline.Millis, bool) {
	last := f.Facts[len(f.Facts)-1]
	return last.At, last.Kind != event.PullRequestMerged && last.Kind != event.PullRequestClosed
}

// first returns the first fact of a kind, by humans, from a time on.
func (f *testThing) first(k event.Kind, from timeline.Millis) (testFact, bool) {
	for _, fact := range f.Facts {
		if fact.Kind == k && fact.At >= from && !fact.Bot {
			return fact, true
		}
	}
	return testFact{}, false
}

type testActs struct {
	Acts []event.Act `cbor:"1,keyasint,omitempty"` // by key
}

func (f *testActs) Apply(r *event.Routed) {
	i, found := slices.BinarySearchFunc(f.Acts, r.Act.Key, func(a event.Act, key string) int { return cmp.Compare(a.Key, key) })
	if !found {
		f.Acts = slices.Insert(f.Acts, i, *r.Act)
	}
}

func (f *testActs) Life() (last timeline.Millis, open bool) {
	for _, a := range f.Acts {
		last = max(last, a.At)
	}
	return last, false
}

func testKinds() []FoldKind {
	return []FoldKind{
		{
			Subject: SubjectPullRequest, New: func() Fold { return new(testThing) }, Returns: true,
			Entity: func(r *event.Routed) event.EntityID {
				if r.Act != nil {
					return ""
				}
				return r.Event.Entity
			},
		},
		{
			Subject: SubjectActivity, New: func() Fold { return new(testActs) },
			Entity: func(r *event.Routed) event.EntityID {
				if r.Act == nil {
					return ""
				}
				return event.EntityID(fmt.Sprintf("person/%x/%d", r.Actor.ID, utcDayOf(r.Act.At)))
			},
		},
		testLineKind(),
	}
}

// subjectOf is the subject that a fold of the tests is of.
func subjectOf(f Fold) Subject {
	switch f.(type) {
	case *testActs:
		return SubjectActivity
	case *testLine:
		return subjectLine
	}
	return SubjectPullRequest
}

func testDefinitions() []*Definition {
	thing := func(observe func(f *testThing, yield func(Observation))) func(Fold, View, func(Observation)) {
		return func(f Fold, _ View, yield func(Observation)) { observe(f.(*testThing), yield) }
	}
	return append([]*Definition{
		testGauge(),
		{
			Name: "t_opened", Statistic: Count, Sources: []event.Source{event.GitHub}, Services: true, Refire: Revise, Subject: SubjectPullRequest,
			Observe: thing(func(f *testThing, yield func(Observation)) {
				for _, fact := range f.Facts {
					o := Observation{Item: fact.ID.String(), At: fact.At, Value: 1, Outcome: Observed, Primary: true, Service: fact.Service}
					if fact.Kind != event.PullRequestOpened {
						continue
					}
					if fact.Bot {
						o.Outcome, o.Reason = Excluded, Bot
					}
					yield(o)
				}
			}),
		},
		{
			Name: "t_wait", Statistic: MedianDuration, Sources: []event.Source{event.GitHub, event.Jira}, Refire: Revise, Subject: SubjectPullRequest,
			Observe: thing(func(f *testThing, yield func(Observation)) {
				start, ok := f.first(event.PullRequestOpened, 0)
				if _, closed := f.first(event.PullRequestClosed, 0); !ok || closed {
					return
				}
				review, reviewed := f.first(event.ReviewSubmitted, start.At)
				if reviewed {
					yield(Observation{Start: start.At, At: review.At, Value: int64(review.At - start.At), Outcome: Observed, Primary: true, Basis: "measured", URL: "https://example.com/1"})
				}
				for _, fact := range f.Facts {
					if fact.Kind == event.ReviewSubmitted && fact.Bot && (!reviewed || fact.At < review.At) {
						yield(Observation{Item: fact.ID.String(), At: fact.At, Outcome: Ignored, Reason: Bot, Primary: true})
					}
				}
			}),
		},
		{
			Name: "t_merged", Statistic: Share, Sources: []event.Source{event.GitHub, event.Deploy}, Services: true, Refire: Revise, Subject: SubjectPullRequest,
			Observe: thing(func(f *testThing, yield func(Observation)) {
				last := f.Facts[len(f.Facts)-1]
				_, merged := f.first(event.PullRequestMerged, 0)
				yield(Observation{At: last.At, Value: 1, Hit: merged, Outcome: Observed, Primary: true, Service: last.Service})
			}),
		},
		{
			Name: "t_rate", Statistic: PerDay, Sources: []event.Source{event.Deploy}, Wait: timeline.Hour, Refire: Revise, Subject: SubjectPullRequest,
			Observe: thing(func(f *testThing, yield func(Observation)) {
				if m, ok := f.first(event.PullRequestMerged, 0); ok {
					yield(Observation{At: m.At, Value: 1, Outcome: Observed, Primary: true, Service: m.Service}) // for evidence alone
				}
			}),
		},
		{
			Name: "t_acts", Statistic: Share, Sources: event.Sources[:], Refire: Revise, Subject: SubjectActivity, Zones: true, Classes: true, Sensitivity: PersonData,
			Observe: func(f Fold, _ View, yield func(Observation)) {
				for _, a := range f.(*testActs).Acts {
					o := Observation{Item: a.Key, At: a.At, Value: 1, Outcome: Observed, Primary: a.Primary, Class: a.Class, Known: a.Known, Hit: a.Class != timeline.Working}
					o.Person[0] = a.Key[0]
					if a.Ignored != "" {
						o.Outcome, o.Reason = Ignored, Reason(a.Ignored)
					}
					yield(o)
				}
			},
		},
	}, testLineDefinitions()...)
}

func testZone(t testing.TB, name string) *timeline.Zone {
	z, err := timeline.LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func testConfig(t testing.TB, zone string) Config {
	return Config{
		Generation: 1, Catalog: catalog.Empty(catalog.Options{Zone: testZone(t, zone)}),
		Definitions: testDefinitions(), Folds: testKinds(), Horizon: DefaultHorizon,
		Bounds: map[event.Source]timeline.Millis{event.GitHub: 5 * timeline.Minute, event.Jira: 15 * timeline.Minute, event.Deploy: 10 * timeline.Minute},
	}
}

func instant(t testing.TB, s string) timeline.Millis {
	m, err := timeline.ParseInstant(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// rig drives an engine by hand.
type rig struct {
	t      testing.TB
	engine *Engine
	config Config
	offset int64
	rows   []Row
}

func newRig(t testing.TB, c Config) *rig {
	e, err := NewEngine(c)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, engine: e, config: c}
}

// send applies a home copy, received at its time.
func (g *rig) send(team, entity string, kind event.Kind, at string, change ...func(*event.Routed)) {
	m := instant(g.t, at)
	r := event.Routed{
		Copy: event.Home, Team: team, Verdict: event.Accepted, Received: m, Clock: g.engine.Clock(),
		Event: event.Event{ID: event.NewID(entity, kind.String(), at), Source: event.GitHub, Kind: kind, Time: m, Entity: event.EntityID(entity)},
	}
	for _, c := range change {
		c(&r)
	}
	g.apply(r)
}

func (g *rig) apply(r event.Routed) {
	g.offset++
	g.applyAt(g.offset, r)
}

func (g *rig) applyAt(offset int64, r event.Routed) {
	g.engine.Apply(g.engine.Clock(), streaming.Record[event.Routed]{Origin: streaming.Origin{Offset: offset}, Value: r}, nil)
}

// tick ends a round and returns its points as short lines.
func (g *rig) tick(at string) []string {
	return g.tickAt(instant(g.t, at))
}

func (g *rig) tickAt(m timeline.Millis) []string {
	r := streaming.RoundOf(m)
	g.rows = nil
	g.engine.Tick(r.Clock(), streaming.NewVersion(g.config.Generation, r), func(row Row) { g.rows = append(g.rows, row) })
	var lines []string
	for _, row := range g.rows {
		if p, ok := row.(*Point); ok {
			lines = append(lines, short(p))
		}
	}
	return lines
}

// short is a point as tests like to read it.
func short(p *Point) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", p.Team, p.Metric, p.Grain)
	if p.Service != "" {
		fmt.Fprintf(&b, " (%s)", p.Service)
	}
	fmt.Fprintf(&b, " %s n=%d", p.Start, p.N())
	if v, ok := p.Value(); ok {
		fmt.Fprintf(&b, " value=%s", v)
	} else {
		fmt.Fprintf(&b, " missing=%s", p.Missing)
	}
	for _, c := range p.Aggregate.All.Excluded {
		fmt.Fprintf(&b, " excluded %s=%d", c.Name, c.N)
	}
	for _, c := range p.Aggregate.All.Ignored {
		fmt.Fprintf(&b, " ignored %s=%d", c.Name, c.N)
	}
	fmt.Fprintf(&b, " %s", p.Status)
	return b.String()
}

func only(lines []string, part string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return !strings.Contains(s, part) })
}

func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func byBot(r *event.Routed) { r.Actor.Bot = true }

func sections(e *Engine) map[string][]byte {
	m := map[string][]byte{}
	e.Save(func(section string, data []byte) {
		if _, twice := m[section]; twice {
			panic("section " + section + " twice")
		}
		m[section] = data
	})
	return m
}

// failer is what testing.TB and rapid.T have in common.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// wholly makes the next Save encode everything: nothing is kept and nobody rests.
func wholly(e *Engine) {
	for _, t := range e.teams {
		for _, s := range t.ordered {
			for i := range s.chunks {
				t.awakenCells(&s.chunks[i])
			}
		}
	}
	e.kept = kept{}
	for _, members := range e.members {
		for _, m := range members {
			e.awaken(m.entity)
		}
	}
}

func restored(t failer, c Config, from *Engine) *Engine {
	saved := sections(from)
	e, err := NewEngine(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Load(func(s string) ([]byte, error) { return saved[s], nil }); err != nil {
		t.Fatal(err)
	}
	wholly(e)
	again := sections(e)
	if !maps.EqualFunc(saved, again, bytes.Equal) {
		for s := range saved {
			if !bytes.Equal(saved[s], again[s]) {
				t.Fatalf("section %s differs after a restore:\n%x\n%x", s, saved[s], again[s])
			}
		}
		t.Fatalf("a restore has other sections: %v, %v", slices.Sorted(maps.Keys(saved)), slices.Sorted(maps.Keys(again)))
	}
	return e
}
