package metrics

import (
	"cmp"
	"math"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Engine is the stage behind route: it folds routed events into entities, asks
// them for observations at each tick, keeps those in cells, and emits the rows
// that have changed. It implements streaming.Program[event.Routed, Row].
//
// Nothing in it depends on how records were batched or interleaved: within a
// round it only folds, and everything that is given out is worked out at the
// tick, in the order of names.
type Engine struct {
	config      Config
	definitions []*Definition // sorted by name
	lags        []timeline.Millis
	kinds       []kind

	clock   streaming.Clock
	version streaming.Version
	teams   map[string]*team
	symbols *symbols

	everyone coverage // what was said of whole sources

	// Of the round that is closing.
	active []*team
	record event.Routed // the one at hand: folds get a pointer, which would make a copy escape for each
	told   told         // where it goes; tell is given to kinds of several entities, and made once for the same reason
	tell   func(event.EntityID)

	alarms   *streaming.Timers[alarm]
	expiries map[utcDay][]entityRef // entities to look at once the clock is beyond the day
	swept    utcDay                 // the clock's day when expiries were last looked at

	kept     kept
	members  [foldBuckets][]entityRef // entities by the section that they are saved in
	packer   packer
	unpacker unpacker
	coder    coder  // of folds
	heads    coder  // of what stands before them in a section
	bytes    []byte // scratch
	cells    restingCells
	places   [2][]uint32 // scratch, by symbol: of people, of names
	shown    shown
	sorter   sorter
	lent     *lending // nil: rows are given away
	askAll   bool     // tests: everything is asked of every fold that is touched

	foldsBefore bool // tests: folds are saved as the version before did
	scratch
	counters Counters
}

var _ streaming.Program[event.Routed, Row] = (*Engine)(nil)

// kind is a FoldKind with the metrics that read it.
type kind struct {
	FoldKind
	metrics []uint16
	line    bool // its folds are Lines
	wakeful bool // they never rest: what they derive from their facts is too dear to be made again
}

// team is the state of one team.
type team struct {
	engine   *Engine
	name     string
	bucket   uint8 // see daySection
	calendar *calendar
	entities []map[event.EntityID]*entity // by kind
	series   map[seriesKey]*series
	totals   []*series // by metric
	ordered  []*series // by metric and service
	quality  quality
	coverage coverage
	today    timeline.Date // the clock's date at the last tick, the running day of day30
	dated    bool          // today is set
	midnight timeline.Millis

	// Of the round that is closing.
	active  bool
	touched []touch
	causes  []cause
	rejects []*RejectRow
}

// seriesKey is a metric and the symbol of a service in one number.
type seriesKey uint64

func (t *team) key(metric uint16, service string) seriesKey {
	return keyOfSeries(metric, t.engine.symbols.id(service))
}

func keyOfSeries(metric uint16, service uint32) seriesKey {
	return seriesKey(service)<<16 | seriesKey(metric)
}

// NewEngine returns an engine without state. It keeps nothing of the
// configuration's slices.
func NewEngine(c Config) (*Engine, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	e := &Engine{config: c, definitions: slices.Clone(c.Definitions)}
	slices.SortFunc(e.definitions, func(a, b *Definition) int { return cmp.Compare(a.Name, b.Name) })
	for _, f := range c.Folds {
		k := kind{FoldKind: f}
		if f.New != nil {
			fold := f.New()
			_, k.line = fold.(Line)
			_, k.wakeful = fold.(Prepared)
		}
		e.kinds = append(e.kinds, k)
	}
	for i, d := range e.definitions {
		e.lags = append(e.lags, c.lag(d))
		for k := range e.kinds {
			if e.kinds[k].Subject == d.Subject {
				e.kinds[k].metrics = append(e.kinds[k].metrics, uint16(i))
			}
		}
	}
	e.tell = func(id event.EntityID) {
		e.activate(e.told.team)
		e.told.team.touch(e.told.kind, id, false, e.told.origin, e.told.record)
	}
	e.reset()
	return e, nil
}

func (e *Engine) reset() {
	e.clock, e.version = streaming.NoClock, 0
	e.teams, e.symbols = map[string]*team{}, newSymbols()
	e.active, e.alarms = nil, streaming.NewTimers(compareAlarms)
	e.expiries, e.swept = map[utcDay][]entityRef{}, math.MinInt32
	e.cells, e.kept, e.counters, e.everyone = restingCells{}, kept{}, Counters{}, coverage{}
	clear(e.members[:])
}

// Clock returns the clock of the last tick.
func (e *Engine) Clock() streaming.Clock { return e.clock }

// history reports whether the records that are applied now belong to a
// recomputed history, in which nothing is too old.
func (e *Engine) history() bool { return e.version.Round() < e.config.HistoryEnd }

// Apply folds one routed copy.
func (e *Engine) Apply(_ streaming.Clock, r streaming.Record[event.Routed], _ func(Row)) {
	e.record = r.Value
	e.Take(r.Origin, &e.record)
}

// Take is Apply of a record that lies somewhere and is only lent: a history has slabs
// of them, and a copy of one is a kilobyte.
func (e *Engine) Take(o streaming.Origin, v *event.Routed) {
	if v.Event.Kind >= event.ScopeCovered && v.Copy == event.Aside {
		e.scope(&v.Event, v.Team)
		return
	}
	t := e.teams[v.Team]
	if t == nil {
		t = e.newTeam(v.Team)
	}
	if v.Copy == event.Aside { // a delivery that could not be read is a row of rejects, and counts nowhere
		t.rejects = append(t.rejects, rejectRow(o, v))
		e.activate(t)
		return
	}
	if t.coverage.receive(v.Event.Source, v.Received) {
		e.activate(t)
	}
	if v.Copy == event.Home {
		t.quality.count(v)
		e.kept.changed(keptQuality, t, utcDayOf(v.Event.Time))
		e.activate(t)
		if v.Verdict == event.Late || v.Verdict == event.Quarantined {
			t.rejects = append(t.rejects, rejectRow(o, v))
		}
	}
	if v.Verdict != event.Accepted {
		return
	}
	for k := range e.kinds {
		kind := &e.kinds[k]
		switch {
		case kind.Spell != nil:
			if e.bytes = kind.Spell(e.bytes[:0], v); len(e.bytes) > 0 {
				e.activate(t)
				t.touch(k, event.EntityID(frozen(e.bytes)), true, o, v)
			}
		case kind.Entity != nil:
			if id := kind.Entity(v); id != "" {
				e.activate(t)
				t.touch(k, id, false, o, v)
			}
		}
		if kind.Entities != nil {
			e.told = told{t, k, o, v}
			kind.Entities(v, e.tell)
		}
	}
}

type told struct {
	team   *team
	kind   int
	origin streaming.Origin
	record *event.Routed
}

func (e *Engine) newTeam(name string) *team {
	t := &team{
		engine: e, name: name, calendar: newCalendar(e.config.Catalog, name),
		entities: make([]map[event.EntityID]*entity, len(e.kinds)), series: map[seriesKey]*series{},
		midnight: never, totals: make([]*series, len(e.definitions)),
	}
	for k := range t.entities {
		t.entities[k] = map[event.EntityID]*entity{}
	}
	t.bucket = teamBucket(name)
	e.teams[name] = t
	return t
}

func (e *Engine) activate(t *team) {
	if !t.active {
		t.active = true
		e.active = append(e.active, t)
	}
}

// total returns the series of a metric for the whole team.
func (t *team) total(metric uint16) *series {
	if t.totals[metric] == nil {
		t.totals[metric] = t.of(metric, "")
	}
	return t.totals[metric]
}

// of returns the series of a metric and service, making it when needed.
func (t *team) of(metric uint16, service string) *series {
	return t.ofSymbol(metric, t.engine.symbols.id(service))
}

// ofSymbol is of, for a service by its symbol.
func (t *team) ofSymbol(metric uint16, service uint32) *series {
	key := keyOfSeries(metric, service)
	s := t.series[key]
	if s == nil {
		e := t.engine
		s = &series{team: t, def: e.definitions[metric], metric: metric, service: e.symbols.names[service], lag: e.lags[metric]}
		t.series[key] = s
		i, _ := slices.BinarySearchFunc(t.ordered, s, compareSeries)
		t.ordered = slices.Insert(t.ordered, i, s)
	}
	return s
}

func compareSeries(a, b *series) int {
	return cmp.Or(cmp.Compare(a.metric, b.metric), cmp.Compare(a.service, b.service))
}
