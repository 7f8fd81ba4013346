package metrics

import (
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

// settle sorts changes and strikes out those that undo each other.
func settle(changes []change) []change {
	if len(changes) == 1 {
		return changes
	}
	slices.SortFunc(changes, func(a, b change) int {
		if x, y := a.cell(), b.cell(); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return compareEntries(a.entry, b.entry)
	})
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
