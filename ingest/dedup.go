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

// memory holds the ids of accepted events, each until Late(t + 1 h), by UTC day of
// t, which is how they are written to a snapshot and how they are thrown away. They
// lie there as a snapshot has them, in the order in which they were accepted: so a
// snapshot copies nothing, and writes for each new id no more than its piece of a
// day. A table finds them there.
//
// Forgetting is exact when it is asked (claim) and lazy where it lies (forget drops
// whole days), so that a tick costs nothing most of the time.
type memory struct {
	horizon timeline.Millis
	times   idTable
	pieces  []idPiece // by number; that of none is 0
	free    []uint32  // numbers of pieces that are gone
	days    map[int64]*memoryDay
	latest  *memoryDay // the one that was asked for last: nearly always the one to ask for next
	// oldest is the first of days; none when there is none.
	oldest int64
}

// memoryDay is the ids of a day, in pieces. All but the last are full.
type memoryDay struct {
	number int64
	pieces []uint32
}

// idPiece is some ids of a day. It is never written to but behind its end.
type idPiece struct {
	day  int64
	data []byte
}

// A place of an id is the number of its piece, and its number in there.
const placeBits = 12

func refAt(piece uint32, i int) idRef { return idRef(piece)<<placeBits | idRef(i) }

// entry returns what lies there: a remembered id is 20 bytes, itself, and its time
// in milliseconds since the day began.
func (m *memory) entry(ref idRef) (id *event.ID, t timeline.Millis) {
	p := &m.pieces[ref>>placeBits]
	b := p.data[int(ref&(1<<placeBits-1))*memoryIDSize:]
	id = (*event.ID)(b)
	return id, timeline.Millis(p.day)*timeline.Day + timeline.Millis(binary.LittleEndian.Uint32(b[len(id):]))
}

// newPiece begins a piece of a day.
func (m *memory) newPiece(d *memoryDay, data []byte) uint32 {
	n := uint32(len(m.pieces))
	if last := len(m.free) - 1; last >= 0 {
		n, m.free = m.free[last], m.free[:last]
	} else {
		m.pieces = append(m.pieces, idPiece{})
	}
	m.pieces[n] = idPiece{d.number, data}
	d.pieces = append(d.pieces, n)
	return n
}

// add puts an id behind the last of its day.
func (m *memory) add(hash uint64, id *event.ID, t timeline.Millis) {
	d := m.day(dayOf(t))
	last := len(d.pieces) - 1
	var n uint32
	switch {
	case last < 0:
		n = m.newPiece(d, make([]byte, 0, memoryIDSize)) // most days of a small team are short
	case len(m.pieces[d.pieces[last]].data) == memoryPiece:
		n = m.newPiece(d, make([]byte, 0, memoryPiece))
	default:
		n = d.pieces[last]
	}
	p := &m.pieces[n]
	m.times.add(hash, refAt(n, len(p.data)/memoryIDSize))
	p.data = append(append(p.data, id[:]...), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(p.data[len(p.data)-4:], uint32(t-timeline.Millis(d.number)*timeline.Day))
}

// forgetPieces takes the pieces of a day away, and their ids out of the table.
func (m *memory) forgetPieces(d *memoryDay) (gone []idPiece) {
	for _, n := range d.pieces {
		for i := range len(m.pieces[n].data) / memoryIDSize {
			id, _ := m.entry(refAt(n, i))
			m.times.remove(hashID(id), refAt(n, i))
		}
		gone = append(gone, m.pieces[n])
		m.pieces[n] = idPiece{}
	}
	m.free = append(m.free, d.pieces...)
	d.pieces = nil // which also says to day that it is gone
	return gone
}

const (
	memoryIDSize = len(event.ID{}) + 4
	memoryPiece  = 3276 * memoryIDSize // just below 64 KiB
	noDay        = math.MaxInt64
)

// The places of a piece have numbers.
const _ = uint(1<<placeBits - memoryPiece/memoryIDSize)

func newMemory(horizon timeline.Millis) *memory {
	return &memory{horizon: horizon, pieces: make([]idPiece, 1), days: map[int64]*memoryDay{}, latest: new(memoryDay), oldest: noDay}
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
	if ref := m.times.get(hash, func(r idRef) bool { known, _ := m.entry(r); return *known == id }); ref != 0 {
		_, old := m.entry(ref)
		if !Late(old+idAgreement, m.horizon, c) {
			return old, false
		}
		m.remove(id, old)
	}
	m.add(hash, &id, t)
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
	was := m.forgetPieces(d)
	m.drop(d)
	for _, p := range was {
		for b := p.data; len(b) > 0; b = b[memoryIDSize:] {
			if other := event.ID(b); other != id {
				m.add(hashID(&other), &other, timeline.Millis(p.day)*timeline.Day+timeline.Millis(binary.LittleEndian.Uint32(b[len(other):])))
			}
		}
	}
}

// forget drops the days all of whose ids are due at clock c.
func (m *memory) forget(c streaming.Clock) {
	for m.oldest != noDay && Late(timeline.Millis(m.oldest+1)*timeline.Day-1+idAgreement, m.horizon, c) {
		d := m.days[m.oldest]
		m.forgetPieces(d)
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
func (m *memory) load(day int64, b []byte) error {
	if len(b) == 0 || len(b)%memoryIDSize != 0 || len(b) > memoryPiece {
		return fmt.Errorf("a piece of day %d of the remembered ids has %d bytes; it has up to %d, and a multiple of %d", day, len(b), memoryPiece, memoryIDSize)
	}
	n := m.newPiece(m.day(day), slices.Clip(b)) // nobody else writes to it
	for i := range len(b) / memoryIDSize {
		id, _ := m.entry(refAt(n, i))
		m.times.add(hashID(id), refAt(n, i))
	}
	return nil
}
