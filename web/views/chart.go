package views

import (
	"math"
	"slices"
	"strings"

	"meridian/web/language"
)

// Plot is what a chart is drawn from. Instants are milliseconds; whoever fills
// it has put them on the team's calendar.
type Plot struct {
	ID     string
	Label  string // what a screen reader says instead of the picture
	Unit   string
	Bars   bool // a count of each window; else a line
	From   int64
	To     int64
	Marks  []Mark
	XTicks []XTick
	Goal   *Goal  // nil: none
	Other  string // what Mark.Other is of, "": nothing

	Border     int64 // windows before it are of another computation; 0: none are
	BorderText string
}

// Mark is one window of a plot.
type Mark struct {
	Start, End  int64
	At          int64 // where a line passes: the middle, or the end of a sliding window
	Y, P75, P90 float64
	Other       float64 // of what it is compared with, where Plot.Other says so
	Was         float64 // what a revised one said before; NaN: it is not known
	Provisional bool
	Revised     bool
	Title       string // Mon 2 Mar: 2 h 30 min, n = 3; the script labels with what is before the first ": "
	Reason      string // why Y is NaN
	Gap         string // where the gap is shaded, what it is, in a word or two
}

// XTick is a label on the time axis.
type XTick struct {
	At   int64
	Text string
}

// Chart is a plot with its geometry: x in per cent, y in pixels.
type Chart struct {
	ID, Label string
	Empty     bool
	YTicks    []tick
	XTicks    []tick
	Gaps      []box
	Goals     []box
	Bars      []box
	Band      string // paths in a 1000 × chartHeight box
	Middle    string
	Line      string
	Dashed    string
	Other     string
	Dots      []dot
	Was       []was  // what revised values were
	Data      string // JSON for the script
	Legend    []legend

	Border, BorderText, BorderShift, BorderAnchor string // a line across; "": none
}

type tick struct{ At, Anchor, Text string }
type box struct{ X, Width, Y, Height, Class, Title string }
type dot struct{ X, Y, Class, Title string }
type was struct{ X, From, To, Title string }
type legend struct{ Class, Text string }

const (
	chartHeight = 260.0
	chartTop    = 16.0
	chartFloor  = chartHeight - 26
)

// NewChart works out the geometry of a plot.
func NewChart(say *language.Words, p Plot) Chart {
	c := Chart{ID: p.ID, Label: p.Label, Empty: true}
	top := p.top()
	c.Empty = math.IsNaN(top)
	top = math.Max(top, 0)
	if c.Empty {
		top = 0
	}
	top = p.Goal.reach(top)
	step := niceStep(top, p.Unit)
	ceiling := math.Max(step, math.Ceil(top/step)*step)
	g := geometry{p.From, max(p.To, p.From+1), ceiling}

	for v := step; v <= ceiling+step/2; v += step {
		c.YTicks = append(c.YTicks, tick{At: coordinate(g.y(v)), Text: axis(v, p.Unit)})
	}
	for _, t := range p.XTicks {
		x := g.x(t.At)
		anchor := "middle"
		if x < 3 {
			anchor = "start"
		} else if x > 97 {
			anchor = "end"
		}
		c.XTicks = append(c.XTicks, tick{At: coordinate(x) + "%", Anchor: anchor, Text: t.Text})
	}
	c.gaps(p, g)
	c.goal(p, g)
	if p.Bars {
		c.bars(&say.Chart, p, g)
	} else {
		c.lines(&say.Chart, p, g)
	}
	c.was(&say.Chart, p, g)
	c.other(p, g)
	c.border(p, g)
	c.Data = data(p, g)
	return c
}

func (c *Chart) gaps(p Plot, g geometry) {
	seen := map[string]bool{}
	for _, r := range runs(len(p.Marks), func(i int) bool { return p.Marks[i].Gap != "" }) {
		from, to := g.x(p.Marks[r.from].Start), g.x(p.Marks[r.to-1].End)
		c.Gaps = append(c.Gaps, box{
			X: coordinate(from) + "%", Width: coordinate(to-from) + "%", Y: coordinate(chartTop), Height: coordinate(chartFloor - chartTop),
			Title: p.Marks[r.from].Reason,
		})
		for _, m := range p.Marks[r.from:r.to] {
			if !seen[m.Gap] {
				seen[m.Gap] = true
				c.Legend = append(c.Legend, legend{"gap", m.Gap})
			}
		}
	}
}

func (c *Chart) bars(say *language.ChartWords, p Plot, g geometry) {
	provisional, revised := false, false
	for _, m := range p.Marks {
		if math.IsNaN(m.Y) {
			continue
		}
		from, to := g.x(m.Start), g.x(m.End)
		space := (to - from) * 0.14
		y := g.y(m.Y)
		b := box{
			X: coordinate(from+space) + "%", Width: coordinate(math.Max(to-from-2*space, 0.1)) + "%",
			Y: coordinate(y), Height: coordinate(chartFloor - y), Class: "bar", Title: m.Title,
		}
		if m.Provisional {
			b.Class, provisional = "bar provisional", true
		}
		c.Bars = append(c.Bars, b)
		if m.Revised {
			revised = true
			c.Dots = append(c.Dots, dot{X: coordinate((from+to)/2) + "%", Y: coordinate(y - 5), Class: "dot revised", Title: m.Title})
		}
	}
	c.statusLegend(say, provisional, revised)
}

