package views

import (
	"encoding/json"
	"math"
)

// data is the plot for the script, which draws the lines again where they can
// be zoomed; short names because every chart carries it. Times are seconds, as
// uPlot has them.
func data(p Plot, g geometry) string {
	out := struct {
		Bars        bool         `json:"b"`
		Range       [2]int64     `json:"r"`
		Ceiling     float64      `json:"c"`
		Times       []int64      `json:"t"`
		Series      [][]*float64 `json:"s"` // value; p75 and p90
		Provisional []int        `json:"p"`
		Titles      []string     `json:"w"`
		Other       []*float64   `json:"o,omitempty"`
	}{
		Bars: p.Bars, Range: [2]int64{g.from / 1000, g.to / 1000}, Ceiling: g.ceiling,
		Times: []int64{}, Provisional: []int{}, Titles: []string{},
	}
	var y, p75, p90 []*float64
	quantiles := false
	for i, m := range p.Marks {
		out.Times = append(out.Times, m.At/1000)
		out.Titles = append(out.Titles, m.Title)
		y, p75, p90 = append(y, orNull(m.Y)), append(p75, orNull(m.P75)), append(p90, orNull(m.P90))
		quantiles = quantiles || !math.IsNaN(m.P90)
		if p.Other != "" {
			out.Other = append(out.Other, orNull(m.Other))
		}
		if m.Provisional {
			out.Provisional = append(out.Provisional, i)
		}
	}
	out.Series = [][]*float64{y}
	if quantiles {
		out.Series = [][]*float64{y, p75, p90}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return "" // finite numbers and strings always marshal; without it the SVG stays
	}
	return string(b)
}

func orNull(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
