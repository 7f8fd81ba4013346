package catalog

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"
)

// service is a service as the file has it.
type service struct {
	place        place
	name         string
	repositories []entry[string] // globs, in lower case
	paths        []entry[string] // globs
	deploys      []entry[string] // patterns, in lower case
	project      string          // Jira project of its incidents, in lower case
	components   []string
}

// located is a service with all that is made of its dates, which are local to the
// organisation's zone: a service has none of its own, and its team may change.
type located struct {
	*service
	repositories, paths, deploys []owned
}

func (c *content) readService(r *reader, n *yaml.Node) {
	s := &service{place: r.at(n)}
	name, isNamed := r.nameField("a service", &s.name)
	ok := r.mapping(n, "a service",
		name,
		field{"repositories", func(n *yaml.Node) { s.repositories = r.globs(n, "a repository") }},
		field{"paths", func(n *yaml.Node) {
			s.paths = readList(r, n, "a path", r.valid)
			for i := range s.paths {
				s.paths[i].value = strings.TrimPrefix(s.paths[i].value, "/")
			}
		}},
		field{"deploys", func(n *yaml.Node) { s.deploys = lower(readList(r, n, "what a deploy system calls it", anything)) }},
		field{"incidents", func(n *yaml.Node) {
			r.mapping(n, "incidents of a service",
				field{"jira", func(n *yaml.Node) {
					project, _ := r.text(n, "a Jira project")
					s.project = fold(project)
				}},
				field{"components", func(n *yaml.Node) {
					for _, component := range r.texts(n, "a component") {
						s.components = append(s.components, fold(component))
					}
				}})
		}})
	if !ok || !isNamed(n, "checkout") {
		return
	}
	for _, other := range c.services {
		if other.name == s.name {
			r.problem(n, "service %s is in %s already; join the two, or give one another name", s.name, other.place)
			return
		}
	}
	c.services = append(c.services, s)
}

// globs reads globs over full names, in lower case.
func (r *reader) globs(n *yaml.Node, what string) []entry[string] {
	return lower(readList(r, n, what, r.valid))
}

func (r *reader) valid(n *yaml.Node, glob string) bool {
	if !doublestar.ValidatePattern(glob) {
		r.problem(n, "%q is no pattern; write a name, with * for any run of characters, ** across /", glob)
		return false
	}
	return true
}

func lower(list []entry[string]) []entry[string] {
	for i := range list {
		list[i].value = strings.ToLower(list[i].value)
	}
	return list
}
