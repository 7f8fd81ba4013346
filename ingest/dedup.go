package ingest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// memory holds the ids of accepted events, each until Late(t + 1 h): one table to
// ask, and beside it the same ids by UTC day of t, which is how they are written
// to a snapshot and how they are thrown away. They lie there as a snapshot has
// them, in the order in which they were accepted: so a snapshot copies nothing,
// and writes for each new id no more than its piece of a day.
//
// Forgetting is exact when it is asked (claim) and lazy where it lies (forget drops
// whole days), so that a tick costs nothing most of the time.
type memory struct {
	horizon timeline.Millis
	times   table[event.ID, timeline.Millis]
	days    map[int64]*memoryDay
	latest  *memoryDay // the one that was asked for last: nearly always the one to ask for next
	// oldest is the first of days; none when there is none.
	oldest int64
}

// memoryDay is the ids of a day, in pieces. All but the last are full, and none of
// them is ever written to but behind its end.
type memoryDay struct {
	number int64
	pieces [][]byte
}

// A remembered id is 20 bytes: itself, and its time in milliseconds since the day
// began.
func (d *memoryDay) add(id *event.ID, t timeline.Millis) {
	last := len(d.pieces) - 1
	if last < 0 || len(d.pieces[last]) == memoryPiece {
		size := memoryPiece
		if last < 0 {
			size = memoryIDSize // most days of a small team are short
		}
		d.pieces = append(d.pieces, make([]byte, 0, size))
		last++
	}
	d.pieces[last] = append(append(d.pieces[last], id[:]...), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(d.pieces[last][len(d.pieces[last])-4:], uint32(t-timeline.Millis(d.number)*timeline.Day))
}

// all yields the ids of a day, each with its time.
func (d *memoryDay) all(yield func(event.ID, timeline.Millis) bool) {
	for _, b := range d.pieces {
		for ; len(b) > 0; b = b[memoryIDSize:] {
			offset := binary.LittleEndian.Uint32(b[len(event.ID{}):])
			if !yield(event.ID(b[:len(event.ID{})]), timeline.Millis(d.number)*timeline.Day+timeline.Millis(offset)) {
				return
			}
		}
	}
}

const (
	memoryIDSize = len(event.ID{}) + 4
	memoryPiece  = 3276 * memoryIDSize // just below 64 KiB
	noDay        = math.MaxInt64
)

func newMemory(horizon timeline.Millis) *memory {
	return &memory{horizon: horizon, days: map[int64]*memoryDay{}, latest: new(memoryDay), oldest: noDay}
}

// hashID spreads an id. Ids are hashes already; but they come from the log, and
// some log's may be alike at one end.
func hashID(id *event.ID) uint64 {
	const odd = 0x9e3779b97f4a7c15
	return (binary.LittleEndian.Uint64(id[:8])*odd ^ binary.LittleEndian.Uint64(id[8:])) * odd
}

// dayOf is the UTC day of t, rounded towards the past.
func dayOf(t timeline.Millis) int64 {
	d := int64(t / timeline.Day)
	if t%timeline.Day < 0 {
		d--
	}
	return d
}

// claim remembers id at time t, unless it is remembered already at clock c: then
// it returns false and the time with which it was accepted. In history nothing is
// forgotten: pass NoClock.
func (m *memory) claim(id event.ID, t timeline.Millis, c streaming.Clock) (timeline.Millis, bool) {
	hash := hashID(&id)
	if old := m.times.get(hash, id); old != nil {
		if !Late(*old+idAgreement, m.horizon, c) {
			return *old, false
		}
		m.remove(id, *old)
	}
	m.times.put(hash, id, t)
	m.day(dayOf(t)).add(&id, t)
	return t, true
}

// day returns day n, making it when needed.
func (m *memory) day(n int64) *memoryDay {
	if len(m.latest.pieces) > 0 && m.latest.number == n {
		return m.latest
	}
	d := m.days[n]
	if d == nil {
		d = &memoryDay{number: n}
		m.days[n] = d
		m.oldest = min(m.oldest, n)
	}
	m.latest = d
	return d
}

// drop takes away a day.
func (m *memory) drop(d *memoryDay) {
	d.pieces = nil // which also says to day that it is gone
	delete(m.days, d.number)
	m.oldest = noDay
	for n := range m.days { // a minimum: the order does not matter
		m.oldest = min(m.oldest, n)
	}
}

// remove takes an id out of its day: one that was due to be forgotten and has
// come again with another time. That is rare, so the day may be written anew.
func (m *memory) remove(id event.ID, t timeline.Millis) {
	d := m.day(dayOf(t))
	rest := memoryDay{number: d.number}
	for other, at := range d.all {
		if other != id {
			rest.add(&other, at)
		}
	}
	if d.pieces = rest.pieces; len(d.pieces) == 0 {
		m.drop(d)
	}
}

// forget drops the days all of whose ids are due at clock c.
func (m *memory) forget(c streaming.Clock) {
	for m.oldest != noDay && Late(timeline.Millis(m.oldest+1)*timeline.Day-1+idAgreement, m.horizon, c) {
		d := m.days[m.oldest]
		for id := range d.all {
			m.times.remove(hashID(&id), id)
		}
		m.drop(d)
	}
}

// dayNumbers lists the days in order.
func (m *memory) dayNumbers() []int64 {
	ns := make([]int64, 0, len(m.days))
	for n := range m.days {
		ns = append(ns, n)
	}
	slices.Sort(ns)
	return ns
}

// load adds a piece of a day, the ones before it first.
func (m *memory) load(n int64, b []byte) error {
	if len(b) == 0 || len(b)%memoryIDSize != 0 || len(b) > memoryPiece {
		return fmt.Errorf("a piece of day %d of the remembered ids has %d bytes; it has up to %d, and a multiple of %d", n, len(b), memoryPiece, memoryIDSize)
	}
	piece := memoryDay{number: n, pieces: [][]byte{slices.Clone(b)}}
	for id, t := range piece.all {
		m.times.put(hashID(&id), id, t)
	}
	d := m.day(n)
	d.pieces = append(d.pieces, piece.pieces...)
	return nil
}
