package web

import (
	"meridian/metrics"
	"meridian/web/views"
)

// heatOf is a point's week by weekday and hour.
func heatOf(p *metrics.Point) *views.Heat {
	h := &views.Heat{Caption: "Activities by weekday and hour"}
	if p.Missing != "" {
		h.Reason = p.Missing.Sentence()
		return h
	}
	h.Counts = p.Aggregate.All.Heat.Table()
	return h
}

// gaugeFigures say how old what is open is. The quantiles of a gauge are ages
// in seconds, whatever its unit.
func gaugeFigures(p *metrics.Point, add func(name string, v views.Value, title string)) {
	p50, _, p90, ok := p.Quantiles()
	if !ok {
		return
	}
	add("half of them older than", number(float64(p50), "seconds"), "median age")
	add("one in ten older than", number(float64(p90), "seconds"), "p90 of ages")
}
