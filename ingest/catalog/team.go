package catalog

import (
	"go.yaml.in/yaml/v3"

	"meridian/streaming/timeline"
)

// team is a team as the file has it.
type team struct {
	place    place
	name     string
	group    dated[string]
	zone     dated[*timeline.Zone]
	hours    dated[hours]
	weekend  dated[[7]bool]
	holidays dated[named]

	repositories []entry[string] // globs, in lower case
	jira         []entry[string] // patterns of project keys, in lower case
	services     []entry[string] // patterns of names, as written
	targets      []teamTarget    // by metric
}

// named is a reference to something with a name elsewhere in the catalog.
type named struct {
	name  string
	place place
}

func (c *content) readTeam(r *reader, n *yaml.Node) {
	t := &team{place: r.at(n)}
	name, isNamed := r.nameField("a team", &t.name)
	ok := r.mapping(n, "a team",
		name,
		field{"group", func(n *yaml.Node) {
			t.group = readDated(r, n, "group", func(n *yaml.Node) (string, bool) { return r.text(n, "a group") })
		}},
		field{"zone", func(n *yaml.Node) { t.zone = readDated(r, n, "zone", r.zone) }},
		field{"hours", func(n *yaml.Node) { t.hours = readDated(r, n, "hours", r.hours) }},
		field{"weekend", func(n *yaml.Node) { t.weekend = readDatedLists(r, n, "weekend", r.weekend) }},
		field{"holidays", func(n *yaml.Node) { t.holidays = readDated(r, n, "holidays", r.named) }},
		field{"repositories", func(n *yaml.Node) { t.repositories = r.globs(n, "a repository") }},
		field{"jira", func(n *yaml.Node) { t.jira = lower(readList(r, n, "a Jira project", anything)) }},
		field{"services", func(n *yaml.Node) { t.services = readList(r, n, "a service", anything) }},
		field{"targets", func(n *yaml.Node) { t.targets = r.readTargets(n) }})
	if !ok || !isNamed(n, "web") {
		return
	}
	for _, other := range c.teams {
		if other.name == t.name {
			r.problem(n, "team %s is in %s already; join the two, or give one another name", t.name, other.place)
			return
		}
	}
	c.teams = append(c.teams, t)
}

// named reads a name that something else must have; check looks for it later,
// when all files have been read.
func (r *reader) named(n *yaml.Node) (named, bool) {
	name, ok := r.text(n, "a name")
	return named{name, r.at(real(n))}, ok
}
