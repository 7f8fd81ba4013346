package metrics

import (
	"math"
	"slices"
)

// change puts an entry into its cell (sign 1) or takes it out (-1).
type change struct {
	day  utcDay
	sign int8
	entry
}

// cell orders changes by day and slot.
func (c *change) cell() int64 { return int64(c.day)<<8 | int64(c.slot) }

// settle sorts changes and strikes out those that undo each other. What it returns is
// only lent, until the next call.
func (y *sorter) settle(changes []change) []change {
	if len(changes) == 1 {
		return changes
	}
	changes = y.sort(changes)
	out := changes[:0]
	for i := 0; i < len(changes); {
		j, net := i, 0
		for ; j < len(changes) && changes[j].day == changes[i].day && changes[j].entry == changes[i].entry; j++ {
			net += int(changes[j].sign)
		}
		c := changes[i]
		c.sign = 1
		if net < 0 {
			c.sign, net = -1, -net
		}
		// At most j - i of them, so out never overtakes i.
		for ; net > 0; net-- {
			out = append(out, c)
		}
		i = j
	}
	return out
}

// sorter is memory for sorting the changes of one series after the other.
type sorter struct {
	keys   []uint64
	sorted []change
}

// fewChanges is how many are sorted as they lie.
const fewChanges = 16

// sort sorts changes by cell and entry. Of many, as a history has, it sorts cells with
// their places, since a change is five words: that takes a third of the time.
func (y *sorter) sort(changes []change) []change {
	if len(changes) <= fewChanges || len(changes) > placeMask {
		slices.SortFunc(changes, compareChanges)
		return changes
	}
	y.keys, y.sorted = y.keys[:0], slices.Grow(y.sorted[:0], len(changes))
	for i := range changes {
		y.keys = append(y.keys, uint64(changes[i].cell()-math.MinInt32<<8)<<placeBits|uint64(i))
	}
	slices.Sort(y.keys)
	for i, k := range y.keys {
		c := &changes[k&placeMask]
		y.sorted = append(y.sorted, *c)
		for j := i; j > 0 && compareChanges(y.sorted[j-1], *c) > 0; j-- { // a cell holds few
			y.sorted[j], y.sorted[j-1] = y.sorted[j-1], *c
		}
	}
	return y.sorted
}

// A cell takes 40 bits of a key, and a place among the changes what is left.
const (
	placeBits = 24
	placeMask = 1<<placeBits - 1
)

func compareChanges(a, b change) int {
	if x, y := a.cell(), b.cell(); x != y {
		if x < y {
			return -1
		}
		return 1
	}
	return compareEntries(a.entry, b.entry)
}

// apply makes settled changes.
func (cs *chunks) apply(t *team, changes []change) {
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].day == changes[0].day {
			n++
		}
		i, ok := cs.find(changes[0].day)
		if !ok {
			*cs = slices.Insert(*cs, i, chunk{day: changes[0].day})
		}
		c := &(*cs)[i]
		t.awakenCells(c)
		c.apply(changes[:n])
		if len(c.entries) == 0 {
			*cs = slices.Delete(*cs, i, i+1)
		}
		changes = changes[n:]
	}
}

func (c *chunk) apply(changes []change) {
	if len(changes) <= 4 {
		for i := range changes {
			if n := len(c.entries); changes[i].sign > 0 && (n == 0 || compareEntries(c.entries[n-1], changes[i].entry) <= 0) {
				c.entries = append(c.entries, changes[i].entry) // nearly always: things come about in the order of their cells
				continue
			}
			at, _ := slices.BinarySearchFunc(c.entries, changes[i].entry, compareEntries)
			if changes[i].sign > 0 {
				c.entries = slices.Insert(c.entries, at, changes[i].entry)
			} else {
				c.entries = slices.Delete(c.entries, at, at+1)
			}
		}
		return
	}
	// Many at once: one pass, whatever their number.
	out := make([]entry, 0, len(c.entries)+len(changes))
	rest := c.entries
	for i := range changes {
		for len(rest) > 0 && compareEntries(rest[0], changes[i].entry) < 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
		if changes[i].sign > 0 {
			out = append(out, changes[i].entry)
		} else {
			rest = rest[1:] // it is the one that is taken out
		}
	}
	c.entries = append(out, rest...)
}
