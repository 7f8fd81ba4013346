package instance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Point is one line of `replay --print`, or an element of /api/v1/points: the same bytes.
type Point struct {
	Metric       string           `json:"metric"`
	Team         string           `json:"team"`
	Service      string           `json:"service"`
	Grain        string           `json:"grain"`
	Start        string           `json:"start"`
	End          string           `json:"end"`
	N            int64            `json:"n"`
	Value        *json.Number     `json:"value"`
	Status       string           `json:"status"`
	Missing      string           `json:"missing"`
	Excluded     map[string]int64 `json:"excluded"`
	Ignored      map[string]int64 `json:"ignored"`
	LateAccepted int64            `json:"late_accepted"`
	Duplicates   int64            `json:"duplicates"`
	Version      string           `json:"version"`

	Line string `json:"-"` // as it came
}

// Key tells which point it is.
func (p Point) Key() string {
	return strings.Join([]string{p.Metric, p.Team, p.Service, p.Grain, p.Start}, "|")
}

// Stored reports whether it is a row; others were filled in for the reader.
func (p Point) Stored() bool { return p.Version != "0" }

// Number is the value as it was written, or "null".
func (p Point) Number() string {
	if p.Value == nil {
		return "null"
	}
	return p.Value.String()
}

// ParsePoint reads one line.
func ParsePoint(line string) (p Point, err error) {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("%q is no point: %w", line, err)
	}
	p.Line = line
	return p, nil
}

// ParsePoints reads what `replay --print` printed, in order.
func ParsePoints(out string) (all []Point, err error) {
	for line := range strings.Lines(out) {
		p, err := ParsePoint(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// Latest keeps the last point of each key, which is what a table shows.
func Latest(points []Point) map[string]Point {
	latest := map[string]Point{}
	for _, p := range points {
		latest[p.Key()] = p
	}
	return latest
}

// Diff describes in lines where two sets of points differ in what show says of each; want comes first. At most twenty
// lines are given.
func Diff(want, got map[string]Point, show func(Point) string) []string {
	keys := maps.Clone(want)
	maps.Copy(keys, got)
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		w, wanted := want[key]
		g, have := got[key]
		switch {
		case !wanted:
			lines = append(lines, fmt.Sprintf("not wanted: %s", show(g)))
		case !have:
			lines = append(lines, fmt.Sprintf("missing:    %s", show(w)))
		case show(w) != show(g):
			lines = append(lines, fmt.Sprintf("want: %s\n got: %s", show(w), show(g)))
		}
		if len(lines) == 20 {
			return append(lines, "...")
		}
	}
	return lines
}
