package metrics

import (
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// tick is the work of one tick.
type tick struct {
	*Engine
	version streaming.Version
	emit    func(Row)
	history bool // this tick gives out a whole history at once

	rows    []ObservationRow // slabs; see fresh
	made    []madePoint
	counts  []QualityRow
	take    func(Observation) // puts one of entity and metric into observed
	askPart func(string)      // asks a part of the line at hand
	line    entityRef
	entity  event.EntityID
	metric  uint16
	changes []change // of the series at hand
	refused Tally    // changes of the entity at hand that are too old, by metric
	judge   streaming.Clock
}

// scratch is memory that one tick after the other works in: live there are many, and
// most have little to do.
type scratch struct {
	observed []Observation
	given    []given // of what is asked, sorted by key
	spots    []int   // where they are in observed
	arranged []indexed
	before   []given // what was given
	next     []given // what is given from now on
	added    []int   // places in observed
	order    []touchOrder
	hours    []int64 // of the series at hand, that have changed
	days     []int64
	running  []span // windows of 30 days that the changes touch, in order
}

// forget lets go of names, and of what a history filled.
func (s *scratch) forget() {
	s.observed, s.given, s.before, s.next = wiped(s.observed), wiped(s.given), wiped(s.before), wiped(s.next)
	s.added, s.order, s.spots, s.arranged = wiped(s.added), wiped(s.order), wiped(s.spots), wiped(s.arranged)
	s.hours, s.days, s.running = wiped(s.hours), wiped(s.days), wiped(s.running)
}

func wiped[T any](s []T) []T { return emptied(s[:cap(s)]) }

// fresh returns an empty row. Rows come from slabs: a round gives many or few, and
// whoever takes them keeps them until all are durable.
func fresh[T any](slab *[]T, most int) *T {
	if len(*slab) == cap(*slab) {
		*slab = make([]T, 0, min(most, 2*cap(*slab)+1))
	}
	*slab = (*slab)[:len(*slab)+1]
	return &(*slab)[len(*slab)-1]
}

type indexed struct {
	given
	at int // in tick.observed
}

// Due returns the earliest clock at which Tick would emit something without
// new input: a window's end, a team's midnight, the end of history.
func (e *Engine) Due() timeline.Millis {
	if len(e.active) > 0 {
		if e.history() {
			return e.config.HistoryEnd.Clock()
		}
		return e.clock
	}
	e.alarms.Prune(alarm.waits)
	return e.alarms.Next()
}

// Tick ends a round: it works out what has changed and emits it, observations
// first, then points in order of team, metric, service, grain and start, then
// quality, rejects and coverage. When nothing can have changed it only moves
// the clock.
func (e *Engine) Tick(c streaming.Clock, v streaming.Version, emit func(Row)) {
	if t := e.begin(c, v, emit); t != nil {
		t.observations()
		t.end()
	}
}

// begin moves the clock, and returns what there is to do at this tick, or nil.
func (e *Engine) begin(c streaming.Clock, v streaming.Version, emit func(Row)) *tick {
	history := e.history()
	e.clock, e.version = c, v
	if e.history() || e.idle(c) {
		return nil
	}
	t := &tick{Engine: e, version: v, emit: emit, history: history}
	t.take = func(o Observation) {
		o.Metric, o.Entity = e.definitions[t.metric].Name, t.entity
		t.given, t.spots = append(t.given, e.give(t.metric, &o)), append(t.spots, len(t.observed))
		t.observed = append(t.observed, o)
	}
	t.askPart = func(name string) { t.observePart(t.line.team, t.line.entity, name) }
	t.ring()
	slices.SortFunc(e.active, func(a, b *team) int { return strings.Compare(a.name, b.name) })
	return t
}

// observations asks the touched entities of all teams what they are observed as.
func (t *tick) observations() {
	for _, tm := range t.active {
		t.order = orderOf(tm.touched, t.order[:0])
		for i := range t.order {
			t.observe(tm, &tm.touched[t.order[i].place])
		}
		tm.touched, tm.causes = emptied(tm.touched), emptied(tm.causes)
	}
}

// end emits what has come of it, and forgets what can change no more.
func (t *tick) end() {
	for _, tm := range t.active {
		t.points(tm)
	}
	for _, tm := range t.active {
		t.beside(tm)
		tm.active = false
	}
	t.active = t.active[:0]
	t.evict()
	t.forget()
}

// emptied keeps a slice's memory for the next round, unless a history filled it.
func emptied[T any](s []T) []T {
	if cap(s) > 256 {
		return nil
	}
	clear(s)
	return s[:0]
}

// idle reports whether a tick can only move the clock.
func (e *Engine) idle(c streaming.Clock) bool {
	return len(e.active) == 0 && c < e.Due() && utcDayOf(c) == e.swept
}

// beside emits what stands beside a team's points.
func (t *tick) beside(tm *team) {
	oldest := t.clock - t.config.Horizon - cellLife
	tm.quality.rows(func(key qualityKey, c qualityCounts) {
		t.kept.changed(keptQuality, tm, utcDayOf(key.cell.Start())) // it is dirty no more
		// An older cell may have been forgotten, and a row is the whole count.
		// Its late events still have their rejects.
		if key.cell.End() > oldest || t.history {
			row := t.qualityRow()
			*row = key.row(tm.name, c)
			row.Version = t.version
			t.emit(row)
		}
	})
	for _, r := range tm.rejects {
		r.Version = t.version
		t.emit(r)
	}
	tm.rejects = nil
	for s := range tm.coverage {
		if c := &tm.coverage[s]; c.dirty {
			c.dirty = false
			t.emit(coverageRow(tm.name, s, c, &t.everyone[s], t.version))
		}
	}
}
