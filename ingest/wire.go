package ingest

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// wire appends Protobuf fields. Zero values are left out, as proto3 does.
type wire struct{ b []byte }

func (w *wire) text(number protowire.Number, s string) {
	if s != "" {
		w.b = protowire.AppendTag(w.b, number, protowire.BytesType)
		w.b = protowire.AppendString(w.b, s)
	}
}

func (w *wire) bytes(number protowire.Number, p []byte) {
	if len(p) > 0 {
		w.b = protowire.AppendTag(w.b, number, protowire.BytesType)
		w.b = protowire.AppendBytes(w.b, p)
	}
}

func (w *wire) uint(number protowire.Number, v uint64) {
	if v != 0 {
		w.b = protowire.AppendTag(w.b, number, protowire.VarintType)
		w.b = protowire.AppendVarint(w.b, v)
	}
}

func (w *wire) bool(number protowire.Number, v bool) { w.uint(number, protowire.EncodeBool(v)) }

func (w *wire) millis(number protowire.Number, t timeline.Millis) {
	w.uint(number, protowire.EncodeZigZag(int64(t)))
}

// message writes what body writes as a message of its own, empty ones too. Its
// length is put in front once it is known; most lengths need a byte or two, so
// moving what is behind them is cheaper than writing everything twice.
func (w *wire) message(number protowire.Number, body func()) {
	w.b = protowire.AppendTag(w.b, number, protowire.BytesType)
	start := len(w.b)
	body()
	n := len(w.b) - start
	size := protowire.SizeVarint(uint64(n))
	var room [binary.MaxVarintLen64]byte
	w.b = append(w.b, room[:size]...)
	copy(w.b[start+size:], w.b[start:start+n])
	binary.PutUvarint(w.b[start:start+size], uint64(n))
}

// field is one field of a message. Its tag holds number and wire type, so a known
// number with another type is another field, and skipped.
type field struct {
	tag   uint64
	value uint64 // of a varint
	data  []byte // of bytes, text and messages; it lies in the input
}

func (f field) millis() timeline.Millis { return timeline.Millis(protowire.DecodeZigZag(f.value)) }

func varintTag(number protowire.Number) uint64 {
	return protowire.EncodeTag(number, protowire.VarintType)
}

func lengthTag(number protowire.Number) uint64 {
	return protowire.EncodeTag(number, protowire.BytesType)
}

// fields calls each for every field of a message, in order.
func fields(b []byte, each func(field) error) error {
	for len(b) > 0 {
		f, rest, err := nextField(b)
		if err != nil {
			return err
		}
		b = rest
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// nextField reads the first field of a message, and returns what is behind it.
func nextField(b []byte) (f field, rest []byte, err error) {
	if len(b) > 1 && b[0] < 0x80 && b[0]&7 == byte(protowire.BytesType) && b[1] < 0x80 && len(b)-2 >= int(b[1]) && b[0] >= 8 {
		return field{tag: uint64(b[0]), data: b[2 : 2+b[1] : 2+b[1]]}, b[2+b[1]:], nil // most of them
	}
	number, kind, n := protowire.ConsumeTag(b)
	if n < 0 {
		return f, nil, unreadable(n)
	}
	b = b[n:]
	f.tag = protowire.EncodeTag(number, kind)
	switch kind {
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(b)
	case protowire.BytesType:
		f.data, n = protowire.ConsumeBytes(b)
	default:
		n = protowire.ConsumeFieldValue(number, kind, b)
	}
	if n < 0 {
		return f, nil, unreadable(n)
	}
	return f, b[n:], nil
}

func unreadable(n int) error {
	return fmt.Errorf("%w: a record of meridian.deliveries is damaged: %w", event.ErrUnreadable, protowire.ParseError(n))
}

// count returns how often a field stands in a message; what cannot be read is met
// by whoever reads it.
func count(b []byte, number protowire.Number) (n int) {
	for len(b) > 0 {
		f, rest, err := nextField(b)
		if err != nil {
			return n
		}
		if f.tag == lengthTag(number) {
			n++
		}
		b = rest
	}
	return n
}
