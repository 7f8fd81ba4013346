package metrics

import "meridian/streaming/timeline"

// sweep emits the points of a series of which nothing was said yet, at the tick that
// ends a history: all days, then all windows of 30 days, then all hours. All that it
// holds has come at once and lies in order, so that a window is a run of entries, which
// needs neither to be looked for nor to be compared with what was said before.
func (t *tick) sweep(s *series) {
	changes := t.sorter.settle(s.pending)
	entries := s.fill(changes)
	t.runs(s, dayGrain, changes, entries)
	t.sweep30(s, changes, entries)
	t.runs(s, hourGrain, changes, entries)
}

// fresh reports whether nothing was ever said of a series.
func (s *series) fresh() bool {
	return len(s.chunks)+len(s.windows[dayGrain])+len(s.windows[day30Grain])+len(s.windows[hourGrain]) == 0
}

// fill puts settled changes into a series that is empty, and returns its entries in
// order: one piece of memory, of which each day's are a part.
func (s *series) fill(changes []change) []entry {
	all := make([]entry, len(changes))
	for i, end := 0, 0; i < len(changes); i = end {
		for end = i; end < len(changes) && changes[end].day == changes[i].day; end++ {
			all[end] = changes[end].entry
		}
		s.chunks = append(s.chunks, chunk{day: changes[i].day, entries: all[i:end:end]})
		s.team.engine.kept.changed(keptCells, s.team, changes[i].day)
	}
	return all
}

// runs emits the hours or the days that hold something.
func (t *tick) runs(s *series, g grainIndex, changes []change, entries []entry) {
	cal := s.team.calendar
	for i, end := 0, 0; i < len(changes); i = end {
		at := changes[i].at()
		var w timeline.Window
		var key int64
		if g == hourGrain {
			w = cal.hour(at)
			key = int64(w.Start)
		} else {
			d := cal.date(at)
			w, key = cal.day(d), int64(d)
		}
		for end = i + 1; end < len(changes) && changes[end].at() < w.End; end++ {
		}
		p := &t.first(s, g, key, w).Point
		sum := s.sum(p.Aggregate)
		sum.put(entries[i:end])
		sum.end()
		from, to := cellsOf(w)
		t.emit(p.beside(s, from, to))
	}
}

// sweep30 emits the windows of 30 days that hold something, up to the running one.
// Entries go in at one end of the sliding window and out at the other, each once.
func (t *tick) sweep30(s *series, changes []change, entries []entry) {
	w, cal, y := &s.sliding, s.team.calendar, t.symbols
	last := cal.date(changes[len(changes)-1].at())
	in, out := 0, 0 // the window holds the entries between
	for d := cal.date(changes[0].at()); d <= min(last+29, s.team.today); d++ {
		of := cal.days30(d)
		for ; in < len(changes) && changes[in].at() < of.End; in++ {
			w.put(y, s.def.Statistic, &entries[in], 1)
		}
		for ; out < in && changes[out].at() < of.Start; out++ {
			w.put(y, s.def.Statistic, &entries[out], -1)
		}
		if in == out { // nothing for a month: on with what comes next
			d = max(d, cal.date(changes[in].at())-1)
			continue
		}
		w.set, w.end = true, d
		w.from, w.to = cellsOf(of)
		if cal.day(d - 29).Empty() { // see windows30
			continue
		}
		made := t.first(s, day30Grain, int64(d), of)
		s.slid(made)
		t.emit(made.beside(s, w.from, w.to))
	}
}

// first says that a window has its first row, and begins it.
func (t *tick) first(s *series, g grainIndex, key int64, w timeline.Window) *madePoint {
	now := saidFinal
	if w.End > t.clock { // all of a history has been accepted, so that nothing is waited for
		now = saidProvisional
		t.alarms.Set(w.End+s.lag, alarm{s.team, s, g, key})
	}
	s.windows[g] = append(s.windows[g], stateOf(key, now))
	t.kept.changed(keptWindowRows, s.team, g.day(key))
	made := t.madePoint()
	t.heading(made, s, g, key, w, now)
	return made
}

// at is the instant at which the change's cell begins.
func (c *change) at() timeline.Millis { return c.day.cell(c.slot).Start() }
