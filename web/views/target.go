package views

import "math"

// Goal is what a team has set itself, as a band of the chart's values. It is
// drawn and nothing else: no number is coloured by it.
type Goal struct {
	Low, High float64 // the band; High is +Inf where it has no upper end
	Text      string  // target: 4 h or less
}

// reach is how far up a chart whose values reach top must go for the band to begin
// in it. One that is far above all values is named only, for it would flatten them.
func (g *Goal) reach(top float64) float64 {
	if g == nil || g.Low <= top || g.Low > 4*top {
		return top
	}
	return g.Low
}

// goal draws the band and names it.
func (c *Chart) goal(p Plot, g geometry) {
	if p.Goal == nil {
		return
	}
	c.Legend = append(c.Legend, legend{"goal", p.Goal.Text})
	if p.Goal.Low > g.ceiling {
		return
	}
	high := math.Min(p.Goal.High, g.ceiling)
	low := math.Min(math.Max(p.Goal.Low, 0), g.ceiling)
	top, bottom := g.y(high), g.y(low)
	if math.IsInf(p.Goal.High, 1) {
		top = chartTop
	}
	c.Goals = append(c.Goals, box{X: "0", Width: "100%", Y: coordinate(top), Height: coordinate(math.Max(bottom-top, 1)), Title: p.Goal.Text})
}
