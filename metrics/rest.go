package metrics

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"meridian/streaming/timeline"
)

// stub reports whether only what was given is left of an entity.
func (en *entity) stub() bool { return en.awake == nil && en.rest == "" }

// awaken makes the fold of an entity that rests, and what it was given.
func (e *Engine) awaken(en *entity) { e.awakenOf(en, foldSections) }

// awakenOf is awaken of an entity from a section of a format.
func (e *Engine) awakenOf(en *entity, format byte) {
	if en.rest == "" {
		return
	}
	fold := e.kinds[en.kind].New()
	if err := e.coder.readFold(fold, en.rest); err != nil {
		panic(fmt.Errorf("metrics: entity %s: %w", en.id, err)) // a snapshot is checked before it is loaded
	}
	en.rest = ""
	var known []string
	if format != foldsBefore {
		known = e.coder.said()
	}
	e.rouse(en, fold, known)
	if f, ok := fold.(asker); ok && en.touched == 0 { // it was asked before it lay down
		f.Asked()
	}
}

// rouse gives an entity a fold, and unpacks what it was given; known is what that was
// packed with, nothing of a stub.
func (e *Engine) rouse(en *entity, fold Fold, known []string) {
	en.awake = &awake{fold: fold}
	var err error
	if e.kinds[en.kind].line {
		en.parts, err = splitParts(en.given)
	} else if en.given != "" {
		en.list, err = e.unpack(en.given, make([]given, 0, en.given.len()+2), known)
	}
	if err != nil {
		panic(fmt.Errorf("metrics: entity %s: %w", en.id, err)) // what was loaded has been read, and what was packed can be
	}
	en.given = ""
}

// sleep is the opposite of awaken: the entity is what its bytes are.
func (en *entity) sleep(fold string, given packed, oldest timeline.Millis) {
	en.awake, en.rest, en.given, en.oldest = nil, fold, given, oldest
}

// resting is the bytes that an entity rests as, appended to b: the fold, and from
// given on what it was given.
func (e *Engine) resting(b []byte, en *entity) (all []byte, given int) {
	if en.awake == nil {
		return append(append(b, en.rest...), en.given...), len(b) + len(en.rest)
	}
	b, err := e.coder.appendFold(b, en.fold)
	if err != nil {
		panic(fmt.Errorf("metrics: saving entity %s: %w", en.id, err)) // a fold that CBOR cannot hold: its author's mistake
	}
	given = len(b)
	if e.kinds[en.kind].line {
		return appendParts(b, en.parts), given
	}
	var known []string
	if !e.foldsBefore {
		known = e.coder.said()
	}
	return append(b, e.packing(en.list, known)...), given
}

// lieDown lets an entity rest by itself. A history, in which no snapshot is taken, ends
// with it: then the memory of one entity after the other becomes free while rows
// are made of the next.
func (e *Engine) lieDown(en *entity) {
	if en.awake == nil || e.kinds[en.kind].wakeful {
		return
	}
	b, given := e.resting(e.bytes[:0], en)
	e.bytes = b
	all := string(b)
	en.sleep(all[:given], packed(all[given:]), oldestOf(en.fold))
}

// observations returns how many the entity was last known by.
func (e *Engine) observations(en *entity) (n int64) {
	var parts []part
	switch {
	case en.awake != nil:
		parts, n = en.parts, int64(len(en.list))
	case e.kinds[en.kind].line:
		parts, _ = splitParts(en.given)
	default:
		n = int64(en.given.len())
	}
	for i := range parts {
		n += int64(parts[i].given.len())
	}
	return n
}

// appendParts appends what the parts of a line were given, by name.
func appendParts(b []byte, parts []part) []byte {
	if len(parts) == 0 {
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(parts)))
	for i := range parts {
		b = appendString(b, parts[i].name)
		b = appendString(b, string(parts[i].given))
	}
	return b
}

// splitParts is the inverse of appendParts.
func splitParts(p packed) (parts []part, err error) {
	u := unpacker{s: string(p)}
	if p == "" {
		return nil, nil
	}
	for n := u.count(); n > 0 && u.err == nil; n-- {
		name := u.take(u.count())
		parts = append(parts, part{name, packed(u.take(u.count()))})
	}
	if u.err == nil && len(u.s) > 0 {
		u.fail()
	}
	return parts, u.err
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// frozen is b as a string that shares its memory. Nobody writes to b any more: it
// was put into a snapshot, or got from one.
func frozen(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
