package catalog

import (
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Covered are the teams that what is said of a repository or a project between
// two times is said of, sorted: those that own it at some instant of it, and
// those of the services that live in it at its end. Where nobody owns it, it is
// its own team, as its entities are.
func (c *Catalog) Covered(scope event.Scope, during timeline.Window) []string {
	owner, name := c.repositoryOwner, scope.Repository
	list := func(t *placed) []owned { return t.repositories }
	if scope.Project != "" {
		owner, name = c.projectOwner, scope.Project
		list = func(t *placed) []owned { return t.jira }
	}
	var teams []string
	add := func(at timeline.Millis) {
		if team := owner(name, at); team != "" && during.Contains(at) {
			teams = append(teams, team)
		}
	}
	add(during.Start)
	add(during.End - 1)
	for _, t := range c.order { // ownership changes where a window begins or ends
		for _, o := range list(t) {
			add(o.window.Start)
			add(o.window.End)
		}
	}
	if len(teams) == 0 {
		teams = append(teams, name)
	}
	if scope.Repository != "" {
		for _, s := range c.servicesIn(scope.Repository, during.End-1) {
			if team := or(c.serviceOwner(s.name, "", during.End-1), c.describedOwner(s, during.End-1)); team != "" {
				teams = append(teams, team)
			}
		}
	}
	slices.Sort(teams)
	return slices.Compact(teams)
}
