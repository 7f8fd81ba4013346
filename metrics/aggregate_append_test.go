package metrics

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
)

// What is written by hand is what the codec of all state writes, byte for byte.
func TestAggregateBytesAreCanonical(t *testing.T) {
	number := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-300, 300), rapid.SampledFrom([]int64{
		0, 23, 24, 255, 256, 65535, 65536, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, -1, -24, -25, -256, -257, math.MinInt64,
	}))
	few := func(t *rapid.T, label string) int {
		return rapid.SampledFrom([]int{0, 0, 1, 2, 23, 24, 300}).Draw(t, label)
	}
	tally := func(t *rapid.T, label string) (list Tally) {
		for range few(t, label) {
			list = append(list, Counted{Name: rapid.String().Draw(t, "name"), N: number.Draw(t, "n")})
		}
		return list
	}
	part := func(t *rapid.T) (p Part) {
		if rapid.Bool().Draw(t, "counted") {
			p.N, p.Sum, p.Hits = number.Draw(t, "n"), number.Draw(t, "sum"), number.Draw(t, "hits")
		}
		for range few(t, "values") {
			p.Values = append(p.Values, number.Draw(t, "value"))
		}
		p.Excluded, p.Ignored, p.Basis = tally(t, "excluded"), tally(t, "ignored"), tally(t, "basis")
		if rapid.Bool().Draw(t, "classes") {
			p.Classes[rapid.IntRange(0, 3).Draw(t, "class")] = number.Draw(t, "acts")
		}
		for range few(t, "heat") {
			p.Heat = append(p.Heat, HeatCount{Slot: rapid.Byte().Draw(t, "slot"), N: number.Draw(t, "n")})
		}
		return p
	}
	rapid.Check(t, func(t *rapid.T) {
		a := Aggregate{All: part(t)}
		if rapid.Bool().Draw(t, "primary") {
			p := part(t)
			a.Primary = &p
		}
		for range few(t, "people") {
			c := PersonCount{N: number.Draw(t, "acts")}
			c.ID = event.PersonID(bytes.Repeat([]byte{rapid.Byte().Draw(t, "person")}, 16))
			c.Known[rapid.IntRange(0, 2).Draw(t, "known")] = number.Draw(t, "known acts")
			a.People = append(a.People, c)
		}
		for range few(t, "quantiles") {
			a.Quantiles = append(a.Quantiles, number.Draw(t, "quantile"))
		}
		want, err := theCodec.Marshal(&a)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.AppendBytes([]byte("before")); !bytes.Equal(got[6:], want) || string(got[:6]) != "before" {
			t.Fatalf("got  %x\nwant %x", got, want)
		}
	})
}
