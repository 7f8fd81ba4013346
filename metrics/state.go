package metrics

import (
	"errors"
	"fmt"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// The sections of a snapshot: "meta", which says which others there are; folds in hash
// buckets, so that an idle bucket keeps its bytes; cells, windows and quality
// by day of UTC and bucket of teams, so that a closed day keeps its bytes, and
// those of idle teams today. All are canonical: equal
// states give equal bytes, whatever the order in which things came.
const sectionMeta = "meta"

// ErrState is wrapped when a snapshot does not fit the engine that loads it.
var ErrState = errors.New("metrics: the snapshot cannot be used")

type savedMeta struct {
	Clock    streaming.Clock       `cbor:"1,keyasint"`
	Version  streaming.Version     `cbor:"2,keyasint"`
	Swept    utcDay                `cbor:"3,keyasint"`
	Counters Counters              `cbor:"4,keyasint"`
	Metrics  []Name                `cbor:"5,keyasint"` // by number
	Teams    []savedTeam           `cbor:"6,keyasint"`
	Folds    []uint16              `cbor:"7,keyasint"` // buckets that have a section
	Days     [keptKinds][]savedDay `cbor:"8,keyasint"`
	Everyone []savedScopes         `cbor:"20,keyasint,omitempty"`
}

// savedDay names the sections of one day. A list of their names would be most of
// what a quiet minute changes.
type savedDay struct {
	_       struct{} `cbor:",toarray"`
	Day     utcDay
	Buckets uint16 // a bit for each bucket of teams
}

type savedTeam struct {
	Name     string         `cbor:"1,keyasint"`
	Today    timeline.Date  `cbor:"2,keyasint"`
	Dated    bool           `cbor:"3,keyasint"`
	Coverage []savedCovered `cbor:"4,keyasint,omitempty"`
	Rejects  []*RejectRow   `cbor:"5,keyasint,omitempty"`
	Scopes   []savedScopes  `cbor:"6,keyasint,omitempty"`
}

type savedCovered struct {
	_      struct{} `cbor:",toarray"`
	Source event.Source
	From   timeline.Millis
	Last   timeline.Millis
	Dirty  bool
}

// Save implements streaming.Program. It may be called at any time: what waits
// for the next tick is saved too.
func (e *Engine) Save(put func(section string, data []byte)) {
	teams := e.sorted()
	meta := savedMeta{Clock: e.clock, Version: e.version, Swept: e.swept, Counters: e.counters, Everyone: e.everyone.saved()}
	meta.Folds = e.saveFolds(put)
	meta.Days[keptCells] = saveDays(&e.kept, keptCells, e.changedCells(teams), e.saveCells, put)
	meta.Days[keptWindowRows] = saveDays(&e.kept, keptWindowRows, e.changedWindows(teams), e.saveWindows, put)
	meta.Days[keptQuality] = saveDays(&e.kept, keptQuality, e.changedQuality(teams), e.saveQuality, put)
	e.kept.saved()
	for _, d := range e.definitions {
		meta.Metrics = append(meta.Metrics, d.Name)
	}
	for _, t := range teams {
		st := savedTeam{Name: t.name, Today: t.today, Dated: t.dated, Rejects: t.rejects, Scopes: t.coverage.saved()}
		for s, c := range t.coverage {
			if c.from != 0 || c.last != 0 || c.dirty {
				st.Coverage = append(st.Coverage, savedCovered{Source: event.Source(s), From: c.from, Last: c.last, Dirty: c.dirty})
			}
		}
		meta.Teams = append(meta.Teams, st)
	}
	data, err := theCodec.Marshal(meta)
	if err != nil {
		panic(fmt.Errorf("metrics: saving section %s: %w", sectionMeta, err)) // numbers, strings and lists of them always marshal
	}
	put(sectionMeta, data)
}

// Load implements streaming.Program.
func (e *Engine) Load(get func(section string) ([]byte, error)) error {
	e.reset()
	read := func(section string) ([]byte, error) {
		data, err := get(section)
		switch {
		case err != nil:
			return nil, fmt.Errorf("metrics: reading section %s: %w", section, err)
		case data == nil:
			return nil, fmt.Errorf("%w: section %s is missing", ErrState, section)
		}
		return data, nil
	}
	data, err := read(sectionMeta)
	if err != nil {
		return err
	}
	var meta savedMeta
	if err := theCodec.Unmarshal(data, &meta); err != nil {
		return fmt.Errorf("%w: section %s: %w", ErrState, sectionMeta, err)
	}
	if !slices.EqualFunc(meta.Metrics, e.definitions, func(n Name, d *Definition) bool { return n == d.Name }) {
		return fmt.Errorf("%w: it holds the metrics %v; this generation has others", ErrState, meta.Metrics)
	}
	e.clock, e.version, e.swept, e.counters = meta.Clock, meta.Version, meta.Swept, meta.Counters
	e.everyone.load(meta.Everyone)
	for _, st := range meta.Teams {
		e.loadTeam(st)
	}
	for _, bucket := range meta.Folds {
		name := foldSection(int(bucket))
		data, err := read(name)
		if err != nil {
			return err
		}
		if err := e.loadFolds(data); err != nil {
			return fmt.Errorf("%w: section %s: %w", ErrState, name, err)
		}
		if data[0] == foldSections {
			e.kept.folds[bucket] = data // others are written anew
		}
	}
	for kind, days := range meta.Days {
		for _, d := range days {
			for bucket := range uint8(teamBuckets) {
				if d.Buckets>>bucket&1 == 0 {
					continue
				}
				section := daySection{d.Day, bucket}
				name := section.name(keptKind(kind))
				data, err := read(name)
				if err != nil {
					return err
				}
				if err := e.loadDay(keptKind(kind), section, data); err != nil {
					return fmt.Errorf("%w: section %s: %w", ErrState, name, err)
				}
				e.kept.keep(keptKind(kind), section, data)
			}
		}
	}
	e.resume()
	e.kept.saved()
	return nil
}

// loadDay loads one section of a day.
func (e *Engine) loadDay(kind keptKind, at daySection, data []byte) error {
	switch kind {
	case keptCells:
		return e.loadCells(at, data)
	case keptWindowRows:
		return e.loadWindows(at, data)
	default:
		return e.loadQuality(at, data)
	}
}

func (e *Engine) loadTeam(st savedTeam) {
	t := e.newTeam(st.Name)
	t.today, t.dated, t.rejects = st.Today, st.Dated, st.Rejects
	for _, c := range st.Coverage {
		t.coverage[c.Source%event.Source(len(t.coverage))] = covered{from: c.From, last: c.Last, dirty: c.Dirty}
		if c.Dirty {
			e.activate(t)
		}
	}
	t.coverage.load(st.Scopes)
	if len(t.rejects) > 0 {
		e.activate(t)
	}
}

// team returns a team that a section names.
func (e *Engine) team(name string) (*team, error) {
	if t := e.teams[name]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%w: a section holds team %q, which meta does not", ErrState, name)
}

// resume sets the timers again, which follow from the rest, and gives back what lists
// took in advance while they grew: most will not for long.
func (e *Engine) resume() {
	for _, t := range e.sorted() {
		t.quality.trim()
		for _, s := range t.ordered {
			s.chunks = trimmed(s.chunks)
			for g := range s.windows {
				s.windows[g] = trimmed(s.windows[g])
				for _, w := range s.windows[g] {
					if w.said() == saidProvisional {
						a := alarm{t, s, grainIndex(g), w.key()}
						e.alarms.Set(t.calendar.window(a.grain, a.key).End+s.lag, a)
					}
				}
			}
		}
		if t.dated {
			e.wake(t)
		}
	}
}

// trimmed is a list in memory that is no larger than it.
func trimmed[S ~[]E, E any](list S) S {
	if cap(list) == len(list) {
		return list
	}
	return append(make(S, 0, len(list)), list...)
}
