package metrics

import (
	"cmp"
	"math"
	"strings"

	"github.com/cespare/xxhash/v2"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// entity is a fold with the observations that it was last known by.
//
// Nearly all rest: an entity that nobody has told anything since the last snapshot
// is two slices of that snapshot's bytes, which so take no memory of their own.
// It wakes when it is touched; see rest.go.
type entity struct {
	id     event.EntityID
	*awake                 // nil: it rests, or is a stub
	rest   string          // the fold, where it rests
	given  packed          // where it rests, or is a stub; of a Line, all its parts
	last   timeline.Millis // the fold's last fact at the last tick
	oldest timeline.Millis // of a Line that rests: nothing in it that may be forgotten is older

	look    utcDay // when it will be looked at to be evicted, if that is noted
	touched int32  // 1 + its place in team.touched, in the round that is closing
	bucket  uint16 // the section of folds that it is saved in
	kind    uint8
	open    bool
	noted   bool
}

// awake is an entity that was touched since the last snapshot. What it was given is
// not packed: it is likely to be touched again.
type awake struct {
	fold  Fold
	list  []given // sorted; nil of a Line
	parts []part  // of a Line, by name
}

// part is what a part of a Line was last known by.
type part struct {
	name  string
	given packed
}

// given is an observation as it was given out: enough to take it back.
type given struct {
	item    string
	start   timeline.Millis
	at      timeline.Millis
	value   int64
	shown   uint64 // hash of what only evidence shows: URL and label; 0: nothing
	service uint32 // symbol
	person  uint32 // symbol
	reason  uint32 // symbol
	basis   uint32 // symbol
	metric  uint16
	flags   flags
	heat    uint8
	refused bool // too old when it came up: in no cell, and no row
}

func (e *Engine) give(metric uint16, o *Observation) given {
	y := e.symbols
	return given{
		item: o.Item, start: o.Start, at: o.At, value: o.Value, shown: e.shown.hash(o.URL, o.Label),
		service: y.id(o.Service), person: y.person(o.Person), reason: y.id(string(o.Reason)), basis: y.id(o.Basis),
		metric: metric, flags: flagsOf(o), heat: o.Slot,
	}
}

// shown hashes what evidence shows of an observation, and remembers the last:
// whatever is observed of one entity shows the same.
type shown struct {
	url, label string
	last       uint64
}

func (s *shown) hash(url, label string) uint64 {
	if url == s.url && label == s.label {
		return s.last
	}
	const prime = 0x9e3779b97f4a7c15
	s.url, s.label = url, label
	if s.last = xxhash.Sum64String(url)*prime + xxhash.Sum64String(label); url == "" && label == "" {
		s.last = 0
	}
	return s.last
}

// entry is what the cell of g keeps.
func (g *given) change(sign int8) change {
	day, slot := dayOfCell(timeline.CellOf(g.at))
	return change{day: day, sign: sign, entry: entry{value: g.value, person: g.person, reason: g.reason, basis: g.basis, slot: slot, flags: g.flags, heat: g.heat}}
}

// compareKeys orders observations by what makes them one: metric, item,
// service and reason.
func (e *Engine) compareKeys(a, b *given) int {
	if c := cmp.Compare(a.metric, b.metric); c != 0 {
		return c
	}
	if c := strings.Compare(a.item, b.item); c != 0 {
		return c
	}
	y := e.symbols
	if a.service != b.service {
		return strings.Compare(y.names[a.service], y.names[b.service])
	}
	if a.reason != b.reason {
		return strings.Compare(y.names[a.reason], y.names[b.reason])
	}
	return 0
}

// dated returns when an observation is dated: at its end fact. That of a gauge
// ends with its interval, which may not have ended.
func (e *Engine) dated(g *given) timeline.Millis {
	if e.definitions[g.metric].Statistic == Gauge {
		return gaugeEnd(g.at, g.value)
	}
	return g.at
}

// tooOld is the predicate of lateness, which route asks of events and the
// engine of observations.
func (e *Engine) tooOld(at timeline.Millis, clock streaming.Clock) bool {
	return clock != streaming.NoClock && at != never && timeline.CellOf(at).End()-1+e.config.Horizon <= clock
}

// gone is a clock by which nothing is judged that evict has thrown away. A
// partition of deliveries may stand still while others go on, and its records are
// judged by its own clock: when that is more than a month behind, what they would
// change has no cells any more.
func (e *Engine) gone() streaming.Clock {
	if e.swept == math.MinInt32 {
		return streaming.NoClock
	}
	return timeline.Millis(e.swept+1)*timeline.Day - cellLife
}
