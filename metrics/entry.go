package metrics

import (
	"bytes"
	"cmp"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// entry is an observation as its cell keeps it: what an aggregate reads of it.
// 24 bytes; most cells hold one to three.
type entry struct {
	value  int64
	person uint32 // symbol
	reason uint32 // symbol
	basis  uint32 // symbol
	slot   uint8  // which cell of the UTC day, 0 to 95
	flags  flags
	heat   uint8 // Observation.Slot
}

// flags packs outcome (2 bits), hit, primary, class (2 bits) and zone source
// (2 bits).
type flags uint8

func flagsOf(o *Observation) flags {
	f := flags(o.Outcome&3) | flags(o.Class&3)<<4 | flags(o.Known&3)<<6
	if o.Hit {
		f |= 4
	}
	if o.Primary {
		f |= 8
	}
	return f
}

func (f flags) outcome() Outcome        { return Outcome(f & 3) }
func (f flags) hit() bool               { return f&4 != 0 }
func (f flags) primary() bool           { return f&8 != 0 }
func (f flags) class() timeline.Class   { return timeline.Class(f >> 4 & 3) }
func (f flags) known() event.ZoneSource { return event.ZoneSource(f >> 6) }

func compareEntries(a, b entry) int {
	if a.slot != b.slot {
		return int(a.slot) - int(b.slot)
	}
	if a.value != b.value {
		if a.value < b.value {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.flags, b.flags), cmp.Compare(a.person, b.person),
		cmp.Compare(a.reason, b.reason), cmp.Compare(a.basis, b.basis), cmp.Compare(a.heat, b.heat))
}

// compareSaved is compareEntries by names, which are the same in every process.
func (y *symbols) compareSaved(a, b entry) int {
	if c := cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.value, b.value), cmp.Compare(a.flags, b.flags)); c != 0 {
		return c
	}
	if a.person != b.person {
		return bytes.Compare(y.people[a.person][:], y.people[b.person][:])
	}
	if a.reason != b.reason {
		return cmp.Compare(y.names[a.reason], y.names[b.reason])
	}
	if a.basis != b.basis {
		return cmp.Compare(y.names[a.basis], y.names[b.basis])
	}
	return cmp.Compare(a.heat, b.heat)
}

// observation is as much of an observation as its entry holds.
func (y *symbols) observation(e entry) Observation {
	return Observation{
		Value: e.value, Hit: e.flags.hit(), Outcome: e.flags.outcome(), Reason: Reason(y.names[e.reason]), Person: y.people[e.person],
		Primary: e.flags.primary(), Class: e.flags.class(), Known: e.flags.known(), Basis: y.names[e.basis],
		Slot: e.heat,
	}
}

// putEntry is Part.put of an entry, without its value among Values.
func (p *Part) putEntry(y *symbols, e *entry, sign int64) {
	switch e.flags.outcome() {
	case Excluded:
		p.Excluded.add(y.names[e.reason], sign)
		return
	case Ignored:
		p.Ignored.add(y.names[e.reason], sign)
		return
	}
	p.N += sign
	p.Sum += sign * e.value
	if e.flags.hit() {
		p.Hits += sign
	}
	if e.basis != 0 {
		p.Basis.add(y.names[e.basis], sign)
	}
	if e.person != 0 {
		p.Classes[e.flags.class()] += sign
	}
	p.Heat.add(e.heat, sign)
}

func (a *Aggregate) putPerson(y *symbols, s Statistic, e *entry, sign int64) {
	if e.person == 0 || e.flags.outcome() != Observed || !s.counts(e.flags.hit()) {
		return
	}
	p := PersonCount{ID: y.people[e.person], N: 1}
	if k := e.flags.known(); k != 0 {
		p.Known[k-1] = 1
	}
	a.person(p, sign)
}
