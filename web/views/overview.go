package views

import "strings"

// Overview is the page of all teams.
type Overview struct {
	Page     Page
	Title    string // Last 30 days
	Period   string // 2 Feb to 3 Mar
	UpTo     UpTo
	Exports  []Link
	Columns  []Column
	Whole    []Stat // the organisation's
	Caption  string // what the organisation's row is made of
	Teams    []TeamRow
	Moves    []Move   // what changed most; meant where Compared
	Compared bool     // there are 30 days before to compare with
	Connect  *Connect // set while nothing has come in yet

	Importing *Importing // set while a history comes in that no page shows yet
}

// Column is a metric that every team's row shows.
type Column struct{ Title, Question string }

// TeamRow is a team with its headline metrics, in the order of the columns.
type TeamRow struct {
	Name, Href, Group, Zone string
	Stats                   []Stat
}

// Importing says how far a history is.
type Importing struct {
	Text     string // 41 of 90 days; "" once all is in and being computed
	Done, Of int    // of Text; 0 where it has no such numbers
}

// Connect teaches how to send a first delivery.
type Connect struct {
	Steps []Guide
}

// Guide is one way to connect.
type Guide struct {
	ID       string
	Provider string // GitHub
	Where    string // where to click there
	URL      string
	Secret   string // "" where it is not on the page
	Kept     string // a sentence: where it stands
	Ask      string // the address of the page with the secret, "" where it is there unasked or never
	Asked    bool
	Says     string // what has come of it so far, or ""
	Sample   string // a shell script that sends a signed delivery
	Docs     []Link // pages that say all of it
}

// city is what people call a zone: Los Angeles.
func (t TeamRow) city() string {
	return strings.ReplaceAll(t.Zone[strings.LastIndex(t.Zone, "/")+1:], "_", " ")
}
