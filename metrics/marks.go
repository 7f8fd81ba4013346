package metrics

import (
	"cmp"
	"slices"

	"meridian/streaming/timeline"
)

// mark counts what the reader of a point should know beside it.
type mark struct{ accepted, dropped, duplicates, quarantined int64 }

func (m *mark) add(o mark, sign int64) {
	m.accepted += sign * o.accepted
	m.dropped += sign * o.dropped
	m.duplicates += sign * o.duplicates
	m.quarantined += sign * o.quarantined
}

// marks is a sum over cells that can be asked for any range, of those cells that
// have one: each with the sum of all before it. Marks come about in the order of
// their cells, so that few sums have to be made again; a sum costs two searches,
// and nothing where a source has no marks.
type marks struct {
	cells  []marked
	summed int // cells before it have their sums
}

type marked struct {
	cell   timeline.Cell
	mark   mark
	before mark // the sum of those before it
}

func (ms *marks) find(c timeline.Cell) (int, bool) {
	return slices.BinarySearchFunc(ms.cells, c, func(m marked, c timeline.Cell) int { return cmp.Compare(m.cell, c) })
}

func (ms *marks) add(c timeline.Cell, m mark) {
	i, found := ms.find(c)
	if !found {
		ms.cells = slices.Insert(ms.cells, i, marked{cell: c})
	}
	ms.cells[i].mark.add(m, 1)
	ms.summed = min(ms.summed, i)
}

// sum adds up cells [from, to).
func (ms *marks) sum(from, to timeline.Cell) (m mark) {
	if len(ms.cells) == 0 || to <= from {
		return m
	}
	for ; ms.summed < len(ms.cells); ms.summed++ {
		at := &ms.cells[ms.summed]
		if at.before = (mark{}); ms.summed > 0 {
			last := &ms.cells[ms.summed-1]
			at.before = last.before
			at.before.add(last.mark, 1)
		}
	}
	m = ms.until(to)
	m.add(ms.until(from), -1)
	return m
}

// until is the sum of the cells before c.
func (ms *marks) until(c timeline.Cell) mark {
	i, _ := ms.find(c)
	if i == 0 {
		return mark{}
	}
	m := ms.cells[i-1].before
	m.add(ms.cells[i-1].mark, 1)
	return m
}

// evict forgets the cells before c.
func (ms *marks) evict(c timeline.Cell) {
	i, _ := ms.find(c)
	ms.cells = slices.Delete(ms.cells, 0, i)
	ms.summed = 0
}
