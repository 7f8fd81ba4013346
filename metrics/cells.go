package metrics

import (
	"cmp"
	"iter"
	"slices"

	"meridian/streaming/timeline"
)

const cellsPerDay = int64(timeline.Day / timeline.CellLength)

// utcDay is a day of UTC by number. Cells are stored, saved and evicted by it:
// it has nothing to do with anybody's local day.
type utcDay int32

func dayOfCell(c timeline.Cell) (utcDay, uint8) {
	d := int64(c) / cellsPerDay
	if int64(c)%cellsPerDay < 0 {
		d--
	}
	return utcDay(d), uint8(int64(c) - d*cellsPerDay)
}

func utcDayOf(t timeline.Millis) utcDay {
	d, _ := dayOfCell(timeline.CellOf(t))
	return d
}

func (d utcDay) cell(slot uint8) timeline.Cell {
	return timeline.Cell(int64(d)*cellsPerDay + int64(slot))
}
func (d utcDay) start() timeline.Millis { return d.cell(0).Start() }

// chunk is the cells of one series in one day of UTC, their entries sorted. One
// that has not changed since the last snapshot rests in its bytes, as entities do;
// see rest_cells.go.
type chunk struct {
	day     utcDay
	entries []entry
	rest    string
}

// chunks is the cells of a series by day.
type chunks []chunk

func (cs chunks) find(d utcDay) (int, bool) {
	if n := len(cs); n > 0 && cs[n-1].day <= d { // nearly always the last
		if cs[n-1].day == d {
			return n - 1, true
		}
		return n, false
	}
	return slices.BinarySearchFunc(cs, d, func(c chunk, d utcDay) int { return cmp.Compare(c.day, d) })
}

// in yields the entries of cells [from, to), those of a day at a time: a call for
// each entry would cost more than what is done with it. They are only lent.
func (cs chunks) in(t *team, from, to timeline.Cell) iter.Seq[[]entry] {
	return func(yield func([]entry) bool) {
		first, slot := dayOfCell(from)
		i, _ := cs.find(first)
		for ; i < len(cs) && cs[i].day.cell(0) < to; i++ {
			c := &cs[i]
			entries := t.entriesOf(c)
			begin, end := 0, len(entries)
			if c.day == first {
				begin = fromSlot(entries, slot)
			}
			if left := to - c.day.cell(0); left < timeline.Cell(cellsPerDay) {
				end = fromSlot(entries, uint8(left))
			}
			if begin < end && !yield(entries[begin:end]) {
				return
			}
		}
	}
}

// any reports whether cells [from, to) hold something.
func (cs chunks) any(t *team, from, to timeline.Cell) bool {
	first, slot := dayOfCell(from)
	i, _ := cs.find(first)
	for ; i < len(cs) && cs[i].day.cell(0) < to; i++ {
		at, entries := 0, t.entriesOf(&cs[i])
		if cs[i].day == first {
			at = fromSlot(entries, slot)
		}
		if at < len(entries) {
			return cs[i].day.cell(entries[at].slot) < to
		}
	}
	return false
}

// fromSlot returns the place of the first entry of a slot or a later one.
func fromSlot(entries []entry, slot uint8) int {
	if slot == 0 {
		return 0
	}
	low, high := 0, len(entries)
	for low < high {
		if mid := int(uint(low+high) >> 1); entries[mid].slot < slot {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// last returns the latest cell that holds something.
func (cs chunks) last(t *team) (timeline.Cell, bool) {
	if len(cs) == 0 {
		return 0, false
	}
	c := &cs[len(cs)-1]
	entries := t.entriesOf(c)
	return c.day.cell(entries[len(entries)-1].slot), true
}
