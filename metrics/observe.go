package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
		t.line.team, t.line.entity = tm, en
		line.Touched(t.askPart)
	} else {
		t.whole(tm, en)
	}
	// Tombstones have gone out already, of all parts: where two have one stored
	// key, the later row is the one that counts.
	for _, i := range t.added {
		row := t.observationRow()
		row.Version, row.Team, row.Deleted, row.Observation = t.version, tm.name, false, t.observed[i]
		t.emit(row)
	}
	t.refusals(tm, touch)
	if f, ok := en.fold.(asker); ok {
		f.Asked()
	}
	en.last, en.open = en.fold.Life()
	e.expire(tm, en)
	if t.history {
		e.lieDown(en)
	}
}

// whole asks an entity that is no line, and gives out how its observations differ from
// those given before.
func (t *tick) whole(tm *team, en *entity) {
	e := t.Engine
	q := e.questionOf(en.fold, en.list)
	e.counters.Twice += t.ask(tm, en, "", q)
	if len(en.list) == 0 {
		for i := range t.given {
			t.differ(tm, en, nil, &t.given[i], t.spots[i])
		}
		if en.list = t.given; !t.history { // it lies down at the end of one
			en.list = slices.Clone(t.given)
		}
		return
	}
	from, place := 0, 0 // in the list, and in what is given now
	for _, m := range e.kinds[en.kind].metrics {
		if !q.metric(e.definitions[m]) {
			continue
		}
		for from < len(en.list) && en.list[from].metric < m {
			from++
		}
		for only, item := range q.each() {
			begin := from
			if only {
				n, _ := slices.BinarySearchFunc(en.list[from:], item, func(g given, item string) int {
					return cmp.Or(int(g.metric)-int(m), strings.Compare(g.item, item))
				})
				begin += n
			}
			end := begin
			for ; end < len(en.list) && en.list[end].metric == m && (!only || en.list[end].item == item); end++ {
			}
			next := place
			for next < len(t.given) && t.given[next].metric == m && (!only || t.given[next].item == item) {
				next++
			}
			if t.merge(tm, en, en.list[begin:end], t.given[place:next], t.spots[place:next]) {
				en.list = slices.Replace(en.list, begin, end, t.next...)
				end = begin + len(t.next)
			}
			from, place = end, next
		}
	}
}

// merge gives out how observations differ from those before, both sorted, and puts those that
// are given from now on into t.next; it reports whether they are others than before.
func (t *tick) merge(tm *team, en *entity, before, now []given, places []int) (changed bool) {
	e, next := t.Engine, t.next[:0]
	for len(before) > 0 || len(now) > 0 {
		order := 0
		switch {
		case len(before) == 0:
			order = 1
		case len(now) == 0:
			order = -1
		default:
			order = e.compareKeys(&before[0], &now[0])
		}
		var was, is *given
		if order <= 0 {
			was, before = &before[0], before[1:]
		}
		observed := -1
		if order >= 0 {
			is, observed, now, places = &now[0], places[0], now[1:], places[1:]
		}
		keep := t.differ(tm, en, was, is, observed)
		changed = changed || keep != was
		if keep != nil {
			next = append(next, *keep)
		}
	}
	t.next = next
	return changed
}

// part asks one part of a line, gives out how its observations differ from those given
// before, and returns those given now. Most are what they were, and packed tell that
// without being unpacked.
func (t *tick) part(tm *team, en *entity, name string, last packed) packed {
	e := t.Engine
	e.counters.Twice += t.ask(tm, en, name, question{})
	now := e.packing(t.given, nil)
	switch {
	case string(now) == string(last):
		return last
	case last == "":
		refused := false
		for i := range t.given {
			refused = t.differ(tm, en, nil, &t.given[i], t.spots[i]).refused || refused
		}
		if refused {
			return e.pack(t.given, "")
		}
		return packed(now)
	}
	t.merge(tm, en, t.recall(en, last), t.given, t.spots)
	// What is refused has been noted in both lists, and not in what was packed before.
	if slices.Equal(t.next, t.given) && !slices.ContainsFunc(t.next, func(g given) bool { return g.refused }) {
		return packed(now)
	}
	return e.pack(t.next, last)
}

// recall unpacks what was given before.
func (t *tick) recall(en *entity, last packed) []given {
	list, err := t.unpack(last, t.before[:0], nil)
	if err != nil {
		panic(fmt.Errorf("metrics: entity %s: %w", en.id, err)) // what was loaded has been read, and what was packed can be
	}
	t.before = list
	return list
}

// ask puts what an entity, or one part of it, is observed as into t.observed and, sorted by key,
// into t.given, with their places in t.observed beside; it returns how many it left out because
// their key was given before.
func (t *tick) ask(tm *team, en *entity, part string, q question) (twice int64) {
	e := t.Engine
	t.entity, t.given, t.spots = en.id, t.given[:0], t.spots[:0]
	view := View{Catalog: e.config.Catalog, Team: tm.name, Entity: en.id, Part: part}
	for _, m := range e.kinds[en.kind].metrics {
		d := e.definitions[m]
		if !q.metric(d) {
			continue
		}
		t.metric = m
		for _, view.Item = range q.each() {
			d.Observe(en.fold, view, t.take)
		}
	}
	for i := 1; i < len(t.given); i++ {
		if e.compareKeys(&t.given[i-1], &t.given[i]) >= 0 {
			return t.arrange()
		}
	}
	return 0
}

// arrange sorts what was given by key, and drops what came twice; it returns how many
// that were.
func (t *tick) arrange() int64 {
	list := t.arranged[:0]
	for i := range t.given {
		list = append(list, indexed{t.given[i], t.spots[i]})
	}
	t.arranged = list
	compare := func(a, b indexed) int { return t.compareKeys(&a.given, &b.given) }
	slices.SortStableFunc(list, compare)
	t.given, t.spots = t.given[:0], t.spots[:0]
	for i := range list {
		if n := len(t.given); n == 0 || t.compareKeys(&t.given[n-1], &list[i].given) != 0 {
			t.given, t.spots = append(t.given, list[i].given), append(t.spots, list[i].at)
		}
	}
	return int64(len(list) - len(t.given))
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
