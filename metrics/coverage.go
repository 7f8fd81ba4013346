package metrics

import (
	"cmp"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// covered says for which time a team has data of one source: from the receipt of
// its first delivery on, and for what an API was read for.
type covered struct {
	from, last timeline.Millis
	dirty      bool

	scopes []scopeSpans // by name; nil for most

	// had is worked out of from, scopes and what concerns every team, when it is
	// asked for; see [coverage.of].
	had   []timeline.Window
	known bool // had is right
}

// scopeSpans is what was said of one repository or project of a team's. Both are
// sets, so that the order does not matter in which it was said: a reading of the
// API heals a gap where it covers it, for it then came after it.
type scopeSpans struct {
	_       struct{} `cbor:",toarray"`
	Scope   string   // "": of the whole source
	Covered []timeline.Window
	Gaps    []timeline.Window
}

// coverage is that of one team, by source.
type coverage [event.Deploy + 1]covered

func (c *coverage) receive(s event.Source, at timeline.Millis) (changed bool) {
	v := &c[min(s, event.Deploy)]
	if v.from == 0 || at < v.from {
		v.from, v.dirty, v.known = at, true, false
	}
	if at > v.last {
		v.last, v.dirty = at, true
	}
	return v.dirty
}

// say takes in what a control record says of a scope.
func (v *covered) say(scope string, kind event.Kind, during timeline.Window) {
	i, ok := slices.BinarySearchFunc(v.scopes, scope, func(s scopeSpans, scope string) int { return strings.Compare(s.Scope, scope) })
	if !ok {
		v.scopes = slices.Insert(v.scopes, i, scopeSpans{Scope: scope})
	}
	s := &v.scopes[i]
	if kind == event.ScopeCovered {
		s.Covered = addSpan(s.Covered, during)
	} else {
		s.Gaps = addSpan(s.Gaps, during)
	}
	v.dirty, v.known = true, false
}

// any reports whether the team has to do with the source at all.
func (v *covered) any() bool { return v.from != 0 || len(v.scopes) > 0 }

// spans are what APIs were read for.
func (v *covered) spans() (set []timeline.Window) {
	for _, s := range v.scopes {
		set = union(set, s.Covered)
	}
	return set
}

// gaps are the times of which deliveries may be missing: those of each of its
// scopes, and those of the whole source, where what an API was read for since
// does not hold them. A gap of the whole source is healed where all scopes are
// covered of which anything was said.
func (v *covered) gaps(everyone *covered) (set []timeline.Window) {
	var all, healed []timeline.Window
	for _, s := range everyone.scopes {
		all, healed = union(all, s.Gaps), union(healed, s.Covered)
	}
	if len(v.scopes) > 0 {
		rest := all
		for _, s := range v.scopes {
			rest = common(rest, s.Covered)
			set = union(set, without(s.Gaps, s.Covered))
		}
		all = without(all, rest)
	}
	return without(union(set, all), healed)
}

// endless is later than every instant.
const endless timeline.Millis = 1<<62 - 1

// open is a set with everything from a receipt on; 0 is none.
func open(set []timeline.Window, from timeline.Millis) []timeline.Window {
	if from == 0 {
		return set
	}
	return union(set, []timeline.Window{{Start: from, End: endless}})
}

// of are the times for which a source's data is there, without its gaps.
func (c *coverage) of(s event.Source, everyone *coverage) []timeline.Window {
	v := &c[s]
	if !v.known {
		v.had, v.known = nil, true
		if v.any() {
			v.had = without(open(v.spans(), v.from), v.gaps(&everyone[s]))
		}
	}
	return v.had
}

// days counts the dates from first to last that lie in coverage of one of the
// sources up to the clock. A day counts when any of it does. One of the sources
// and not all: a team that deploys through GitHub alone never hears of its other
// possible source.
func (c *coverage) days(z *calendar, sources []event.Source, everyone *coverage, first, last timeline.Date, clock timeline.Millis) (n int32) {
	last = min(last, z.date(clock))
	var made [len(event.Sources)][]timeline.Window
	sets, from, plain := made[:0], endless, true
	for _, s := range sources {
		set := c.of(s, everyone)
		if len(set) == 0 {
			continue
		}
		sets = append(sets, set)
		from, plain = min(from, set[0].Start), plain && len(set) == 1 && set[0].End == endless
	}
	if len(sets) == 0 {
		return 0
	}
	first = max(first, z.date(from))
	if plain { // nearly always
		return max(0, int32(last-first+1))
	}
	for d := first; d <= last; d++ {
		day := z.day(d)
		if slices.ContainsFunc(sets, func(set []timeline.Window) bool { return meets(set, day) }) {
			n++
		}
	}
	return n
}

// scope takes in a control record of a scope, or of a whole source, which
// concerns every team that has data of it, now or later.
func (e *Engine) scope(v *event.Event, team string) {
	s := min(v.Source, event.Deploy)
	during := timeline.Window{Start: v.Created, End: v.Time}
	if name := cmp.Or(v.Scope.Repository, v.Scope.Project); name != "" {
		t := e.teams[team]
		if t == nil {
			t = e.newTeam(team)
		}
		t.coverage[s].say(name, v.Kind, during)
		e.activate(t)
		return
	}
	e.everyone[s].say("", v.Kind, during)
	e.everyone[s].dirty = false // it has no row
	for _, t := range e.sorted() {
		if c := &t.coverage[s]; c.any() {
			c.dirty, c.known = true, false
			e.activate(t)
		}
	}
}

// saved is what was said of scopes, as a snapshot holds it.
func (c *coverage) saved() (list []savedScopes) {
	for s := range c {
		if len(c[s].scopes) > 0 {
			list = append(list, savedScopes{Source: event.Source(s), Scopes: c[s].scopes})
		}
	}
	return list
}

func (c *coverage) load(list []savedScopes) {
	for _, s := range list {
		c[min(s.Source, event.Deploy)].scopes = s.Scopes
	}
}

type savedScopes struct {
	_      struct{} `cbor:",toarray"`
	Source event.Source
	Scopes []scopeSpans
}
