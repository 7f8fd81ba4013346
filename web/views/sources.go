package views

// Sources is the page of the webhook endpoints.
type Sources struct {
	Page    Page
	Sources []Source
	Jobs    *Jobs  // nil: this server runs none
	Said    string // what was done, told once
	Exports []Link
}

// Source is one endpoint.
type Source struct {
	ID        string
	Provider  string // GitHub
	Name      string
	URL       string
	State     string // silent, flowing, failing
	Sentence  string // what State means here
	Last      Time   // its Text "" before the first delivery
	Ago       string
	LastType  string
	Rate      Bars
	Total     string // 12 in the last hour
	Counts    []Figure
	Unread    string // what was ignored, by type: push 3, ...
	Hint      string // what the owner may want to look at, though nothing is broken
	Error     string // of what was signed right
	ErrorAt   Time
	Refusal   string // of anybody
	RefusalAt Time
	Gaps      []string
	Path      string // of its endpoint, for the test
	Test      string // where the test is asked for; "": who reads may not
	Guide     Guide
}

// Bars is a small bar chart of equal steps.
type Bars struct {
	Label string
	Boxes []box
}

// NewBars draws counts, oldest first.
func NewBars(label string, counts []int64) Bars {
	b := Bars{Label: label}
	var top int64 = 1
	for _, n := range counts {
		top = max(top, n)
	}
	for i, n := range counts {
		if n == 0 {
			continue
		}
		height := max(float64(n)/float64(top)*28, 1.5)
		step := 100 / float64(len(counts))
		b.Boxes = append(b.Boxes, box{
			X: coordinate(float64(i)*step+step*0.12) + "%", Width: coordinate(step*0.76) + "%",
			Y: coordinate(29 - height), Height: coordinate(height),
		})
	}
	return b
}
