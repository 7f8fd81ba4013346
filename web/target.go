package web

import (
	"math"

	"meridian/metrics"
	"meridian/web/language"
	"meridian/web/views"
)

// Target is what a team has set itself for a metric, in the metric's own unit
// (seconds, a share of 1, a number). Low and High are the band's ends; where
// they are equal it is a threshold, and the band is [metrics.Definition.Band].
type Target struct {
	Low, High float64
	Text      string // as the catalog has it: 4h
}

// goal is a target as a chart shows it, nil where there is none.
func goal(say *language.Words, d *metrics.Definition, t *Target) *views.Goal {
	if t == nil {
		return nil
	}
	g := &views.Goal{Text: say.Metric.Target(t.Text)}
	g.Low, g.High = d.Band(t.Low, t.High)
	switch {
	case t.Low != t.High:
	case math.IsInf(g.High, 1):
		g.Text = say.Number.OrMore(g.Text)
	case g.Low != t.Low:
		g.Text = say.Number.OrLess(g.Text)
	}
	return g
}
