package storage

import (
	"encoding/binary"
	"fmt"
	"math"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// columnOf is a column with where its values come from: the declaration of a table
// is a list of them, so that name, type and value stand in one place, and nobody
// asks a value for its type when it is written.
type columnOf[R any] struct {
	columnHead
	put func(c *column, r R)       // appends r's value
	key func(b []byte, r R) []byte // appends what tells r's value from others; nil: never part of a key
}

// plainColumn has a value's bytes appended.
func plainColumn[R any](name, kind string, width int, value func(b []byte, r R) []byte) columnOf[R] {
	return columnOf[R]{columnHead{name, kind, plain, width}, func(c *column, r R) { c.data = value(c.data, r) }, value}
}

func uint8s[R any](name string, get func(R) uint8) columnOf[R] {
	return plainColumn(name, "UInt8", 1, func(b []byte, r R) []byte { return append(b, get(r)) })
}

func uint32s[R any](name string, get func(R) uint32) columnOf[R] {
	return plainColumn(name, "UInt32", 4, func(b []byte, r R) []byte { return binary.LittleEndian.AppendUint32(b, get(r)) })
}

func uint64s[R any](name string, get func(R) uint64) columnOf[R] {
	return plainColumn(name, "UInt64", 8, func(b []byte, r R) []byte { return binary.LittleEndian.AppendUint64(b, get(r)) })
}

func int32s[R any](name string, get func(R) int32) columnOf[R] {
	return plainColumn(name, "Int32", 4, func(b []byte, r R) []byte { return binary.LittleEndian.AppendUint32(b, uint32(get(r))) })
}

func int64s[R any](name string, get func(R) int64) columnOf[R] {
	return plainColumn(name, "Int64", 8, func(b []byte, r R) []byte { return binary.LittleEndian.AppendUint64(b, uint64(get(r))) })
}

func bools[R any](name string, get func(R) bool) columnOf[R] {
	return plainColumn(name, "Bool", 1, func(b []byte, r R) []byte { return append(b, bit(get(r))) })
}

func texts[R any](name string, get func(R) string) columnOf[R] {
	return plainColumn(name, "String", 0, func(b []byte, r R) []byte { return appendText(b, get(r)) })
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// ids is a column of 16 bytes each.
func ids[R any](name string, get func(R) [16]byte) columnOf[R] {
	return plainColumn(name, "FixedString(16)", 16, func(b []byte, r R) []byte {
		id := get(r)
		return append(b, id[:]...)
	})
}

const dateTime = "DateTime64(3, 'UTC')"

func instants[R any](name string, get func(R) timeline.Millis) columnOf[R] {
	return plainColumn(name, dateTime, 8, func(b []byte, r R) []byte { return appendInstant(b, get(r)) })
}

func appendInstant(b []byte, t timeline.Millis) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(clamp(t)))
}

// constants is a column of an Enum8. get gives a value's number there, 0 for one
// that it does not have.
func constants[R any](name, kind string, get func(R) int8) columnOf[R] {
	c := plainColumn(name, kind, 1, func(b []byte, r R) []byte { return append(b, byte(get(r))) })
	c.put = func(c *column, r R) {
		n := get(r)
		if n == 0 {
			c.wrong = fmt.Errorf("storage: the %s of a row is none of %s", name, kind)
		}
		c.data = append(c.data, byte(n))
	}
	return c
}

// fewTexts is a column of few different texts.
func fewTexts[R any](name string, get func(R) string) columnOf[R] {
	return columnOf[R]{
		columnHead{name, "LowCardinality(String)", words, 2},
		func(c *column, r R) { c.data = binary.LittleEndian.AppendUint16(c.data, c.dict.of(get(r))) },
		func(b []byte, r R) []byte { return appendText(b, get(r)) },
	}
}

// states is a column of bytes that are made for it.
func states[R any](name string, state func(b []byte, r R) []byte) columnOf[R] {
	return columnOf[R]{columnHead{name, "String", plain, 0}, func(c *column, r R) {
		c.scratch = state(c.scratch[:0], r)
		c.data = append(binary.AppendUvarint(c.data, uint64(len(c.scratch))), c.scratch...)
	}, nil}
}

// maybe is a nullable column of 8 bytes each.
func maybe[R any](name, kind string, get func(R) (bits uint64, ok bool)) columnOf[R] {
	return columnOf[R]{columnHead{name, "Nullable(" + kind + ")", nullable, 8}, func(c *column, r R) {
		bits, ok := get(r)
		if !ok {
			bits = 0
		}
		c.nulls = append(c.nulls, bit(!ok))
		c.data = binary.LittleEndian.AppendUint64(c.data, bits)
	}, nil}
}

// maybeNumbers is null where there is none, and also of what is no number:
// ClickHouse would take a NaN, and every sum over the column would be one.
func maybeNumbers[R any](name string, get func(R) (metrics.Number, bool)) columnOf[R] {
	return maybe(name, "Float64", func(r R) (uint64, bool) {
		n, ok := get(r)
		f := float64(n)
		return math.Float64bits(f), ok && !math.IsNaN(f) && !math.IsInf(f, 0)
	})
}

func maybeInt64s[R any](name string, get func(R) (int64, bool)) columnOf[R] {
	return maybe(name, "Int64", func(r R) (uint64, bool) {
		n, ok := get(r)
		return uint64(n), ok
	})
}

func maybeInstants[R any](name string, get func(R) (timeline.Millis, bool)) columnOf[R] {
	return maybe(name, dateTime, func(r R) (uint64, bool) {
		t, ok := get(r)
		return uint64(clamp(t)), ok
	})
}

// known is an instant of which 0 stands for "not known", which is stored as null.
func known(t timeline.Millis) (timeline.Millis, bool) { return t, t != 0 }

// windowSets is a column of sets of windows.
func windowSets[R any](name string, get func(R) []timeline.Window) columnOf[R] {
	return columnOf[R]{columnHead{name, "Array(Tuple(" + dateTime + ", " + dateTime + "))", spanSets, 8}, func(c *column, r R) {
		set := get(r)
		for _, w := range set {
			c.first, c.last = appendInstant(c.first, w.Start), appendInstant(c.last, w.End)
		}
		c.ends += uint64(len(set))
		c.data = binary.LittleEndian.AppendUint64(c.data, c.ends)
	}, nil}
}
