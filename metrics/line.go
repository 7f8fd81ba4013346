package metrics

import (
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Line is a Fold that goes on for ever, such as a person's acts or a service's
// deployments. Its observations come in parts (a day, a session, a deployment),
// so that a fact costs what it touches and not all that there is.
//
// The engine keeps what it was given by part: after a round it asks for the
// parts that were touched, with View.Part set, and takes the difference within
// each. An observation that leaves a part must be gone when that part is asked
// again; a fact that moves one from a part to another touches both.
type Line interface {
	Fold

	// Touched yields the parts whose observations may differ from those it was
	// last asked for, in ascending order, each once, and forgets that they were
	// touched. Parts that wait to be asked are part of the state: Apply may be
	// followed by a snapshot before they are.
	Touched(yield func(part string))

	// Trim forgets what lies before an instant and can change no later
	// observation, and returns how many facts that were. It is called once a day of
	// UTC with the clock less the horizon; what a later fact may still lean on (a
	// baseline, a session that reaches beyond) is the line's own business to
	// keep. The observations of what was forgotten stay as they are, and are
	// forgotten with it; parts that it touches are not asked.
	Trim(before timeline.Millis) (gone int64)
}

// Aged is a Line that knows how old it is: nothing that Trim may forget is older than
// what Oldest returns. So it is not gone through each day for nothing, nor woken.
type Aged interface {
	Oldest() timeline.Millis
}

// Identified is a Fold that wants to know which entity it is, as one does that
// shares its records with others. It is told once, when it is new, before the
// first record; what it wants to keep of it is part of its state.
type Identified interface {
	Identify(id event.EntityID)
}

// Parts is the set of touched parts that a Line keeps, in a field of its state.
type Parts []string

// Touch adds a part.
func (p *Parts) Touch(part string) {
	if i, found := slices.BinarySearch(*p, part); !found {
		*p = slices.Insert(*p, i, part)
	}
}

// Each yields the parts in order, and empties the set.
func (p *Parts) Each(yield func(part string)) {
	for _, part := range *p {
		yield(part)
	}
	*p = nil
}

// observePart gives out what has changed in one part of a line.
func (t *tick) observePart(tm *team, en *entity, name string) {
	i, found := slices.BinarySearchFunc(en.parts, name, func(p part, name string) int { return strings.Compare(p.name, name) })
	var before packed
	if found {
		before = en.parts[i].given
	}
	switch now := t.part(tm, en, name, before); {
	case found && now == "":
		en.parts = slices.Delete(en.parts, i, i+1)
	case found:
		en.parts[i].given = now
	case now != "":
		en.parts = slices.Insert(en.parts, i, part{name, now})
	}
}

// oldestOf is how old the facts of a fold may be that Trim forgets.
func oldestOf(f Fold) timeline.Millis {
	if aged, ok := f.(Aged); ok {
		return aged.Oldest()
	}
	return -never
}

// trimMargin is how much longer than the horizon a line's facts are kept: a
// record may have been let in by a clock that is behind the shard's.
const trimMargin = timeline.Day

// trim lets every line forget what can change nothing any more.
func (t *tick) trim() {
	before := t.clock - t.config.Horizon - trimMargin
	for _, tm := range t.teams {
		for k, entities := range tm.entities {
			if !t.kinds[k].line {
				continue
			}
			for _, en := range entities {
				t.trimLine(tm, en, before)
			}
		}
	}
}

// trimLine also forgets what was given of what the line has forgotten: of those
// parts that lie wholly before the instant and of which it tells nothing any more.
// What else a line tells otherwise, now that it has forgotten something, stays as
// it was given: it is not asked.
func (t *tick) trimLine(tm *team, en *entity, before timeline.Millis) {
	oldest := en.oldest
	if en.rest == "" {
		oldest = oldestOf(en.fold)
	}
	if oldest >= before {
		return
	}
	rest, was := en.rest, en.given
	t.awaken(en)
	line := en.fold.(Line)
	gone := line.Trim(before)
	if gone == 0 {
		if rest != "" {
			en.sleep(rest, was, oldestOf(line))
		}
		return
	}
	t.counters.TrimmedFacts += gone
	t.changedFold(en)
	if p, ok := line.(Prepared); ok {
		p.Prepare(View{Catalog: t.config.Catalog, Team: tm.name})
	}
	line.Touched(func(string) {}) // all that were touched have been asked at this tick
	later := func(g given) bool { return t.dated(&g) >= before }
	en.parts = slices.DeleteFunc(en.parts, func(p part) bool {
		list := t.recall(en, p.given)
		if slices.ContainsFunc(list, later) {
			return false
		}
		t.observed = t.observed[:0]
		if t.ask(tm, en, p.name, question{}); len(t.given) > 0 {
			return false
		}
		t.counters.TrimmedGiven += int64(len(list))
		return true
	})
	en.last, en.open = line.Life()
	t.expire(tm, en)
}
