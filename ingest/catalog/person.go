package catalog

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// person is a person as the file has them, and what is made of that.
type person struct {
	place    place
	name     string
	github   []named
	jira     []named
	emails   []named
	zone     dated[*timeline.Zone]
	hours    dated[hours]
	weekend  dated[[7]bool]
	holidays dated[named]
	teams    []entry[named] // in file order; the first is the primary one

	id       event.PersonID
	zones    runs[zoned]
	worksFor runs[[]string]
}

func (c *content) readPerson(r *reader, n *yaml.Node) {
	p := &person{place: r.at(n)}
	accounts := func(name, what string, to *[]named) field {
		return field{name, func(n *yaml.Node) {
			for _, element := range r.elements(n) {
				if s, ok := r.text(element, what); ok {
					*to = append(*to, named{s, r.at(element)})
				}
			}
		}}
	}
	name, isNamed := r.nameField("a person", &p.name)
	ok := r.mapping(n, "a person",
		name,
		accounts("github", "a GitHub login", &p.github),
		accounts("jira", "a Jira account", &p.jira),
		field{"emails", func(n *yaml.Node) {
			for _, element := range r.elements(n) {
				s, ok := r.text(element, "an e-mail address")
				if ok && !strings.Contains(s, "@") {
					r.problem(element, "%q is no e-mail address; write it as mai@acme.example", s)
					ok = false
				}
				if ok {
					p.emails = append(p.emails, named{s, r.at(element)})
				}
			}
		}},
		field{"zone", func(n *yaml.Node) { p.zone = readDated(r, n, "zone", r.zone) }},
		field{"hours", func(n *yaml.Node) { p.hours = readDated(r, n, "hours", r.hours) }},
		field{"weekend", func(n *yaml.Node) { p.weekend = readDatedLists(r, n, "weekend", r.weekend) }},
		field{"holidays", func(n *yaml.Node) { p.holidays = readDated(r, n, "holidays", r.named) }},
		field{"teams", func(n *yaml.Node) { p.teams = r.memberships(n) }})
	if !ok || !isNamed(n, "Mai") {
		return
	}
	for _, other := range c.people {
		if other.name == p.name {
			r.problem(n, "%s is in %s already; join the two, or tell two people apart by their names", p.name, other.place)
			return
		}
	}
	c.people = append(c.people, p)
}

// memberships reads names of teams, or {team, from, to}.
func (r *reader) memberships(n *yaml.Node) []entry[named] {
	var list []entry[named]
	for _, element := range r.elements(n) {
		e := entry[named]{from: always, to: forever}
		value := real(element)
		if value.Kind == yaml.MappingNode {
			name := "team"
			if isDated(value) {
				name = "value" // as everywhere else
			}
			if value = span(r, element, name, "a membership", &e); value == nil {
				continue
			}
		}
		var ok bool
		if e.value, ok = r.named(value); ok {
			list = append(list, e)
		}
	}
	return list
}
