package metrics

import (
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Explanation is a metric's passport in full, as JSON: what `meridian metrics`
// and the API write.
type Explanation struct {
	Name        string    `json:"name"`
	Title       string    `json:"title"`
	Family      string    `json:"family"`
	Question    string    `json:"question"`
	Start       string    `json:"start,omitempty"`
	End         string    `json:"end"`
	Statistic   string    `json:"statistic"`
	Unit        string    `json:"unit"`       // of points of an hour and a day
	UnitDay30   string    `json:"unit_day30"` // of points of 30 days
	Better      string    `json:"better"`     // lower, higher, or "" where neither is
	Zone        string    `json:"zone"`
	Sources     []string  `json:"sources"`
	Services    bool      `json:"services"`    // has points for each service
	Sensitivity string    `json:"sensitivity"` // work or person
	LeftOut     []string  `json:"left_out"`
	Caveats     []string  `json:"caveats"`
	Window      Decisions `json:"window"`
	Reference   string    `json:"reference,omitempty"`

	Varies      []Variable `json:"varies,omitempty"`       // what a variation of it may choose
	VariationOf string     `json:"variation_of,omitempty"` // the built-in metric that it is made of
}

// Decisions are the four that every window needs, in words.
type Decisions struct {
	Wait   string `json:"wait"`
	Accept string `json:"accept"`
	Late   string `json:"late"`
	Refire string `json:"refire"`
}

// Explanation returns the passport in full.
func (d *Definition) Explanation() Explanation {
	p := &d.Passport
	e := Explanation{
		Name: string(d.Name), Title: p.Title, Family: string(d.Family), Question: p.Question, Start: p.Start, End: p.End,
		Statistic: p.Shows, Unit: d.Statistic.Unit(Hour), UnitDay30: d.Statistic.Unit(Day30), Better: p.Better,
		Zone: p.Zone, Services: d.Services, Sensitivity: d.Sensitivity.String(),
		LeftOut: p.LeftOut, Caveats: p.Caveats, Window: d.decisions(), Reference: p.Reference,
		Varies: slices.Concat([]Variable{}, d.Varies), VariationOf: string(d.VariationOf),
	}
	if e.Zone == "" {
		e.Zone = "windows are the team's local hours and days"
	}
	for _, s := range d.Sources {
		e.Sources = append(e.Sources, s.String())
	}
	return e
}

func (d *Definition) decisions() Decisions {
	wait := "a window is final once the clock is past its end by the bound of " + sourceNames(d.Sources)
	if len(d.Sources) > 1 {
		wait += ", the largest of those that are configured"
	}
	if d.Wait > 0 {
		wait += ", and " + timeline.FormatLength(d.Wait) + " more"
	}
	accept := "events change it for as long as the horizon lets them in"
	if d.Accept > 0 {
		accept = "events change it until " + timeline.FormatLength(d.Accept) + " after its end"
	}
	late := "later ones are set aside and counted beside it"
	refire := "a change of a final number is shown, and marked as revised"
	if d.Refire == Freeze {
		refire = "a final number stays, and the change is counted"
	}
	return Decisions{Wait: wait, Accept: accept, Late: late, Refire: refire}
}

var sourceTitles = map[event.Source]string{event.GitHub: "GitHub", event.Jira: "Jira", event.Deploy: "deploy systems"}

func sourceNames(sources []event.Source) string {
	var b strings.Builder
	for i, s := range sources {
		switch {
		case i == 0:
		case i == len(sources)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(sourceTitles[s])
	}
	return b.String()
}

func (s Sensitivity) String() string {
	if s == PersonData {
		return "person"
	}
	return "work"
}

// ExplainAll returns every passport, in the list's order.
func ExplainAll(definitions []*Definition) []Explanation {
	all := make([]Explanation, 0, len(definitions))
	for _, d := range definitions {
		all = append(all, d.Explanation())
	}
	return all
}
