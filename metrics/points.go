package metrics

import "meridian/streaming/timeline"

// span is an interval of running days, both ends included.
type span struct{ first, last timeline.Date }

// points emits the points of one team that this tick has changed, closed, or
// begun to show.
func (t *tick) points(tm *team) {
	today := tm.calendar.date(t.clock)
	if tm.dated {
		today = max(today, tm.today) // a zone that has changed cannot take a day back
	} else {
		tm.today, tm.dated = today, true
	}
	entered := span{tm.today + 1, today}
	tm.today = today
	for _, s := range tm.ordered {
		if s.active || entered.first <= entered.last {
			t.series(s, entered)
		}
	}
	t.wake(tm)
}

// wake sets the team's next midnight, if some window of 30 days will then
// still hold something of the latest day that has data.
func (e *Engine) wake(tm *team) {
	next := never
	for _, s := range tm.ordered {
		if last, ok := s.chunks.last(tm); ok && tm.today+1 <= tm.calendar.date(last.Start())+29 {
			next = tm.calendar.day(tm.today + 1).Start
			break
		}
	}
	if next != tm.midnight {
		tm.midnight = next
		if next != never {
			e.alarms.Set(next, alarm{team: tm, key: int64(next)})
		}
	}
}

// series emits the points of one series.
func (t *tick) series(s *series, entered span) {
	defer s.settled()
	if t.history && s.fresh() && len(s.pending) > 0 {
		t.sweep(s)
		return
	}
	changes := s.apply()
	t.changes = changes
	cal := s.team.calendar
	hours, days, running := t.hours[:0], t.days[:0], t.running[:0]
	var hour, day timeline.Window
	for i := range changes {
		at := changes[i].at()
		if !hour.Contains(at) {
			hour = cal.hour(at)
			hours = append(hours, int64(hour.Start))
		}
		if !day.Contains(at) {
			d := cal.date(at)
			day = cal.day(d)
			days = append(days, int64(d))
			running = append(running, span{d, min(d+29, s.team.today)})
		}
	}
	t.hours, t.days, t.running = hours, days, running
	t.windows(s, dayGrain, days)
	t.windows30(s, running, entered)
	t.windows(s, hourGrain, hours)
}

// settled ends the round of a series.
func (s *series) settled() {
	s.pending, s.active = emptied(s.pending), false
	if cap(s.pending) > 16 {
		s.pending = nil // there are thousands of series, and most change seldom
	}
}

// windows emits changed hours or days, and those that close.
func (t *tick) windows(s *series, g grainIndex, changed []int64) {
	due := s.due[g]
	s.due[g] = due[:0]
	for len(changed) > 0 || len(due) > 0 {
		var key int64
		dirty := len(due) == 0 || len(changed) > 0 && changed[0] <= due[0]
		if dirty {
			key, changed = changed[0], changed[1:]
		} else {
			key = due[0]
		}
		for len(due) > 0 && due[0] == key {
			due = due[1:]
		}
		t.window(s, g, key, dirty)
	}
}

// windows30 emits the changed windows of 30 days up to the running one, those
// that close, and those that the clock has entered.
func (t *tick) windows30(s *series, running []span, entered span) {
	due := s.due[day30Grain]
	s.due[day30Grain] = due[:0]
	if last, ok := s.chunks.last(s.team); ok && entered.first <= entered.last {
		// After the latest data only 29 more days can show any.
		entered.first = max(entered.first, s.team.calendar.date(s.chunks[0].day.start()))
		entered.last = min(entered.last, s.team.calendar.date(last.Start())+29)
	} else {
		entered.first = entered.last + 1
	}
	next := entered.first // of those entered
	for {
		d, found := timeline.Date(0), false
		consider := func(c timeline.Date) {
			if !found || c < d {
				d, found = c, true
			}
		}
		for len(running) > 0 && running[0].first > running[0].last {
			running = running[1:]
		}
		if len(running) > 0 {
			consider(running[0].first)
		}
		if len(due) > 0 {
			consider(timeline.Date(due[0]))
		}
		if next <= entered.last {
			consider(next)
		}
		if !found {
			return
		}
		dirty := false
		for i := range running { // at most 30 of them overlap
			if running[i].first > d {
				break
			}
			if running[i].first == d {
				dirty = true
				running[i].first++
			}
		}
		for len(due) > 0 && due[0] == int64(d) {
			due = due[1:]
		}
		if next == d {
			next++
		}
		// A window that begins on a date which its zone skipped (Apia 2011-12-30)
		// begins where the next one does, and would have its key: there is none.
		if !s.team.calendar.day(d - 29).Empty() {
			t.window(s, day30Grain, int64(d), dirty)
		}
	}
}

