package views

import (
	"math"
	"slices"
)

// top is the largest value that the chart must show: of the values all, of p90
// what three in four of them keep below, and a quarter more. A p90 of a few
// items can be a hundred times the median, and one such day must not flatten
// all others; it runs out of the top instead.
func (p Plot) top() float64 {
	top := math.NaN()
	var high []float64
	for _, m := range p.Marks {
		if !math.IsNaN(m.Y) && !(m.Y < top) {
			top = m.Y
		}
		if p.Other != "" && !math.IsNaN(m.Other) && !(m.Other < top) {
			top = m.Other
		}
		if !math.IsNaN(m.P90) {
			high = append(high, m.P90)
		}
	}
	if len(high) > 0 {
		slices.Sort(high)
		most := high[len(high)-1]
		top = math.Max(top, math.Min(most, 1.25*high[len(high)*3/4]))
	}
	return top
}

type geometry struct {
	from, to int64
	ceiling  float64
}

func (g geometry) x(at int64) float64 {
	return math.Max(0, math.Min(100, float64(at-g.from)/float64(g.to-g.from)*100))
}

// y of a value above the ceiling is the ceiling's.
func (g geometry) y(v float64) float64 {
	return chartFloor - math.Min(v/g.ceiling, 1)*(chartFloor-chartTop)
}

func (g geometry) point(at int64, v float64) string {
	return coordinate(g.x(at)*10) + " " + coordinate(g.y(v))
}

var durationSteps = []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200, 86400, 172800, 432000, 864000, 1728000, 4320000, 8640000}

// niceStep is a step of which three to six reach top.
func niceStep(top float64, unit string) float64 {
	if top <= 0 {
		if unit == "share" {
			return 0.25
		}
		return 1
	}
	if unit == "seconds" {
		for _, s := range durationSteps {
			if top/s <= 5 {
				return s
			}
		}
	}
	raw := top / 4
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*power*1.0001 {
			step = m * power
			break
		}
	}
	if unit == "count" || unit == "people" || unit == "lines" {
		step = math.Max(1, step)
	}
	return step
}

// axis is Number without the words that the title of the chart says already.
func axis(v float64, unit string) string {
	if unit == "per_day" {
		return Rate(v)
	}
	return Number(v, unit)
}
