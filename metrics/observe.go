package metrics

import (
	"fmt"
	"slices"

	"meridian/streaming"
)

// observe asks a touched entity for its observations, and gives out how they
// differ from those it gave before.
func (t *tick) observe(tm *team, touch *touch) {
	e, en := t.Engine, touch.entity
	e.awaken(en)
	en.touched, t.judge = 0, max(touch.judge, e.gone())
	e.changedFold(en)
	t.observed, t.added = t.observed[:0], t.added[:0]
	if line, ok := en.fold.(Line); ok {
		if p, ok := line.(Prepared); ok {
			p.Prepare(View{Catalog: e.config.Catalog, Team: tm.name})
		}
		line.Touched(func(name string) { t.observePart(tm, en, name) })
	} else {
		en.given = t.difference(tm, en, "", en.given)
	}
	// Tombstones have gone out already, of all parts: where two have one stored
	// key, the later row is the one that counts.
	for _, i := range t.added {
		row := t.observationRow()
		row.Version, row.Team, row.Deleted, row.Observation = t.version, tm.name, false, t.observed[i]
		t.emit(row)
	}
	t.refusals(tm, touch)
	if f, ok := en.fold.(Itemized); ok {
		f.Asked()
	}
	en.last, en.open = en.fold.Life()
	e.expire(tm, en)
	if t.history {
		e.lieDown(en)
	}
}

// difference asks an entity, or one part of it, for its observations, gives out
// how they differ from those given before, and returns those given now.
func (t *tick) difference(tm *team, en *entity, part string, last packed) packed {
	e := t.Engine
	before := t.recall(en, last)
	items, only := itemsOf(en.fold, before)
	e.counters.Twice += t.ask(tm, en, part, items, only)
	if last == "" && len(t.given) == 0 {
		return ""
	}
	now, next := t.given, t.next[:0]
	if last == "" && t.judge == streaming.NoClock { // all of a history: nothing was given, and nothing is too old
		for i := range now {
			g := &now[i].given
			t.change(tm, g, 1)
			t.added = append(t.added, now[i].at)
			next = append(next, *g)
		}
		t.next = next
		return e.pack(next, last)
	}
	if last == "" {
		for i := range now {
			next = append(next, *t.differ(tm, en, nil, &now[i].given, now[i].at))
		}
		t.next = next
		return e.pack(next, last)
	}
	for len(before) > 0 || len(now) > 0 {
		order := 0
		switch {
		case len(before) == 0:
			order = 1
		case len(now) == 0:
			order = -1
		default:
			order = e.compareKeys(&before[0], &now[0].given)
		}
		var was, is *given
		if order <= 0 {
			was, before = &before[0], before[1:]
		}
		if only && order < 0 {
			if _, asked := slices.BinarySearch(items, was.item); !asked {
				next = append(next, *was)
				continue
			}
		}
		observed := -1
		if order >= 0 {
			is, observed, now = &now[0].given, now[0].at, now[1:]
		}
		if keep := t.differ(tm, en, was, is, observed); keep != nil {
			next = append(next, *keep)
		}
	}
	t.next = next
	return e.pack(next, last)
}

// recall unpacks what was given before.
func (t *tick) recall(en *entity, last packed) []given {
	list, err := t.unpack(last, t.before[:0])
	if err != nil {
		panic(fmt.Errorf("metrics: entity %s: %w", en.id, err)) // what was loaded has been read, and what was packed can be
	}
	t.before = list
	return list
}

// ask puts what an entity, or one part of it, or only some of its items, is observed
// as into t.observed and, sorted by key, into t.given; it returns how many it left out
// because their key was given before.
func (t *tick) ask(tm *team, en *entity, part string, items []string, only bool) (twice int64) {
	e := t.Engine
	t.entity, t.given = en.id, t.given[:0]
	view := View{Catalog: e.config.Catalog, Team: tm.name, Entity: en.id, Part: part}
	for _, m := range e.kinds[en.kind].metrics {
		t.metric = m
		if !only {
			e.definitions[m].Observe(en.fold, view, t.take)
		}
		for _, view.Item = range items {
			e.definitions[m].Observe(en.fold, view, t.take)
		}
	}
	for i := 1; i < len(t.given); i++ {
		if e.compareKeys(&t.given[i-1].given, &t.given[i].given) >= 0 {
			return t.arrange()
		}
	}
	return 0
}

// arrange sorts what was given by key, and drops what came twice; it returns how many
// that were.
func (t *tick) arrange() int64 {
	compare := func(a, b indexed) int { return t.compareKeys(&a.given, &b.given) }
	slices.SortStableFunc(t.given, compare)
	once := len(t.given)
	t.given = slices.CompactFunc(t.given, func(a, b indexed) bool { return compare(a, b) == 0 })
	return int64(once - len(t.given))
}

// differ gives out the difference between an observation as it was and as it
// is now, either of which may be missing, and returns what is given from now on.
// observed is the place of the latter in t.observed.
func (t *tick) differ(tm *team, en *entity, was, is *given, observed int) *given {
	e := t.Engine
	old := func(g *given) bool { return g != nil && e.tooOld(e.dated(g), t.judge) }
	if was != nil && was.refused {
		if is != nil && old(is) {
			if is.refused = true; *is != *was {
				t.refuse(e.definitions[is.metric].Name)
			}
			return is
		}
		was = nil // it has moved to where it can be given
	}
	switch {
	case was == nil && is == nil:
		return nil
	case was != nil && is != nil && *was == *is:
		return was
	case old(was):
		t.refuse(e.definitions[was.metric].Name)
		return was
	case old(is):
		t.refuse(e.definitions[is.metric].Name)
		if was != nil && e.definitions[was.metric].Statistic == Gauge {
			return was // its change lies at the earlier of the two ends
		}
		if was != nil {
			t.retract(tm, en, was)
		}
		is.refused = true
		return is
	}
	if was != nil && is != nil && was.at == is.at && was.flags.outcome() == is.flags.outcome() {
		t.change(tm, was, -1) // the new row replaces the old one in its place
	} else if was != nil {
		t.retract(tm, en, was)
	}
	if is != nil {
		t.change(tm, is, 1)
		t.added = append(t.added, observed)
	}
	return is
}

// retract takes an observation out of its cells and emits its tombstone.
func (t *tick) retract(tm *team, en *entity, g *given) {
	t.change(tm, g, -1)
	y := t.symbols
	row := t.observationRow()
	*row = ObservationRow{Version: t.version, Team: tm.name, Deleted: true, Observation: Observation{
		Metric: t.definitions[g.metric].Name, Item: g.item, Entity: en.id, Service: y.names[g.service],
		At: g.at, Value: g.value, Hit: g.flags.hit(), Outcome: g.flags.outcome(), Reason: Reason(y.names[g.reason]),
		Person: y.people[g.person], Primary: g.flags.primary(), Class: g.flags.class(), Known: g.flags.known(), Basis: y.names[g.basis],
		Slot: g.heat,
	}}
	t.emit(row)
}

// change puts an observation into its series' cells, or takes it out: into the
// team's total, and into its service's where the metric has services. Intervals
// of a gauge are in no cell.
func (t *tick) change(tm *team, g *given, sign int8) {
	if t.definitions[g.metric].Statistic == Gauge {
		return
	}
	c := g.change(sign)
	tm.total(g.metric).pend(c)
	if g.service != 0 && t.definitions[g.metric].Services {
		tm.ofSymbol(g.metric, g.service).pend(c)
	}
}

func (s *series) pend(c change) {
	s.pending = append(s.pending, c)
	s.active = true
}
