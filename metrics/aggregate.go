package metrics

import (
	"bytes"
	"slices"

	"meridian/ingest/event"
)

// Aggregate is what a set of observations adds up to: everything that a point
// shows is computed from it. Merging is commutative and associative to the
// byte, and taking away undoes adding, so an aggregate depends on the
// observations alone and not on how they came together.
//
// It has two parts where they differ: All is what one team reads, Primary what
// a scope of several teams merges, so that the act of somebody in two teams
// counts once. People are united by pseudonym, so they need no second part.
type Aggregate struct {
	All     Part          `cbor:"1,keyasint"`
	Primary *Part         `cbor:"2,keyasint,omitempty"` // nil: the same as All
	People  []PersonCount `cbor:"3,keyasint,omitempty"` // sorted by ID

	// Quantiles stand in for All.Values in the aggregate of a day30 point: p50,
	// p75 and p90 in twentieths of the value's unit, which hold them exactly.
	// A window of 30 days slides and is never merged, and a row that carried
	// all its values would cost as much as all its hours.
	Quantiles []int64 `cbor:"4,keyasint,omitempty"`
}

// Part is the additive part of an aggregate.
type Part struct {
	N        int64    `cbor:"1,keyasint,omitempty"` // observed
	Sum      int64    `cbor:"2,keyasint,omitempty"` // of their values
	Hits     int64    `cbor:"3,keyasint,omitempty"` // a share's numerator
	Values   []int64  `cbor:"4,keyasint,omitempty"` // sorted; of statistics that need them
	Excluded Tally    `cbor:"5,keyasint,omitempty"`
	Ignored  Tally    `cbor:"6,keyasint,omitempty"`
	Basis    Tally    `cbor:"7,keyasint,omitempty"`
	Classes  [4]int64 `cbor:"8,keyasint,omitzero"` // by timeline.Class

	Heat HeatCounts `cbor:"9,keyasint,omitempty"` // of statistic Heat: by local weekday and hour
}

// PersonCount says how many observations one person has, and of how many of
// them the zone was configured, inferred or assumed. Counts and not flags, so
// that an observation can be taken back.
type PersonCount struct {
	_     struct{} `cbor:",toarray"`
	ID    event.PersonID
	N     int64
	Known [3]int64 // by event.ZoneSource - 1
}

// exact reports whether the statistic needs every value.
func (s Statistic) exact() bool { return s == MedianDuration || s == MedianLines || s == Gauge }

// counts reports whether somebody with an observation is one of the
// aggregate's people.
func (s Statistic) counts(hit bool) bool { return s != People || hit }

// Add puts an observation in. s is its metric's statistic: counts and shares
// keep no values.
func (a *Aggregate) Add(s Statistic, o *Observation) { a.put(s, o, 1) }

// Remove takes out an observation that was put in before.
func (a *Aggregate) Remove(s Statistic, o *Observation) { a.put(s, o, -1) }

func (a *Aggregate) put(s Statistic, o *Observation, sign int64) {
	if !o.Primary && a.Primary == nil {
		p := a.All.clone()
		a.Primary = &p
	}
	a.All.put(s, o, sign)
	if o.Primary && a.Primary != nil {
		a.Primary.put(s, o, sign)
	}
	if o.Outcome == Observed && o.Person != (event.PersonID{}) && s.counts(o.Hit) {
		p := PersonCount{ID: o.Person, N: sign}
		if o.Known != 0 {
			p.Known[o.Known-1] = sign
		}
		a.person(p, 1)
	}
	a.settle()
}

func (p *Part) put(s Statistic, o *Observation, sign int64) {
	switch o.Outcome {
	case Excluded:
		p.Excluded.add(string(o.Reason), sign)
		return
	case Ignored:
		p.Ignored.add(string(o.Reason), sign)
		return
	}
	p.N += sign
	p.Sum += sign * o.Value
	if o.Hit {
		p.Hits += sign
	}
	if o.Basis != "" {
		p.Basis.add(o.Basis, sign)
	}
	if o.Person != (event.PersonID{}) {
		p.Classes[o.Class%4] += sign
	}
	p.Heat.add(o.Slot, sign)
	if s.exact() {
		i, _ := slices.BinarySearch(p.Values, o.Value)
		if sign > 0 {
			p.Values = slices.Insert(p.Values, i, o.Value)
		} else {
			p.Values = slices.Delete(p.Values, i, i+1)
		}
	}
}

