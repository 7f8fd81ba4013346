package metrics

import (
	"cmp"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// quality counts the verdicts of one team's events by source, kind and cell of
// event time. It reads home copies alone, of which every decoded event has
// exactly one.
type quality struct {
	days   map[utcDay]*qualityDay
	latest *qualityDay // the one that was asked for last, and its number
	number utcDay
	dirty  []qualityKey
	marks  [event.Deploy + 1]marks // by source
}

// qualityDay is the counts of one day of UTC, by cell, source and kind. Facts
// come about in the order of their time, so a key is nearly always the last or
// new at the end, and a sorted list is a third of a map.
type qualityDay struct {
	keys   []uint32 // cell of the day << 16 | source << 8 | kind; sorted
	counts []fewCounts
	others []qualityCounts
}

// fewCounts is the counts of a key of which everything that was decoded was accepted
// and nothing else is to be said, as of nearly all; or where they are. 8 bytes for 40.
type fewCounts struct {
	n     uint32
	other int32 // 1 + the place in qualityDay.others; below 0: dirty
}

// get returns the counts at a place.
func (d *qualityDay) get(i int) (c qualityCounts) {
	few := d.counts[i]
	if few.other > 0 {
		return d.others[few.other-1]
	}
	c.n[nDecoded], c.n[nAccepted], c.dirty = few.n, few.n, few.other < 0
	return c
}

// set replaces the counts at a place.
func (d *qualityDay) set(i int, c qualityCounts) {
	few := &d.counts[i]
	switch {
	case few.other > 0:
		d.others[few.other-1] = c
	case c.plain():
		*few = fewCounts{n: c.n[nDecoded]}
		if c.dirty {
			few.other = -1
		}
	default:
		d.others = append(d.others, c)
		few.other = int32(len(d.others))
	}
}

// plain reports whether everything was accepted, and nothing else counted.
func (c *qualityCounts) plain() bool {
	return c.n == [nCounts]uint32{nDecoded: c.n[nDecoded], nAccepted: c.n[nDecoded]}
}

type qualityKey struct {
	cell   timeline.Cell
	source event.Source
	kind   event.Kind
}

func compareQuality(a, b qualityKey) int {
	return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.source, b.source), cmp.Compare(a.kind, b.kind))
}

// qualityCounts are the columns of a QualityRow, in their order, and nDropped.
type qualityCounts struct {
	n     [nCounts]uint32
	dirty bool
}

const (
	nDecoded = iota
	nAccepted
	nLateAccepted
	nBackfilled
	nHealed
	nLate
	nDuplicates
	nQuarantined
	nDropped // of nLate, those that no API read brought: it is never late, it waits for the next generation
	nCounts
)

// mark is what of the counts stands beside points.
func (c *qualityCounts) mark() mark {
	return mark{int64(c.n[nLateAccepted]), int64(c.n[nDropped]), int64(c.n[nDuplicates]), int64(c.n[nQuarantined])}
}

// count takes one home copy.
func (q *quality) count(r *event.Routed) {
	key := qualityKey{timeline.CellOf(r.Event.Time), min(r.Event.Source, event.Deploy), r.Event.Kind}
	d, i := q.at(key)
	c := d.get(i)
	if !c.dirty {
		c.dirty = true
		q.dirty = append(q.dirty, key)
	}
	c.n[nDecoded]++
	if r.Backfilled {
		c.n[nBackfilled]++
	}
	if r.Healed {
		c.n[nHealed]++
	}
	switch r.Verdict {
	case event.Accepted:
		c.n[nAccepted]++
		if r.LateAccepted {
			c.n[nLateAccepted]++
			q.marks[key.source].add(key.cell, mark{accepted: 1})
		}
	case event.Late:
		c.n[nLate]++
		if !r.Backfilled {
			c.n[nDropped]++
			q.marks[key.source].add(key.cell, mark{dropped: 1})
		}
	case event.Duplicate:
		c.n[nDuplicates]++
		q.marks[key.source].add(key.cell, mark{duplicates: 1})
	default:
		c.n[nQuarantined]++
		q.marks[key.source].add(key.cell, mark{quarantined: 1})
	}
	d.set(i, c)
}

// at returns the place of the counts of key, making it when needed.
func (q *quality) at(key qualityKey) (d *qualityDay, i int) {
	number, slot := dayOfCell(key.cell)
	if q.latest == nil || q.number != number {
		d := q.days[number]
		if d == nil {
			if q.days == nil {
				q.days = map[utcDay]*qualityDay{}
			}
			d = new(qualityDay)
			q.days[number] = d
		}
		q.latest, q.number = d, number
	}
	d = q.latest
	packed := uint32(slot)<<16 | uint32(key.source)<<8 | uint32(key.kind)
	i = len(d.keys)
	for i > 0 && i > len(d.keys)-8 && d.keys[i-1] > packed {
		i--
	}
	if i == 0 || d.keys[i-1] != packed {
		var found bool
		if i, found = slices.BinarySearch(d.keys, packed); !found {
			d.keys, d.counts = slices.Insert(d.keys, i, packed), slices.Insert(d.counts, i, fewCounts{})
		}
		return d, i
	}
	return d, i - 1
}

// keyOf is the key of a day that is packed so.
func keyOf(day utcDay, packed uint32) qualityKey {
	return qualityKey{day.cell(uint8(packed >> 16)), event.Source(packed >> 8 & 0xff), event.Kind(packed & 0xff)}
}

// beside adds up what stands beside a metric's point: the marks of its sources
// in cells [from, to).
func (q *quality) beside(sources []event.Source, from, to timeline.Cell) (m mark) {
	for _, s := range sources {
		m.add(q.marks[s].sum(from, to), 1)
	}
	return m
}

// rows returns the counts that have changed, in order of their cells.
func (q *quality) rows(yield func(qualityKey, qualityCounts)) {
	slices.SortFunc(q.dirty, compareQuality)
	for _, key := range q.dirty {
		d, i := q.at(key)
		c := d.get(i)
		c.dirty = false
		d.set(i, c)
		yield(key, c)
	}
	q.dirty = emptied(q.dirty)
}

func (k qualityKey) row(team string, c qualityCounts) QualityRow {
	return QualityRow{
		Team: team, Source: k.source, Kind: k.kind, Cell: k.cell,
		Decoded: int64(c.n[nDecoded]), Accepted: int64(c.n[nAccepted]), LateAccepted: int64(c.n[nLateAccepted]),
		Backfilled: int64(c.n[nBackfilled]), Healed: int64(c.n[nHealed]), Late: int64(c.n[nLate]),
		Duplicates: int64(c.n[nDuplicates]), Quarantined: int64(c.n[nQuarantined]),
	}
}

// evict forgets the days before day.
func (q *quality) evict(day utcDay) (cells int64) {
	for number, d := range q.days {
		if number < day {
			cells += int64(len(d.keys))
			delete(q.days, number)
		}
	}
	q.latest = nil
	if cells > 0 {
		for s := range q.marks {
			q.marks[s].evict(day.cell(0))
		}
	}
	return cells
}
