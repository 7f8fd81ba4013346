package metrics

import (
	"bytes"
	"errors"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

func drawObservation(t *rapid.T) Observation {
	o := Observation{
		Value: rapid.Int64Range(0, 5).Draw(t, "value"), Hit: rapid.Bool().Draw(t, "hit"), Primary: rapid.IntRange(0, 3).Draw(t, "primary") > 0,
		Outcome: Outcome(rapid.IntRange(1, 3).Draw(t, "outcome")), Class: timeline.Class(rapid.IntRange(0, 3).Draw(t, "class")),
		Known: event.ZoneSource(rapid.IntRange(0, 3).Draw(t, "known")), Basis: rapid.SampledFrom([]string{"", "measured", "from_open"}).Draw(t, "basis"),
	}
	o.Person[0] = byte(rapid.IntRange(0, 3).Draw(t, "person"))
	if o.Outcome != Observed {
		o.Reason = rapid.SampledFrom([]Reason{Bot, Self, Draft}).Draw(t, "reason")
	}
	return o
}

var allStatistics = []Statistic{MedianDuration, Count, Share, People, PerDay, MedianLines}

func aggregateOf(s Statistic, obs []Observation) *Aggregate {
	a := new(Aggregate)
	for i := range obs {
		a.Add(s, &obs[i])
	}
	return a
}

// Whatever way observations come together, and whatever else was there in
// between, the bytes are those of adding them one by one.
func TestAggregateMerges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(allStatistics).Draw(t, "statistic")
		gen := rapid.SliceOfN(rapid.Custom(drawObservation), 0, 8)
		x, y, z := gen.Draw(t, "x"), gen.Draw(t, "y"), gen.Draw(t, "z")
		want := aggregateOf(s, slices.Concat(x, y, z)).Bytes()

		left := aggregateOf(s, x)
		left.Merge(aggregateOf(s, y))
		left.Merge(aggregateOf(s, z))
		right := aggregateOf(s, y)
		right.Merge(aggregateOf(s, z))
		right.Merge(aggregateOf(s, x))
		added := aggregateOf(s, rapid.Permutation(slices.Concat(x, y, z)).Draw(t, "order"))
		back := left.Clone()
		back.Subtract(aggregateOf(s, y))
		back.Merge(aggregateOf(s, y))
		removed := aggregateOf(s, slices.Concat(x, y, z, x))
		for i := range x {
			removed.Remove(s, &x[i])
		}
		for name, a := range map[string]*Aggregate{"(x+y)+z": left, "(y+z)+x": right, "one by one": added, "taken out and in": back, "removed": removed} {
			if got := a.Bytes(); !bytes.Equal(got, want) {
				t.Fatalf("%s: %x, not %x", name, got, want)
			}
		}
		decoded, err := DecodeAggregate(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := decoded.Bytes(); !bytes.Equal(got, want) {
			t.Fatalf("decoded: %x, not %x", got, want)
		}
		if left.Empty() != (len(x)+len(y)+len(z) == 0) {
			t.Fatal("Empty is wrong")
		}
	})
}

func TestAggregateIsCompact(t *testing.T) {
	o := Observation{Value: 9_000_000, Outcome: Observed, Primary: true, Basis: "measured"}
	if n := len(aggregateOf(MedianDuration, []Observation{o}).Bytes()); n > 40 {
		t.Errorf("one observation takes %d bytes", n)
	}
	if n := len(new(Aggregate).Bytes()); n > 3 {
		t.Errorf("an empty aggregate takes %d bytes", n)
	}
}

func TestDecodeAggregateRefusesOthers(t *testing.T) {
	unsorted := aggregateOf(MedianLines, []Observation{{Value: 1, Outcome: Observed, Primary: true}, {Value: 2, Outcome: Observed, Primary: true}})
	slices.Reverse(unsorted.All.Values)
	for _, b := range [][]byte{nil, {0xff}, []byte("{}"), {0xa1, 0x18, 0x63, 0x01}, unsorted.Bytes(), (&Aggregate{Quantiles: []int64{1}}).Bytes()} {
		if a, err := DecodeAggregate(b); !errors.Is(err, ErrDamagedState) {
			t.Errorf("%x was read as %+v, %v", b, a, err)
		}
	}
}

// Whatever is read can be shown and merged.
func FuzzDecodeAggregate(f *testing.F) {
	f.Add(new(Aggregate).Bytes())
	o := Observation{Value: 9000, Hit: true, Outcome: Observed, Person: event.PersonID{1}, Known: event.ZoneInferred, Basis: "measured"}
	f.Add(aggregateOf(MedianDuration, []Observation{o, {Outcome: Ignored, Reason: Bot, Primary: true}}).Bytes())
	f.Add((&Aggregate{Quantiles: []int64{20, 40, 60}}).Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := DecodeAggregate(b)
		if err != nil {
			return
		}
		for _, s := range allStatistics {
			d := &Definition{Name: "t", Statistic: s, Zones: true, Classes: true}
			p := &Point{Metric: "t", Definition: d, Grain: Day, Aggregate: a}
			p.Missing = p.missing()
			p.AppendJSON(nil)
			if _, err := Merge(d, Frame{Several: true}, []*Point{p, p}); err != nil && !errors.Is(err, ErrNotMergeable) {
				t.Fatal(err)
			}
		}
		if _, err := DecodeAggregate(a.Bytes()); err != nil {
			t.Fatalf("%x was read, and written as %x: %v", b, a.Bytes(), err)
		}
	})
}

