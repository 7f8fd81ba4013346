package web

import (
	"meridian/metrics"
	"meridian/web/language"
	"meridian/web/views"
)

// heatOf is a point's week by weekday and hour.
func heatOf(say *language.Words, p *metrics.Point) *views.Heat {
	h := &views.Heat{Caption: say.Team.HeatCaption}
	if p.Missing != "" {
		h.Reason = p.Missing.Sentence()
		return h
	}
	h.Counts = p.Aggregate.All.Heat.Table()
	return h
}

// gaugeFigures say how old what is open is. The quantiles of a gauge are ages
// in seconds, whatever its unit.
func gaugeFigures(say *language.Words, p *metrics.Point, add func(name string, v views.Value, title string)) {
	p50, _, p90, ok := p.Quantiles()
	if !ok {
		return
	}
	add(say.Metric.HalfOlder, number(float64(p50), "seconds"), say.Metric.HalfOlderTitle)
	add(say.Metric.TenthOlder, number(float64(p90), "seconds"), say.Metric.TenthOlderTitle)
}
