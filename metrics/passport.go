package metrics

import (
	"fmt"
	"strings"
)

// Fact is one line of a passport: what page, command and documentation show.
type Fact struct {
	Name  string
	Text  string
	Items []string // instead of a text
}

// Facts returns the passport line by line; the title and the question stand
// above it.
func (d *Definition) Facts() []Fact {
	e := d.Explanation()
	var facts []Fact
	say := func(name, text string) {
		if text != "" {
			facts = append(facts, Fact{Name: name, Text: text})
		}
	}
	say("Starts when", e.Start)
	if e.Start == "" {
		say("Counts", e.End)
	} else {
		say("Ends with", e.End)
	}
	say("Shows", e.Statistic)
	unit := e.Unit
	if e.UnitDay30 != unit {
		unit += "; over 30 days " + strings.ReplaceAll(e.UnitDay30, "_", " ")
	}
	say("Unit", unit)
	switch e.Better {
	case "":
		say("Better", "neither more nor less is")
	default:
		say("Better", e.Better)
	}
	say("Local time", e.Zone)
	say("Reads", sourceNames(d.Sources))
	if d.Services {
		say("For", "the team, and each of its services")
	}
	if d.Sensitivity == PersonData {
		say("Shown to", "those who may see metrics of people, and only where enough of them were active")
	}
	facts = append(facts, Fact{Name: "Left out", Items: e.LeftOut}, Fact{Name: "Keep in mind", Items: e.Caveats})
	say("Waits", e.Window.Wait)
	say("Accepts", e.Window.Accept+"; "+e.Window.Late)
	say("Revises", e.Window.Refire)
	if len(d.Varies) > 0 {
		say("May vary", varyNames(d.Varies)+", in a variation that the configuration declares")
	}
	say("Reference", e.Reference)
	return facts
}

// List returns one line for each metric, in its family.
func List(definitions []*Definition) string {
	width := 0
	for _, d := range definitions {
		width = max(width, len(d.Name))
	}
	var b strings.Builder
	var family Family
	for _, d := range definitions {
		if d.Family != family {
			if family != "" {
				b.WriteByte('\n')
			}
			family = d.Family
			fmt.Fprintf(&b, "%s\n", family)
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", width, d.Name, d.Passport.Question)
	}
	return b.String()
}

// Explain returns the passport as text.
func (d *Definition) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n%s\n\n", d.Passport.Title, d.Name, d.Passport.Question)
	facts := d.Facts()
	width := 0
	for _, f := range facts {
		width = max(width, len(f.Name))
	}
	for _, f := range facts {
		lines := f.Items
		if f.Text != "" {
			lines = []string{f.Text}
		}
		for i, text := range lines {
			name, mark := f.Name, ""
			if i > 0 {
				name = ""
			}
			if f.Text == "" {
				mark = "- "
			}
			writeWrapped(&b, fmt.Sprintf("%-*s  %s", width, name, mark), text)
		}
	}
	return b.String()
}

const textWidth = 100

// writeWrapped writes text behind a head, its further lines below its first.
func writeWrapped(b *strings.Builder, head, text string) {
	b.WriteString(head)
	column := len(head)
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > textWidth:
			b.WriteByte('\n')
			b.WriteString(strings.Repeat(" ", len(head)))
			column = len(head)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
}
