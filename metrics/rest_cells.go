package metrics

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"
)

// Cells of a day rest in the bytes of their section, a third of what they take
// as entries, and are read as often as a window that holds them is added up.

// cellTable is which names and people the entries of a section mean by place, as
// symbols of this process; place 0 is nothing.
type cellTable struct{ names, people []uint32 }

// restingCells is the last chunk that was read, since most are read twice in a row.
type restingCells struct {
	of   string
	list []entry
}

// entriesOf returns the entries of a chunk, by slot. They are only lent, until the
// next call.
func (t *team) entriesOf(c *chunk) []entry {
	if c.rest == "" {
		return c.entries
	}
	r := &t.engine.cells
	if len(r.of) == len(c.rest) && unsafe.StringData(r.of) == unsafe.StringData(c.rest) {
		return r.list
	}
	list, err := unpackCells(r.list[:0], c.rest, t.engine.kept.tables[daySection{c.day, t.bucket}])
	if err != nil {
		panic(fmt.Errorf("metrics: the cells of day %d of team %s: %w", c.day, t.name, err)) // a snapshot is checked before it is loaded
	}
	r.of, r.list = c.rest, list
	return list
}

// awakenCells makes entries of a chunk that rests, as they can be changed.
func (t *team) awakenCells(c *chunk) {
	if c.rest != "" {
		c.entries, c.rest = slices.Clone(t.entriesOf(c)), ""
		slices.SortFunc(c.entries, compareEntries) // they lie in the order of names
	}
}

// What an entry in a section holds beside its slot, flags and value.
const (
	cellPerson = 1 << iota
	cellNames  // reason and basis
	cellHeat
)

// packCells appends entries that are sorted by slot.
func packCells(b []byte, list []entry, person, name func(symbol uint32) uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	slot := uint8(0)
	for i := range list {
		e := &list[i]
		var bits byte
		if e.person != 0 {
			bits |= cellPerson
		}
		if e.reason|e.basis != 0 {
			bits |= cellNames
		}
		if e.heat != 0 {
			bits |= cellHeat
		}
		b = append(b, bits, e.slot-slot, byte(e.flags))
		slot = e.slot
		b = binary.AppendVarint(b, e.value)
		if bits&cellPerson != 0 {
			b = binary.AppendUvarint(b, person(e.person))
		}
		if bits&cellNames != 0 {
			b = binary.AppendUvarint(b, name(e.reason))
			b = binary.AppendUvarint(b, name(e.basis))
		}
		if bits&cellHeat != 0 {
			b = append(b, e.heat)
		}
	}
	return b
}

// unpackCells is the inverse of packCells.
func unpackCells(into []entry, s string, table *cellTable) ([]entry, error) {
	u := unpacker{s: s}
	slot := uint8(0)
	for n := u.count(); n > 0 && u.err == nil; n-- {
		head := u.take(3)
		if head == "" {
			break
		}
		slot += head[1]
		e := entry{slot: slot, flags: flags(head[2]), value: u.signed()}
		if head[0]&cellPerson != 0 {
			e.person = u.symbol(table.people)
		}
		if head[0]&cellNames != 0 {
			e.reason, e.basis = u.symbol(table.names), u.symbol(table.names)
		}
		if head[0]&cellHeat != 0 {
			if s := u.take(1); s != "" {
				e.heat = s[0]
			}
		}
		into = append(into, e)
	}
	if u.err == nil && len(u.s) > 0 {
		u.fail()
	}
	return into, u.err
}

// symbol is a place in a table.
func (u *unpacker) symbol(table []uint32) uint32 {
	place := u.number()
	if place >= uint64(len(table)) {
		u.fail()
		return 0
	}
	return table[place]
}

func comparePersons(y *symbols) func(a, b uint32) int {
	return func(a, b uint32) int { return comparePeople(&y.people[a], &y.people[b]) }
}

func compareNames(y *symbols) func(a, b uint32) int {
	return func(a, b uint32) int { return cmp.Compare(y.names[a], y.names[b]) }
}