func (c *Chart) lines(say *language.ChartWords, p Plot, g geometry) {
	var band, middle, line, dashed strings.Builder
	provisional, revised, quantiles := false, false, false
	lonely := len(p.Marks) <= 62 // few enough that every value gets its dot
	for _, r := range runs(len(p.Marks), func(i int) bool { return !math.IsNaN(p.Marks[i].Y) }) {
		marks := p.Marks[r.from:r.to]
		if !math.IsNaN(marks[0].P90) && len(marks) > 1 {
			quantiles = true
			for i, m := range marks {
				band.WriteString(command(i) + g.point(m.At, m.P90))
				middle.WriteString(command(i) + g.point(m.At, m.P75))
			}
			for i := len(marks) - 1; i >= 0; i-- {
				band.WriteString("L" + g.point(marks[i].At, marks[i].Y))
			}
			band.WriteString("Z")
		}
		solid := false // the pen is on the solid line
		for i, m := range marks {
			switch {
			case i == 0:
				line.WriteString("M" + g.point(m.At, m.Y))
				solid = true
			case m.Provisional:
				dashed.WriteString("M" + g.point(marks[i-1].At, marks[i-1].Y) + "L" + g.point(m.At, m.Y))
				solid = false
			default:
				if !solid {
					line.WriteString("M" + g.point(marks[i-1].At, marks[i-1].Y))
				}
				line.WriteString("L" + g.point(m.At, m.Y))
				solid = true
			}
			d := dot{X: coordinate(g.x(m.At)) + "%", Y: coordinate(g.y(m.Y)), Class: "dot", Title: m.Title}
			switch {
			case m.Provisional:
				d.Class, provisional = "dot provisional", true
			case m.Revised:
				d.Class, revised = "dot revised", true
			case !lonely && len(marks) > 1:
				continue
			}
			c.Dots = append(c.Dots, d)
		}
	}
	c.Band, c.Middle, c.Line, c.Dashed = band.String(), middle.String(), line.String(), dashed.String()
	if quantiles {
		upTo := say.UpToP90
		if slices.ContainsFunc(p.Marks, func(m Mark) bool { return m.P90 > g.ceiling }) {
			upTo = say.UpToP90Cut
		}
		c.Legend = append(c.Legend, legend{"median", say.Median}, legend{"p75", "p75"}, legend{"p90", upTo})
	}
	c.statusLegend(say, provisional, revised)
}

// other draws what the values are compared with, as a line also over bars.
func (c *Chart) other(p Plot, g geometry) {
	if p.Other == "" {
		return
	}
	var line strings.Builder
	for _, r := range runs(len(p.Marks), func(i int) bool { return !math.IsNaN(p.Marks[i].Other) }) {
		for i, m := range p.Marks[r.from:r.to] {
			line.WriteString(command(i) + g.point(m.At, m.Other))
		}
		if r.to-r.from == 1 { // round caps make it a dot
			line.WriteString("h.01")
		}
	}
	c.Other = line.String()
	c.Legend = append(c.Legend, legend{"other", p.Other})
}

// was marks what revised values said when they were final, with a thread to what they
// say now.
func (c *Chart) was(say *language.ChartWords, p Plot, g geometry) {
	for _, m := range p.Marks {
		if !m.Revised || math.IsNaN(m.Was) || math.IsNaN(m.Y) {
			continue
		}
		x := g.x(m.At)
		if p.Bars {
			x = (g.x(m.Start) + g.x(m.End)) / 2
		}
		c.Was = append(c.Was, was{X: coordinate(x) + "%", From: coordinate(g.y(m.Was)), To: coordinate(g.y(m.Y)), Title: m.Title})
	}
	if len(c.Was) > 0 {
		c.Legend = append(c.Legend, legend{"was", say.Was})
	}
}

// border draws where another computation's windows end.
func (c *Chart) border(p Plot, g geometry) {
	if p.Border <= g.from || p.Border >= g.to {
		return
	}
	x := g.x(p.Border)
	c.Border, c.BorderText, c.BorderShift, c.BorderAnchor = coordinate(x)+"%", p.BorderText, "-6", "end"
	if x < 50 {
		c.BorderShift, c.BorderAnchor = "6", "start"
	}
}

func (c *Chart) statusLegend(say *language.ChartWords, provisional, revised bool) {
	if provisional {
		c.Legend = append(c.Legend, legend{"provisional", say.Provisional})
	}
	if revised {
		c.Legend = append(c.Legend, legend{"revised", say.Revised})
	}
}

func command(i int) string {
	if i == 0 {
		return "M"
	}
	return "L"
}