// Merge puts in everything that b holds.
func (a *Aggregate) Merge(b *Aggregate) { a.combine(b, 1) }

// Subtract takes out everything that b holds; all of it was merged in before.
func (a *Aggregate) Subtract(b *Aggregate) { a.combine(b, -1) }

func (a *Aggregate) combine(b *Aggregate, sign int64) {
	if b.Primary != nil && a.Primary == nil {
		p := a.All.clone()
		a.Primary = &p
	}
	if a.Primary != nil {
		a.Primary.combine(b.primary(), sign)
	}
	a.All.combine(&b.All, sign)
	for _, p := range b.People {
		a.person(p, sign)
	}
	a.settle()
}

func (p *Part) combine(q *Part, sign int64) {
	p.N += sign * q.N
	p.Sum += sign * q.Sum
	p.Hits += sign * q.Hits
	p.Excluded.addAll(q.Excluded, sign)
	p.Ignored.addAll(q.Ignored, sign)
	p.Basis.addAll(q.Basis, sign)
	p.Heat.addAll(q.Heat, sign)
	for c := range p.Classes {
		p.Classes[c] += sign * q.Classes[c]
	}
	if sign > 0 {
		p.Values = mergeSorted(p.Values, q.Values)
	} else {
		p.Values = subtractSorted(p.Values, q.Values)
	}
}

// primary is the part that a scope of several teams reads.
func (a *Aggregate) primary() *Part {
	if a.Primary != nil {
		return a.Primary
	}
	return &a.All
}

// settle drops the second part once the last observation that made it differ
// is gone. Until then it has fewer items than the first.
func (a *Aggregate) settle() {
	if a.Primary != nil && a.Primary.items() == a.All.items() {
		a.Primary = nil
	}
}

// items counts observations of any outcome.
func (p *Part) items() int64 { return p.N + p.Excluded.Total() + p.Ignored.Total() }

// Empty reports whether a holds nothing: no observation, exclusion or ignored fact.
func (a *Aggregate) Empty() bool { return a.All.items() == 0 }

func (a *Aggregate) person(p PersonCount, sign int64) {
	i, ok := slices.BinarySearchFunc(a.People, p.ID, func(c PersonCount, id event.PersonID) int { return bytes.Compare(c.ID[:], id[:]) })
	if !ok {
		a.People = slices.Insert(a.People, i, PersonCount{ID: p.ID})
	}
	c := &a.People[i]
	c.N += sign * p.N
	for k := range c.Known {
		c.Known[k] += sign * p.Known[k]
	}
	if c.N == 0 {
		a.People = slices.Delete(a.People, i, i+1)
	}
}

// Zones counts people by how their zone was known. Each counts once, by the
// least sure of their acts: a point that leans on one assumed zone says so.
func (a *Aggregate) Zones() (z ZonesJSON) {
	for i := range a.People {
		switch k := a.People[i].Known; {
		case k[event.ZoneAssumed-1] > 0:
			z.Assumed++
		case k[event.ZoneInferred-1] > 0:
			z.Inferred++
		case k[event.ZoneConfigured-1] > 0:
			z.Configured++
		}
	}
	return z
}

// Clone returns a copy that shares nothing with a.
func (a *Aggregate) Clone() *Aggregate {
	b := a.clone()
	return &b
}

func (a *Aggregate) clone() Aggregate {
	b := Aggregate{All: a.All.clone(), People: slices.Clone(a.People), Quantiles: slices.Clone(a.Quantiles)}
	if a.Primary != nil {
		p := a.Primary.clone()
		b.Primary = &p
	}
	return b
}

func (p *Part) clone() Part {
	q := *p
	q.Values = slices.Clone(p.Values)
	q.Excluded, q.Ignored, q.Basis = slices.Clone(p.Excluded), slices.Clone(p.Ignored), slices.Clone(p.Basis)
	q.Heat = slices.Clone(p.Heat)
	return q
}
