package views

import (
	"math"
	"strconv"
	"strings"
)

// Spark is a small line without axes. Its box spans half of its highest value,
// or more where the line needs it: from zero, windows of 30 days would all look
// flat, and scaled to their own range, all would look dramatic.
type Spark struct {
	Label string // what a screen reader says
	Line  string // path in a 100 × 30 box
	End   string // y of the last value, in pixels of 30
	Empty bool

	BandTop, BandHeight string // its own past, in pixels of 30; "" where it has none
}

const (
	sparkWidth  = 100.0
	sparkHeight = 30.0
	sparkInset  = 3.0
)

// NewSpark draws values from left to right; NaN is a gap.
func NewSpark(label string, values []float64) Spark {
	return NewSparkBand(label, values, math.NaN(), math.NaN())
}

// NewSparkBand draws values over the band that they were in before.
func NewSparkBand(label string, values []float64, bandLow, bandHigh float64) Spark {
	top, low, last := 0.0, math.Inf(1), -1
	if !math.IsNaN(bandLow) {
		top, low = bandHigh, bandLow
	}
	for i, v := range values {
		if !math.IsNaN(v) {
			top, low, last = math.Max(top, v), math.Min(low, v), i
		}
	}
	s := Spark{Label: label, Empty: last < 0}
	if s.Empty {
		return s
	}
	middle, span := (top+low)/2, math.Max(top-low, top/2)
	if span == 0 {
		span = 1 // all are zero
	}
	low = middle - span/2
	x := func(i int) float64 {
		if len(values) == 1 {
			return sparkWidth
		}
		return float64(i) / float64(len(values)-1) * sparkWidth
	}
	y := func(v float64) float64 {
		return sparkHeight - sparkInset - (v-low)/span*(sparkHeight-2*sparkInset)
	}
	if !math.IsNaN(bandLow) {
		s.BandTop, s.BandHeight = coordinate(y(bandHigh)), coordinate(math.Max(y(bandLow)-y(bandHigh), 1))
	}
	var line strings.Builder
	for _, r := range runs(len(values), func(i int) bool { return !math.IsNaN(values[i]) }) {
		for i := r.from; i < r.to; i++ {
			line.WriteString(command(i-r.from) + coordinate(x(i)) + " " + coordinate(y(values[i])))
		}
		if r.to-r.from == 1 { // a point alone: round caps make it a dot
			line.WriteString("h.01")
		}
	}
	s.Line = line.String()
	if last == len(values)-1 {
		s.End = coordinate(y(values[last]))
	}
	return s
}

type run struct{ from, to int }

// runs returns the longest stretches [from, to) of n items that are in.
func runs(n int, in func(int) bool) (rs []run) {
	for i := 0; i < n; i++ {
		if !in(i) {
			continue
		}
		from := i
		for i < n && in(i) {
			i++
		}
		rs = append(rs, run{from, i})
	}
	return rs
}

// coordinate keeps two decimals: more would be bytes that nobody sees.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}
