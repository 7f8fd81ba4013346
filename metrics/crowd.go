package metrics

import (
	"bytes"
	"slices"

	"meridian/ingest/event"
)

// crowd counts the people of a window that is added up from its cells. A place
// for each symbol finds a person's counts without a search, and people are put in
// the order of their pseudonyms once, at the end.
type crowd struct {
	place  []uint32 // 1 + place in counts, by symbol
	here   []uint32 // symbols that have a place
	counts []PersonCount
}

func (c *crowd) put(y *symbols, e *entry) {
	if int(e.person) >= len(c.place) {
		c.place = append(c.place, make([]uint32, len(y.people)-len(c.place))...)
	}
	p := c.place[e.person]
	if p == 0 {
		c.counts = append(c.counts, PersonCount{ID: y.people[e.person]})
		c.here = append(c.here, e.person)
		p = uint32(len(c.counts))
		c.place[e.person] = p
	}
	n := &c.counts[p-1]
	n.N++
	if k := e.flags.known(); k != 0 {
		n.Known[k-1]++
	}
}

// take appends those that were put in, by pseudonym, to an empty list, and empties the
// crowd.
func (c *crowd) take(into []PersonCount) []PersonCount {
	if len(c.here) == 0 {
		return into
	}
	for _, s := range c.here {
		c.place[s] = 0
	}
	c.here = c.here[:0]
	slices.SortFunc(c.counts, func(a, b PersonCount) int { return comparePeople(&a.ID, &b.ID) })
	into = append(into, c.counts...)
	c.counts = c.counts[:0]
	return into
}

func comparePeople(a, b *event.PersonID) int { return bytes.Compare(a[:], b[:]) }
