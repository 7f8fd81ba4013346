package metrics

import "slices"

// entityRef finds an entity that may be gone.
type entityRef struct {
	team   *team
	entity *entity
}

// expiry is the last day of UTC on which an entity is still kept.
func (e *Engine) expiry(en *entity) utcDay {
	life := e.config.Horizon
	if en.open || en.stub() {
		life = max(life, openLife)
	}
	return utcDayOf(en.last + life)
}

// expire makes sure that the entity is looked at when its time is over. An
// entity that lives longer than it was thought to is only noted again when its
// day comes.
func (e *Engine) expire(tm *team, en *entity) {
	day := e.expiry(en)
	if en.noted && en.look <= day {
		return
	}
	en.noted, en.look = true, day
	e.expiries[day] = append(e.expiries[day], entityRef{tm, en})
}

// evict forgets what can no longer change a row. It runs at the first tick of
// each day of UTC, so what is kept depends on the clock alone.
func (t *tick) evict() {
	e := t.Engine
	today := utcDayOf(e.clock)
	if today == e.swept {
		return
	}
	e.swept = today
	var due []utcDay
	for day := range e.expiries {
		if day < today {
			due = append(due, day)
		}
	}
	slices.Sort(due)
	for _, day := range due {
		refs := e.expiries[day]
		delete(e.expiries, day)
		for _, ref := range refs {
			e.evictEntity(ref, day, today)
		}
	}
	t.trim()
	if e.config.Keep {
		return
	}
	oldest := utcDayOf(e.clock - e.config.Horizon - cellLife)
	e.kept.evicted(oldest)
	for _, tm := range e.teams {
		e.counters.EvictedQuality += tm.quality.evict(oldest)
		tm.ordered = slices.DeleteFunc(tm.ordered, func(s *series) bool {
			e.evictSeries(s, oldest)
			gone := len(s.chunks) == 0 && len(s.windows[dayGrain])+len(s.windows[day30Grain])+len(s.windows[hourGrain]) == 0
			if gone {
				e.counters.EvictedSeries++
				delete(tm.series, tm.key(s.metric, s.service))
				if s.service == "" {
					tm.totals[s.metric] = nil
				}
			}
			return gone
		})
	}
}

func (e *Engine) evictEntity(ref entityRef, noted, today utcDay) {
	en := ref.entity
	entities := ref.team.entities[en.kind]
	if entities[en.id] != en || en.look != noted {
		return // gone already, or noted for another day
	}
	en.noted = false
	if e.expiry(en) >= today {
		e.expire(ref.team, en)
		return
	}
	e.changedFold(en)
	if en.stub() {
		e.counters.EvictedStubs++
		e.counters.EvictedGiven += e.observations(en)
		ref.team.leave(en)
		return
	}
	e.counters.EvictedFolds++
	if en.open {
		e.counters.EvictedOpen++
	}
	kind, given := &e.kinds[en.kind], e.observations(en)
	if kind.Returns && !kind.line {
		e.awaken(en) // what it was given is packed with what its fold says, which goes
	}
	if en.awake != nil && !kind.line {
		en.given = e.pack(en.list, "")
	}
	en.awake, en.rest = nil, ""
	if kind.line || !kind.Returns || e.expiry(en) < today {
		e.counters.EvictedGiven += given
		ref.team.leave(en)
		return
	}
	e.expire(ref.team, en)
}

// evictSeries forgets cells before a day, and the windows that end before it.
func (e *Engine) evictSeries(s *series, oldest utcDay) {
	n, _ := s.chunks.find(oldest)
	if n > 0 {
		e.counters.EvictedCells += int64(n)
		s.chunks = slices.Delete(s.chunks, 0, n)
		s.sliding, s.running = sliding{}, nil // they may have reached into them
	}
	for g := range s.windows {
		ws := s.windows[g]
		n := 0
		for n < len(ws) && s.team.calendar.window(grainIndex(g), ws[n].key()).End <= oldest.start() {
			k := keptWindow{grainIndex(g), ws[n].key()}
			delete(s.kept, k)
			delete(s.given, k)
			n++
		}
		e.counters.EvictedWindows += int64(n)
		s.windows[g] = slices.Delete(ws, 0, n)
	}
}
