package metrics

import (
	"fmt"
	"strings"
)

// Counters counts what the engine did not change, and what it has forgotten:
// nothing goes without a count. They are part of its state.
type Counters struct {
	TooOld         int64 `cbor:"1,keyasint,omitempty"` // changes to observations older than the horizon: too_old_to_revise
	Frozen         int64 `cbor:"2,keyasint,omitempty"` // changes to windows whose row stays
	Twice          int64 `cbor:"3,keyasint,omitempty"` // observations that a metric gave twice under one key: its mistake
	EvictedFolds   int64 `cbor:"4,keyasint,omitempty"`
	EvictedStubs   int64 `cbor:"5,keyasint,omitempty"`
	EvictedCells   int64 `cbor:"6,keyasint,omitempty"` // days of cells of one series
	EvictedWindows int64 `cbor:"7,keyasint,omitempty"`
	EvictedQuality int64 `cbor:"8,keyasint,omitempty"`
	TrimmedFacts   int64 `cbor:"9,keyasint,omitempty"`  // facts that lines have forgotten
	TrimmedGiven   int64 `cbor:"10,keyasint,omitempty"` // observations that went with them; their rows stay
	EvictedOpen    int64 `cbor:"11,keyasint,omitempty"` // of EvictedFolds, those still open: nothing was heard of them for 400 days
	EvictedGiven   int64 `cbor:"12,keyasint,omitempty"` // observations that went with folds and stubs; their rows stay
	EvictedSeries  int64 `cbor:"13,keyasint,omitempty"` // series that hold nothing any more
}

// Counters returns what was counted so far.
func (e *Engine) Counters() Counters { return e.counters }

// Counted yields what was counted, by a name for people. A runner shows it where
// its shards are shown.
func (e *Engine) Counted(yield func(name string, n int64)) {
	for _, l := range e.counters.list() {
		yield(l.Name, l.N)
	}
}

// list names what is counted, for people.
func (c Counters) list() Tally {
	return Tally{
		{Name: "changes too old to revise", N: c.TooOld}, {Name: "changes to frozen windows", N: c.Frozen}, {Name: "observations given twice", N: c.Twice},
		{Name: "folds evicted", N: c.EvictedFolds}, {Name: "of them open", N: c.EvictedOpen}, {Name: "stubs evicted", N: c.EvictedStubs},
		{Name: "observations evicted with them", N: c.EvictedGiven}, {Name: "days of cells evicted", N: c.EvictedCells},
		{Name: "windows evicted", N: c.EvictedWindows}, {Name: "series evicted", N: c.EvictedSeries}, {Name: "cells of quality evicted", N: c.EvictedQuality},
		{Name: "facts trimmed", N: c.TrimmedFacts}, {Name: "observations trimmed", N: c.TrimmedGiven},
	}
}

// String returns what was counted in words, "" where nothing was.
func (c Counters) String() string {
	var b strings.Builder
	for _, l := range c.list() {
		if l.N == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s: %d", l.Name, l.N)
	}
	return b.String()
}