// window emits one window's row, if it has one to show.
func (t *tick) window(s *series, g grainIndex, key int64, dirty bool) {
	at, known := s.windows[g].find(key)
	before := nothing
	if known {
		before = s.windows[g][at].said()
	}
	if !dirty && before > saidProvisional {
		return // it was revised while it was open, and has not changed since
	}
	w := s.team.calendar.window(g, key)
	closed := w.End+s.lag <= t.clock
	if t.history { // all of it has been accepted, so that nothing is waited for
		closed = w.End <= t.clock
	}
	from, to := cellsOf(w)
	if dirty && !t.history && s.fixed(w, before, t.clock) {
		t.counters.Frozen++
		t.kept.changed(keptWindowRows, s.team, g.day(key))
		s.keep(g, key, from, to, t.changes)
		return
	}
	if !dirty && before == saidProvisional && !closed {
		return // entered twice
	}
	// Whether it holds anything is seen by adding it up, which has to be done anyway.
	made := t.madePoint()
	empty := s.add(made, g, key, from, to)
	now := saidProvisional
	switch {
	case empty:
		if before == nothing || before == saidWithdrawn {
			return
		}
		now = saidWithdrawn
	case before > saidProvisional:
		now = saidRevised
	case closed:
		now = saidFinal
	}
	if dirty && before == saidFinal {
		s.give(g, key, from, to, t.changes)
	}
	s.windows[g].sayAt(at, known, key, now)
	t.kept.changed(keptWindowRows, s.team, g.day(key))
	if now == saidProvisional && before == nothing {
		t.alarms.Set(w.End+s.lag, alarm{s.team, s, g, key})
	}
	t.heading(made, s, g, key, w, now)
	t.emit(made.beside(s, from, to))
}

// fixed reports whether a row that was given stays as it is.
func (s *series) fixed(w timeline.Window, before said, clock timeline.Millis) bool {
	return s.def.Refire == Freeze && before > saidProvisional ||
		s.def.Accept > 0 && w.End+s.def.Accept <= clock
}

// madePoint is a point with its aggregate: they live and die together.
type madePoint struct {
	Point
	Aggregate
	room [3]int64 // for the quantiles of 30 days
}

// point works out a window's point as it stands.
func (e *Engine) point(made *madePoint, s *series, g grainIndex, key int64, w timeline.Window, now said) *Point {
	from, to := cellsOf(w)
	s.add(made, g, key, from, to)
	e.heading(made, s, g, key, w, now)
	return made.beside(s, from, to)
}

// add puts what a window shows into a point that is empty, and reports whether its cells
// hold nothing.
func (s *series) add(made *madePoint, g grainIndex, key int64, from, to timeline.Cell) (empty bool) {
	if kept := s.kept[keptWindow{g, key}]; kept != nil {
		made.Aggregate = kept.clone()
		return !s.chunks.any(s.team, from, to)
	}
	switch g {
	case day30Grain:
		s.aggregate30(made, timeline.Date(key))
	case dayGrain:
		s.aggregateDay(&made.Aggregate, from, to)
	default:
		s.aggregate(&made.Aggregate, from, to)
	}
	return made.Aggregate.Empty()
}

// heading makes a point without what was observed.
func (e *Engine) heading(made *madePoint, s *series, g grainIndex, key int64, w timeline.Window, now said) *Point {
	p := &made.Point
	p.Version, p.Team, p.Metric, p.Service, p.Definition = e.version, s.team.name, s.def.Name, s.service, s.def
	p.Grain, p.Start, p.End, p.Zone = g.grain(), w.Start, w.End, s.team.calendar.zone(w.Start).Name()
	p.Status, p.Withdrawn = now.status(), now == saidWithdrawn
	p.Aggregate = &made.Aggregate
	p.CoveredDays, p.Given = -1, nil
	if len(s.given) > 0 && p.Status == Revised {
		p.Given = s.gave(keptWindow{g, key})
	}
	if g == day30Grain {
		d := timeline.Date(key)
		p.CoveredDays = s.team.coverage.days(s.team.calendar, s.def.Sources, &e.everyone, d-29, d, e.clock)
	}
	return p
}

// beside says what the reader of a point should know beside it: of cells [from, to).
func (p *Point) beside(s *series, from, to timeline.Cell) *Point {
	m := s.team.quality.beside(s.def.Sources, from, to)
	p.LateAccepted, p.LateDropped, p.Duplicates, p.Quarantined = m.accepted, m.dropped, m.duplicates, m.quarantined
	p.Missing = p.missing()
	return p
}
