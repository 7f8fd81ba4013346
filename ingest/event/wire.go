package event

import (
	"encoding/binary"
	"fmt"
	"math"

	"meridian/streaming/timeline"
)

// The wire is Protobuf, the schema is eventpb/event.proto, and the code is by
// hand: every event is decoded at least twice on its way, and the generated
// code needs 1,330 ns and 26 allocations for what takes 830 ns and 8 here
// (2 cores, the samples of the benchmark), before its messages are copied into
// events. A test holds both against each other, field by field.

// Wire types.
const (
	wireVarint = 0
	wireFixed8 = 1
	wireBytes  = 2
	wireFixed4 = 5
)

func appendTag(b []byte, number, wire uint64) []byte {
	return binary.AppendUvarint(b, number<<3|wire)
}

// appendText leaves out an empty text, as proto3 does with every zero.
func appendText(b []byte, number uint64, s string) []byte {
	if s == "" {
		return b
	}
	return appendElement(b, number, s)
}

// appendElement writes an empty text too: it is one of a list.
func appendElement(b []byte, number uint64, s string) []byte {
	b = appendTag(b, number, wireBytes)
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendTexts(b []byte, number uint64, list []string) []byte {
	for _, s := range list {
		b = appendElement(b, number, s)
	}
	return b
}

func appendID(b []byte, number uint64, id [16]byte) []byte {
	if id == [16]byte{} {
		return b
	}
	b = append(appendTag(b, number, wireBytes), byte(len(id)))
	return append(b, id[:]...)
}

func appendUint(b []byte, number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return binary.AppendUvarint(appendTag(b, number, wireVarint), v)
}

func appendBool(b []byte, number uint64, v bool) []byte {
	if !v {
		return b
	}
	return append(appendTag(b, number, wireVarint), 1)
}

// appendSigned writes sint32 and sint64.
func appendSigned(b []byte, number uint64, v int64) []byte {
	return appendUint(b, number, uint64(v<<1)^uint64(v>>63))
}

func appendMillis(b []byte, number uint64, t timeline.Millis) []byte {
	return appendSigned(b, number, int64(t))
}

// open begins a message of unknown length; shut is given what open returned.
func open(b []byte, number uint64) (opened []byte, start int) {
	b = append(appendTag(b, number, wireBytes), 0)
	return b, len(b)
}

// shut writes the length. One byte was kept for it, which is enough for nearly
// all messages; the others are moved.
func shut(b []byte, start int) []byte {
	n := len(b) - start
	if n < 0x80 {
		b[start-1] = byte(n)
		return b
	}
	var length [binary.MaxVarintLen64]byte
	size := binary.PutUvarint(length[:], uint64(n))
	b = append(b, length[1:size]...)
	copy(b[start-1+size:], b[start:start+n])
	copy(b[start-1:], length[:size])
	return b
}

// reader walks the fields of one message. A field of a known number with
// another wire type has another tag and so is unknown, as Protobuf wants it.
type reader struct {
	rest  []byte
	tag   uint64 // number<<3 | wire type
	value uint64 // of a varint
	data  []byte // of wireBytes; lies in the input
	names *names
	err   error
}

func (r *reader) next() bool {
	if r.err != nil || len(r.rest) == 0 {
		return false
	}
	if r.tag = r.uvarint(); r.err != nil {
		return false
	}
	if number := r.tag >> 3; number == 0 || number > 1<<29-1 {
		return r.broken("has a field without a number")
	}
	switch r.tag & 7 {
	case wireVarint:
		r.value = r.uvarint()
	case wireFixed8:
		r.skip(8)
	case wireFixed4:
		r.skip(4)
	case wireBytes:
		n := r.uvarint()
		if r.err == nil {
			r.data = r.skip(n)
		}
	default:
		// Groups were never written.
		return r.broken("has a field of an unknown wire type")
	}
	return r.err == nil
}

func (r *reader) uvarint() uint64 {
	if len(r.rest) > 0 && r.rest[0] < 0x80 {
		v := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.broken("ends inside a number")
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) skip(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.broken("ends inside a field")
		return nil
	}
	data := r.rest[:n:n]
	r.rest = r.rest[n:]
	return data
}

func (r *reader) broken(how string) bool {
	r.fail(fmt.Errorf("%w: it %s", ErrUnreadable, how))
	return false
}

func (r *reader) fail(err error) {
	if r.err == nil && err != nil {
		r.err = err
	}
}

func (r *reader) text() string            { return string(r.data) }
func (r *reader) name() string            { return r.names.text(r.data) }
func (r *reader) bool() bool              { return r.value != 0 }
func (r *reader) signed() int64           { return int64(r.value>>1) ^ -int64(r.value&1) }
func (r *reader) millis() timeline.Millis { return timeline.Millis(r.signed()) }

// small reads the number of a constant. One that does not fit was written by a
// newer Meridian; taking its low bits would make it another constant.
func (r *reader) small() uint8 {
	if r.value > math.MaxUint8 {
		r.broken(fmt.Sprintf("holds the constant %d of field %d, which this version does not know", r.value, r.tag>>3))
	}
	return uint8(r.value)
}

func (r *reader) minutes() int16 {
	v := r.signed()
	if v != int64(int16(v)) {
		r.broken(fmt.Sprintf("holds an offset of %d minutes", v))
	}
	return int16(v)
}

func (r *reader) id() (id [16]byte) {
	if copy(id[:], r.data) != len(id) || len(r.data) != len(id) {
		r.broken(fmt.Sprintf("holds an id of %d bytes instead of 16", len(r.data)))
	}
	return id
}
