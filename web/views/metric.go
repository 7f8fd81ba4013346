package views

// Metric is the page of one metric of one team.
type Metric struct {
	Page     Page
	Team     Link
	Zone     string
	Title    string
	Question string
	Stat     Stat // the last 30 days
	Figures  []Figure

	Grains   []Link
	Ranges   []Link
	Services []Link
	Custom   Custom
	Period   string

	Chart     Chart
	Heat      *Heat  // of the last 30 days, where the metric is one
	Withheld  string // why there is no chart: a sentence
	Withholds string // why some windows have no value, where that has to be said at length
	Beside    []Figure
	Rows      []Row
	Quantiles bool
	Evidence  *Evidence
	Passport  []Fact
	Other     string // what the rows are compared with, "": nothing
	Compare   Compare
	Spread    *Spread // nil where there is none
	API       string  // the call that gives the same numbers
	CSV       string
	SVG       string // the chart as a file
}

// Figure is a small number with its name.
type Figure struct {
	Name  string
	Value Value
	Title string // what it means
}

// Custom is the form for any range of dates.
type Custom struct {
	Action, From, To string
	Rest             []Option // hidden fields: Text is the name
}

// Row is a window in the table under the chart.
type Row struct {
	Window    Time
	Value     Value
	Was       Value  // what it said when it was final, of a revised one; both "": nothing
	WasN      string // of how many
	Other     Value  // of what it is compared with; both Text and Reason "": none
	N         string
	P75, P90  Value
	Late, Dup string
	Left      string // left out, with reasons
	Status    string
}

// Evidence lists the items behind the numbers.
type Evidence struct {
	Items   []Item
	Lengths bool   // the items have a value and a beginning
	Newer   string // address, "" at the beginning
	Older   string
	Reason  string // why there is no list, or nothing in it
	Note    string // in which order

	Action   string // of the form that orders and searches
	Find     string
	Orders   []Option
	Shown    []Option
	Rest     []Option // hidden fields: Text is the name
	API, CSV string
}

// Item is one observation.
type Item struct {
	ID      string
	Label   string
	URL     string
	From    Time
	At      Time
	Value   Value
	Outcome string // "", or the sentence why it does not count
	Basis   string
}

// Fact is a line of a passport.
type Fact struct {
	Name  string
	Text  string
	Items []string
}

// heading names the value's column.
func (m Metric) heading() string {
	if m.Quantiles {
		return "Median (p50)"
	}
	return "Value"
}

// Compare is the form that lays another series beside the chart's.
type Compare struct {
	Action  string
	Since   string // the date that it begins with, where that is what is compared with
	Options []Option
	Rest    []Option // hidden fields: Text is the name
}

// Option is a choice of a form.
type Option struct {
	Value, Text string
	Current     bool
}

// Spread is how the values of a range are distributed.
type Spread struct {
	N     string
	Steps []Step
}

// Step is one range of values.
type Step struct {
	Name, N string
	Width   float64 // of its bar, in per cent of the longest
	Below   string  // the share up to its end
}

func (s Step) width() string { return coordinate(s.Width) + "%" }
