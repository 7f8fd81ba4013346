package catalog

import (
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// serviceQuestion is all that the service of a deployment depends on.
type serviceQuestion struct {
	github     bool
	service    string // as the payload has it
	task       string // GitHub's
	repository string
	named      bool            // only where the catalog names the task
	at         timeline.Millis // 0 where no service has dates, so that one answer does for all
}

// Service is the service that an event is about, "" where nothing names one.
//
// Of a deployment it is what its payload names, by the catalog's name where that
// knows it; GitHub's may name none, then it is what the catalog makes of the
// task, else the one service of the repository, else the repository. What need
// not be a deployment (a workflow's run, a release) is one where the catalog
// knows its task, and is nobody's elsewhere. Of an issue
// it is the service whose incident it would be.
func (c *Catalog) Service(e event.Event) string {
	switch {
	case e.Deployment != nil:
		q := serviceQuestion{service: or(e.Scope.Service, e.Deployment.OriginalService)}
		if c.datedServices {
			q.at = createdOr(&e)
			return c.deployedService(q.of(&e)) // kept by name it would be kept for every instant
		}
		return c.serviceNames.get(q.of(&e), c.deployedService)
	case e.Issue != nil:
		return c.incidentService(&e)
	}
	return ""
}

// of fills in what only GitHub's deployments are asked for.
func (q serviceQuestion) of(e *event.Event) serviceQuestion {
	if e.Source == event.GitHub {
		q.github, q.repository, q.task, q.named = true, e.Scope.Repository, e.Deployment.Task, e.Deployment.OnlyIfNamed
	}
	return q
}

func (c *Catalog) deployedService(q serviceQuestion) string {
	if q.service != "" {
		return or(c.knownAs(q.service, q.at), q.service)
	}
	if !q.github {
		return ""
	}
	if q.named {
		return c.namedTask(strings.ToLower(q.task), q.at)
	}
	if q.task != "" {
		if name := c.knownAs(q.task, q.at); name != "" {
			return name
		}
	}
	if in := c.servicesIn(q.repository, q.at); len(in) == 1 {
		return in[0].name
	}
	return q.repository
}

// namedTask is the service of which a pattern says in so many words that the
// task, workflow/NAME or release/TAG, deploys it: that checkout-* or * matches is
// no reason to take every run of a workflow for a deployment.
func (c *Catalog) namedTask(task string, at timeline.Millis) string {
	kind, _, _ := strings.Cut(task, "/")
	for _, s := range c.located {
		if slices.ContainsFunc(s.deploys, func(o owned) bool {
			return (o.pattern == kind || strings.HasPrefix(o.pattern, kind+"/")) && o.at(at) && (o.pattern == kind || wild(o.pattern, task))
		}) {
			return s.name
		}
	}
	return ""
}

// knownAs is the catalog's service that a deploy system calls so: the one of that
// name, else the first with a pattern for it.
func (c *Catalog) knownAs(called string, at timeline.Millis) string {
	if _, ok := c.services[called]; ok {
		return called
	}
	for _, s := range c.content.services {
		if strings.EqualFold(s.name, called) {
			return s.name
		}
	}
	called = strings.ToLower(called)
	for _, s := range c.located {
		if slices.ContainsFunc(s.deploys, func(o owned) bool { return o.at(at) && wild(o.pattern, called) }) {
			return s.name
		}
	}
	return ""
}

// servicesIn are the services that live in a repository at an instant, in file
// order.
func (c *Catalog) servicesIn(repository string, at timeline.Millis) []*located {
	if repository == "" || len(c.located) == 0 {
		return nil
	}
	ever := c.inRepository.get(repository, func(repository string) []*located {
		name := strings.ToLower(repository)
		return c.locatedWhere(func(o owned) bool { return globMatch(o.pattern, name) })
	})
	if !c.datedServices || len(ever) == 0 {
		return ever
	}
	name := strings.ToLower(repository)
	return c.locatedWhere(func(o owned) bool { return o.at(at) && globMatch(o.pattern, name) })
}

func (c *Catalog) locatedWhere(match func(owned) bool) (in []*located) {
	for _, s := range c.located {
		if slices.ContainsFunc(s.repositories, match) {
			in = append(in, s)
		}
	}
	return in
}

// Touched are the services of a repository that a push with these paths touches,
// in file order. A service without paths is touched by every push, and all are
// by a push whose paths are not known.
func (c *Catalog) Touched(repository string, paths []string, at timeline.Millis) []string {
	var names []string
	c.touched(repository, paths, at, func(s *located) { names = append(names, s.name) })
	return names
}

func (c *Catalog) touched(repository string, paths []string, at timeline.Millis, yield func(*located)) {
	for _, s := range c.servicesIn(repository, at) {
		if s.touchedBy(paths, at) {
			yield(s)
		}
	}
}

// touchedBy reports whether a push with these paths touches a service: also one
// that has no paths at that time, and every service where those of the push are
// not known.
func (s *located) touchedBy(paths []string, at timeline.Millis) bool {
	some := len(paths) == 0
	limited := false
	for _, o := range s.paths {
		if o.at(at) {
			limited = true
			some = some || slices.ContainsFunc(paths, func(path string) bool { return globMatch(o.pattern, path) })
		}
	}
	return some || !limited
}

// incidentServices are those whose incidents are issues of one project, in file order.
type incidentServices struct {
	all     []*service
	located []*located
}

func (c *Catalog) incidentServices(project string) incidentServices {
	return c.inProject.get(project, func(project string) (in incidentServices) {
		name := fold(project)
		if name == "" {
			return in
		}
		for _, s := range c.content.services {
			if s.project == name {
				in.all = append(in.all, s)
			}
		}
		for _, s := range c.located {
			if s.project == name {
				in.located = append(in.located, s)
			}
		}
		return in
	})
}

// hasIncident is asked of services of the issue's project.
func (s *service) hasIncident(components []string) bool {
	return len(s.components) == 0 || anyFold(s.components, components)
}

// incidentService asks, in this order: the services described with the issue's
// project and component, a component with a service's name, a label service:NAME,
// the team's only service.
func (c *Catalog) incidentService(e *event.Event) string {
	components := or2(e.Issue.Components, e.Scope.Components)
	in := c.incidentServices(e.Scope.Project).all
	for _, s := range in {
		if len(s.components) > 0 && s.hasIncident(components) {
			return s.name
		}
	}
	for _, s := range in {
		if s.hasIncident(components) {
			return s.name
		}
	}
	for _, component := range components {
		for _, name := range c.names {
			if strings.EqualFold(name, component) {
				return name
			}
		}
	}
	for _, label := range or2(e.Issue.Labels, e.Scope.Labels) {
		if name, ok := strings.CutPrefix(label, "service:"); ok && name != "" {
			return or(c.knownAs(name, createdOr(e)), name)
		}
	}
	if t, ok := c.teams[c.Home(*e)]; ok && len(t.team.services) == 1 && literal(t.team.services[0].value) {
		return t.team.services[0].value
	}
	return ""
}

func or2(a, b []string) []string {
	if len(a) > 0 {
		return a
	}
	return b
}
