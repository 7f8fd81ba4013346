package views

// Team is the page of one team: all its metrics, by family.
type Team struct {
	Page     Page
	Name     string
	Group    string
	Zone     string
	Period   string
	Families []Family
	Services []Link
	Stages   *Stages // nil where no stage has a value
	Heat     *Heat   // nil where it is not computed
	Grains   []Link
	UpTo     UpTo
	Exports  []Link
	Note     string // what each number is
	Moves    []Move // what moved and why; meant where Compared
	Compared bool
	Feed     string // address of its weeks
}

// Family is a group of metrics.
type Family struct {
	Title string
	Note  string
	Stats []Stat
	None  []Stat // without data, each with its reason
}

// columns names how wide a family is: as many cards as it has.
func (f Family) columns() string {
	return "c" + string(rune('0'+min(max(len(f.Stats), 1), 6)))
}

// Link is a choice among others.
type Link struct {
	ID, Text, Href string
	Current        bool
}

// Move is a number that changed, and what it is made of.
type Move struct {
	ID, Team, Title, Href string
	Now, Before           Value
	Change                Change
	Why                   string // The longest in these 30 days
	Items                 []MoveItem
}

// MoveItem is one contributor.
type MoveItem struct {
	ID, Label, URL, Text string
}
