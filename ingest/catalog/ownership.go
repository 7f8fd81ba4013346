package catalog

import (
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// owned is a pattern of what a team owns, with the instants between which it does.
type owned struct {
	pattern string
	window  timeline.Window
}

// allTime is the window of what has no dates.
var allTime = timeline.Window{Start: never, End: endless}

func (o owned) at(t timeline.Millis) bool { return o.window.Start <= t && t < o.window.End }

func anyAt(during []timeline.Window, t timeline.Millis) bool {
	for _, w := range during {
		if w.Start <= t && t < w.End {
			return true
		}
	}
	return false
}

// createdOr is when the entity came into being that an event is about, as far as
// the event says.
func createdOr(e *event.Event) timeline.Millis {
	if e.Created != 0 {
		return e.Created
	}
	return e.Time
}

func ownedBy(list []entry[string], zoneOn func(timeline.Date) *timeline.Zone) []owned {
	made := make([]owned, len(list))
	for i, e := range list {
		made[i] = owned{e.value, e.window(zoneOn)}
	}
	return made
}

// owner is a team that owns some one name during a window.
type owner struct {
	team   string
	window timeline.Window
}

// ownerAt is the first of the owners, who are in file order; "" where nobody is.
func ownerAt(owners []owner, at timeline.Millis) string {
	for _, o := range owners {
		if o.window.Start <= at && at < o.window.End {
			return o.team
		}
	}
	return ""
}

func (c *Catalog) ownersOf(of func(*placed) []owned, match func(pattern string) bool) []owner {
	var owners []owner
	for _, t := range c.order {
		for _, o := range of(t) {
			if match(o.pattern) {
				owners = append(owners, owner{t.name, o.window})
			}
		}
	}
	return owners
}

func (c *Catalog) repositoryOwner(repository string, at timeline.Millis) string {
	return ownerAt(c.owners.get(repository, func(repository string) []owner {
		name := strings.ToLower(repository)
		return c.ownersOf(func(t *placed) []owned { return t.repositories }, func(glob string) bool { return globMatch(glob, name) })
	}), at)
}

func (c *Catalog) projectOwner(project string, at timeline.Millis) string {
	return ownerAt(c.projects.get(project, func(project string) []owner {
		name := strings.ToLower(project)
		return c.ownersOf(func(t *placed) []owned { return t.jira }, func(p string) bool { return wild(p, name) })
	}), at)
}

// serviceOwner is the team that names a service, by the catalog's name of it or
// by what a payload calls it.
func (c *Catalog) serviceOwner(service, called string, at timeline.Millis) string {
	return ownerAt(c.deployers.get([2]string{service, called}, func(names [2]string) []owner {
		return c.ownersOf(func(t *placed) []owned { return t.services }, func(p string) bool {
			return slices.ContainsFunc(names[:], func(name string) bool { return name != "" && wild(p, strings.ToLower(name)) })
		})
	}), at)
}

// Home is the team of the entity that an event is about: the first of the file
// that owns it at its creation. Where nobody does, a repository is its own team,
// and so is a Jira project. A deployment belongs to the team that names its
// service, else to the owner of the repository that its payload names, else to
// the repository, else to its service.
func (c *Catalog) Home(e event.Event) string {
	at := createdOr(&e)
	scope := &e.Scope
	if e.Deployment != nil {
		return c.deploymentHome(&e, at)
	}
	if scope.Project != "" {
		return or(c.projectOwner(scope.Project, at), scope.Project)
	}
	if scope.Repository != "" {
		return or(c.repositoryOwner(scope.Repository, at), scope.Repository)
	}
	if e.Issue != nil && scope.Service != "" { // an incident of a monitoring system's
		service := or(c.knownAs(scope.Service, at), scope.Service)
		return c.serviceHome(service, scope.Service, at, service)
	}
	return or(scope.Name, scope.Provider)
}

// serviceHome is the team of a service, or other where nobody has it.
func (c *Catalog) serviceHome(service, called string, at timeline.Millis, other string) string {
	if team := c.serviceOwner(service, called, at); team != "" {
		return team
	}
	if s, ok := c.services[service]; ok {
		if team := c.describedOwner(s, at); team != "" {
			return team
		}
	}
	return other
}

func (c *Catalog) deploymentHome(e *event.Event, at timeline.Millis) string {
	scope := &e.Scope
	service := c.Service(*e)
	if team := c.serviceOwner(service, scope.Service, at); team != "" {
		return team
	}
	if scope.Repository != "" {
		return or(c.repositoryOwner(scope.Repository, at), scope.Repository)
	}
	return c.serviceHome(service, scope.Service, at, or(service, or(scope.Name, scope.Provider)))
}

// describedOwner is the team that owns the first repository of a service's
// description that names one and is owned.
func (c *Catalog) describedOwner(s *located, at timeline.Millis) string {
	for _, o := range s.repositories {
		if o.at(at) && literal(o.pattern) {
			if team := c.repositoryOwner(o.pattern, at); team != "" {
				return team
			}
		}
	}
	return ""
}

// References are the other teams that need to know of an event, sorted. Pushes
// and merges of a repository go to the teams of its services: all of them, since
// a push that touches none of a service's paths still is part of the order in
// which its commits follow each other. Deployments go to the teams of the
// repositories that they may come from, whose pull requests they deploy. An issue
// goes to the team of the service whose incident it would be.
func (c *Catalog) References(e event.Event, home string) []string {
	var teams []string
	add := func(team string) {
		if team != "" && team != home {
			teams = append(teams, team)
		}
	}
	owner := func(s *located) { add(or(c.serviceOwner(s.name, "", e.Time), c.describedOwner(s, e.Time))) }
	switch {
	case e.Push != nil, e.Kind == event.PullRequestMerged:
		for _, s := range c.servicesIn(e.Scope.Repository, e.Time) {
			owner(s)
		}
	case e.Deployment != nil:
		if e.Scope.Repository != "" {
			add(or(c.repositoryOwner(e.Scope.Repository, e.Time), e.Scope.Repository))
		}
		if service := c.Service(e); service != "" {
			c.repositoriesOf(service, e.Time, func(repository string) { add(or(c.repositoryOwner(repository, e.Time), repository)) })
		}
	case e.Issue != nil:
		if service := c.incidentService(&e); service != "" {
			add(c.serviceOwner(service, "", e.Time))
		}
		for _, s := range c.incidentServices(e.Scope.Project).located {
			if s.hasIncident(e.Issue.Components) {
				owner(s)
			}
		}
	}
	slices.Sort(teams)
	return slices.Compact(teams)
}

// repositoriesOf yields the repositories that a service's description names in
// full: which a pattern stands for nobody can list.
func (c *Catalog) repositoriesOf(service string, at timeline.Millis, yield func(repository string)) {
	for _, s := range c.located {
		if s.name != service {
			continue
		}
		for _, o := range s.repositories {
			if o.at(at) && literal(o.pattern) {
				yield(o.pattern)
			}
		}
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