func TestQuantiles(t *testing.T) {
	for _, c := range []struct {
		values        []int64
		p50, p75, p90 string
	}{
		{[]int64{7}, "7", "7", "7"},
		{[]int64{1, 2, 3, 100}, "2.5", "27.25", "70.9"},
		{[]int64{315, 670}, "492.5", "581.25", "634.5"},
		{[]int64{1, 1, 1, 9, 9, 9, 9}, "9", "9", "9"},
		{[]int64{-10, 10}, "0", "5", "8"},
	} {
		p := &Point{Definition: &Definition{Statistic: MedianLines}, Aggregate: &Aggregate{All: Part{N: int64(len(c.values)), Values: c.values}}}
		p50, p75, p90, ok := p.Quantiles()
		if got := []string{p50.String(), p75.String(), p90.String()}; !ok || !slices.Equal(got, []string{c.p50, c.p75, c.p90}) {
			t.Errorf("%v: %v", c.values, got)
		}
		half, ok := p.Aggregate.All.Quantile(1, 2)
		if !ok || Number(half).String() != c.p50 {
			t.Errorf("%v: median %v", c.values, half)
		}
	}
	if _, ok := new(Part).Quantile(1, 2); ok {
		t.Error("no values have a median")
	}
}

// Against exact rationals.
func TestQuantileIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(-1e12, 1e12), 1, 30).Draw(t, "values")
		slices.Sort(values)
		den := rapid.Int64Range(1, 20).Draw(t, "den")
		num := rapid.Int64Range(0, den).Draw(t, "num")
		position := new(big.Rat).Mul(big.NewRat(num, den), big.NewRat(int64(len(values)-1), 1))
		i := new(big.Int).Quo(position.Num(), position.Denom()).Int64()
		want := big.NewRat(values[i], 1)
		if int(i)+1 < len(values) {
			fraction := new(big.Rat).Sub(position, big.NewRat(i, 1))
			want.Add(want, fraction.Mul(fraction, big.NewRat(values[i+1]-values[i], 1)))
		}
		exact, _ := want.Float64()
		if got, _ := (&Part{Values: values}).Quantile(num, den); got != exact {
			t.Fatalf("%d/%d of %v is %v, not %v", num, den, values, got, exact)
		}
	})
}

func TestRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ranks
		var all []int64
		big := rapid.IntRange(0, 3).Draw(t, "grow") * 700
		for i := range big {
			v := int64(i * 7919 % 1000)
			r.put(v)
			all = append(all, v)
		}
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			if len(all) > 0 && rapid.Bool().Draw(t, "take") {
				i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
				r.take(all[i])
				all = slices.Delete(all, i, i+1)
			} else {
				v := rapid.Int64Range(0, 1000).Draw(t, "value")
				r.put(v)
				all = append(all, v)
			}
		}
		slices.Sort(all)
		if r.n != len(all) {
			t.Fatalf("%d values, not %d", r.n, len(all))
		}
		for i, v := range all {
			if got := r.at(i); got != v {
				t.Fatalf("rank %d is %d, not %d", i, got, v)
			}
		}
	})
}

func TestTally(t *testing.T) {
	var tally Tally
	tally.add("self", 2)
	tally.add("bot", 1)
	tally.add("draft", 0)
	tally.add("self", -2)
	if len(tally) != 1 || tally.Of("bot") != 1 || tally.Of("self") != 0 || tally.Total() != 1 {
		t.Errorf("%v", tally)
	}
	if m := Tally(nil).Map(); m == nil || len(m) != 0 {
		t.Errorf("an empty tally is the map %v", m)
	}
}

func TestMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ms marks
		type at struct {
			cell timeline.Cell
			mark mark
		}
		var all []at
		for range rapid.IntRange(0, 20).Draw(t, "marks") {
			a := at{timeline.Cell(rapid.Int64Range(-6000, 6000).Draw(t, "cell")), mark{rapid.Int64Range(0, 2).Draw(t, "a"), rapid.Int64Range(0, 2).Draw(t, "b"), 1, rapid.Int64Range(0, 2).Draw(t, "c")}}
			ms.add(a.cell, a.mark)
			all = append(all, a)
		}
		oldest := timeline.Cell(rapid.Int64Range(-7000, 7000).Draw(t, "oldest"))
		ms.evict(oldest)
		from := timeline.Cell(rapid.Int64Range(-7000, 7000).Draw(t, "from"))
		to := from + timeline.Cell(rapid.Int64Range(0, 14000).Draw(t, "length"))
		var want mark
		for _, a := range all {
			if a.cell >= oldest && a.cell >= from && a.cell < to {
				want.add(a.mark, 1)
			}
		}
		if got := ms.sum(from, to); got != want {
			t.Fatalf("[%d, %d): %v, not %v", from, to, got, want)
		}
	})
}
