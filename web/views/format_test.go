package views

import (
	"math"
	"strings"
	"testing"

	"meridian/web/language"
)

// spaced writes the narrow no-break space as an ordinary one.
func spaced(s string) string { return strings.ReplaceAll(s, thin, " ") }

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		want    string
	}{
		{0, "0 s"}, {0.25, "0.250 s"}, {0.0001, "0.001 s"}, {0.6, "1 s"}, {1, "1 s"}, {59, "59 s"},
		{60, "1 min"}, {200, "3 min 20 s"}, {599, "9 min 59 s"}, {600, "10 min"}, {630, "11 min"},
		{3569, "59 min"}, {3570, "1 h"}, {9000, "2 h 30 min"}, {7200, "2 h"}, {172769, "47 h 59 min"},
		{172770, "2 d"}, {172800, "2 d"}, {273600, "3 d 4 h"}, {8639999, "100 d"}, {100 * 86400, "100 d"},
		{1234 * 86400, "1,234 d"}, {-9000, "−2 h 30 min"},
	} {
		if got := spaced(Duration(c.seconds)); got != c.want {
			t.Errorf("Duration(%v) = %q, want %q", c.seconds, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{0.174, "share", "17 %"}, {0.0123, "share", "1.2 %"}, {0.05, "share", "5 %"}, {1, "share", "100 %"}, {0, "share", "0 %"},
		{4, "count", "4"}, {12345, "count", "12,345"}, {0.5, "lines", "0.5"}, {120.4, "lines", "120"},
		{2.0 / 30, "per_day", "0.07 a day"}, {4.2, "per_day", "4.2 a day"}, {3, "per_day", "3 a day"},
		{9000, "seconds", "2 h 30 min"},
	} {
		if got := spaced(Number(c.v, c.unit)); got != c.want {
			t.Errorf("Number(%v, %s) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
	if got := Exact(9000.5, "seconds"); got != "9000.5 s" {
		t.Errorf("Exact = %q", got)
	}
	if got := Int(-1234567); got != "−1,234,567" {
		t.Errorf("Int = %q", got)
	}
}

func FuzzDuration(f *testing.F) {
	for _, v := range []float64{0, 1, 59.5, 3600, -1, 1e12} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		if math.IsNaN(v) || math.Abs(v) > 1e15 {
			t.Skip()
		}
		for part := range strings.SplitSeq(strings.TrimPrefix(Duration(v), "−"), " ") {
			if part == "60"+thin+"s" || part == "60"+thin+"min" || part == "24"+thin+"h" && v > 48*3600 {
				t.Errorf("Duration(%v) = %q", v, Duration(v))
			}
		}
	})
}

func TestSparkSpansHalfOfItsTop(t *testing.T) {
	// From 8 to 10: the box spans 10/2 = 5 around the middle 9, so 6.5 to 11.5;
	// its 24 pixels begin at 27. 8 is (8-6.5)/5·24 = 7.2 above, 10 is 16.8.
	s := NewSpark("", []float64{8, 10})
	if s.Line != "M0 19.8L100 10.2" || s.End != "10.2" {
		t.Errorf("line %q, end %q", s.Line, s.End)
	}
	// From 0 to 10 it needs more than half: the whole box.
	if s := NewSpark("", []float64{0, 10}); s.Line != "M0 27L100 3" {
		t.Errorf("line %q", s.Line)
	}
	// A gap breaks the line, a value alone is a dot, and no end is marked.
	nan := math.NaN()
	if s := NewSpark("", []float64{4, nan, 4, 4, nan}); s.Line != "M0 15h.01M50 15L75 15" || s.End != "" {
		t.Errorf("line %q, end %q", s.Line, s.End)
	}
	if s := NewSpark("", []float64{nan}); !s.Empty {
		t.Error("no value is not empty")
	}
	if s := NewSpark("", []float64{0, 0}); s.Line != "M0 15L100 15" {
		t.Errorf("zeros: %q", s.Line)
	}
}

func TestNiceSteps(t *testing.T) {
	for _, c := range []struct {
		top  float64
		unit string
		want float64
	}{
		{9000, "seconds", 1800}, {60, "seconds", 15}, {100 * 3600, "seconds", 86400}, {17, "count", 5}, {3, "count", 1}, {0, "count", 1},
		{0.2, "share", 0.05}, {0, "share", 0.25}, {0.9, "per_day", 0.5}, {1e7, "count", 5e6},
	} {
		if got := niceStep(c.top, c.unit); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("niceStep(%v, %s) = %v, want %v", c.top, c.unit, got, c.want)
		}
	}
}

func TestIDsOfTwoNamesDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"acme/web", "acme-web", "acme_web", "acme_2fweb", "acme web", "Acme/web", ""} {
		id := ID("team", name)
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q share %q", name, other, id)
		}
		if strings.ContainsAny(id, " /\"'<") {
			t.Errorf("%q gives %q", name, id)
		}
		seen[id] = name
	}
}

func TestOneOutlierDoesNotFlattenAChart(t *testing.T) {
	var p Plot
	for range 9 {
		p.Marks = append(p.Marks, Mark{Y: 10, P75: 20, P90: 40})
	}
	p.Marks = append(p.Marks, Mark{Y: 12, P75: 300, P90: 4000})
	if got := p.top(); got != 50 { // 1.25 times 40
		t.Errorf("top %v, want 50", got)
	}
	p.Marks = append(p.Marks, Mark{Y: 90, P75: math.NaN(), P90: math.NaN()}) // a value is always shown
	if got := p.top(); got != 90 {
		t.Errorf("top %v, want 90", got)
	}
	if !math.IsNaN((Plot{Marks: []Mark{{Y: math.NaN(), P90: math.NaN()}}}).top()) {
		t.Error("nothing has a top")
	}
}

// A target that the values have not reached is seen above them; one that is far
// beyond them is named and does not flatten them.
func TestGoalAboveAllValues(t *testing.T) {
	nan := math.NaN()
	for low, want := range map[float64]struct {
		ceiling string
		drawn   int
	}{1: {"2", 1}, 5: {"6", 1}, 500: {"2", 0}} {
		c := NewChart(language.English, Plot{Unit: "count", To: 10, Marks: []Mark{{End: 10, At: 5, Y: 2, P75: nan, P90: nan}}, Goal: &Goal{Low: low, High: math.Inf(1), Text: "target"}})
		top := c.YTicks[len(c.YTicks)-1].Text
		if len(c.Goals) != want.drawn || top != want.ceiling || len(c.Legend) == 0 || c.Legend[0].Text != "target" {
			t.Errorf("from %g: %d drawn, up to %s, %v", low, len(c.Goals), top, c.Legend)
		}
	}
}
