package metrics

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

func drawGiven(t *rapid.T, y *symbols) []given {
	var list []given
	for range rapid.IntRange(0, 30).Draw(t, "observations") {
		span := rapid.Bool().Draw(t, "span")
		pick := func(name string, n int) string {
			if i := rapid.IntRange(0, n).Draw(t, name); i > 0 {
				if i > n/2 {
					return fmt.Sprintf("%s/%032x", name, i)
				}
				return fmt.Sprintf("%s-%d", name, i)
			}
			return ""
		}
		var person event.PersonID
		person[0] = byte(rapid.IntRange(0, 3).Draw(t, "person"))
		list = append(list, given{
			item: pick("item", 20), at: timeline.Millis(rapid.Int64().Draw(t, "at")), value: rapid.Int64().Draw(t, "value"),
			start: timeline.Millis(rapid.SampledFrom([]int64{0, 1, 1 << 40, -1 << 63}).Draw(t, "start")),
			shown: rapid.SampledFrom([]uint64{0, 1, 1 << 63}).Draw(t, "shown"), service: y.id(pick("service", 2)), person: y.person(person),
			reason: y.id(pick("reason", 2)), basis: y.id(pick("basis", 2)), metric: uint16(rapid.IntRange(0, 4).Draw(t, "metric")),
			flags: flags(rapid.Byte().Draw(t, "flags")), heat: rapid.Byte().Draw(t, "heat"), refused: rapid.Bool().Draw(t, "refused"),
		})
		if g := &list[len(list)-1]; span {
			g.value = int64(g.at - g.start)
		}
	}
	return list
}

// What is packed is what is unpacked, in a process with other numbers of names
// too, and equal lists are equal strings. Damage is an error.
func TestPacked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e, err := NewEngine(testConfig(t, "UTC"))
		if err != nil {
			rt.Fatal(err)
		}
		list := drawGiven(rt, e.symbols)
		for _, g := range list[:rapid.IntRange(0, len(list)).Draw(rt, "again")] {
			g.metric = 5
			list = append(list, g)
		}
		p := e.pack(list, "")
		if got, err := e.unpack(p, nil, nil); err != nil || !slices.Equal(got, list) || p.len() != len(list) {
			rt.Fatalf("%d: %v, %v\nwant %v", p.len(), got, err, list)
		}
		other, err := NewEngine(testConfig(t, "UTC"))
		if err != nil {
			rt.Fatal(err)
		}
		other.symbols.id("another")
		again, err := other.unpack(p, nil, nil)
		if err != nil || other.pack(again, "") != p {
			rt.Fatalf("packed again by another engine: %v", err)
		}
		if len(p) > 0 {
			b := []byte(p)
			cut := rapid.IntRange(0, len(b)-1).Draw(rt, "cut")
			if _, err := e.unpack(packed(b[:cut]), nil, nil); cut > 0 && err == nil {
				rt.Fatalf("cut at %d of %d it can be read", cut, len(b))
			}
			b[cut] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
			_, _ = e.unpack(packed(b), nil, nil) // anything but a panic
		}
	})
}

// Whatever bytes a snapshot holds, they are read or refused.
func FuzzPacked(f *testing.F) {
	e, err := NewEngine(testConfig(f, "UTC"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(e.pack([]given{{item: "a", at: 5, value: 7, shown: 9, metric: 1, flags: 1}}, "")))
	f.Add([]byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = e.unpack(packed(data), nil, nil)
		_, _ = splitParts(packed(data))
	})
}
