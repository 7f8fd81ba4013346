package catalog

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// defaultLink is how long before an incident a deployment may have caused it.
const defaultLink = timeline.Day

// incidentRules say which issues are incidents, and when one is over.
type incidentRules struct {
	types, labels, resolved []string // in lower case
	link                    timeline.Millis
}

func (i *incidentRules) read(c *content, r *reader, n *yaml.Node) {
	list := func(name, what string, to *[]string) field {
		return field{name, func(n *yaml.Node) {
			for _, s := range r.texts(n, what) {
				*to = append(*to, fold(s))
			}
		}}
	}
	r.mapping(n, "incidents",
		list("types", "an issue type", &i.types),
		list("labels", "a label", &i.labels),
		list("resolved", "a status", &i.resolved),
		field{"link_window", func(n *yaml.Node) {
			s, ok := r.text(n, "link_window")
			if !ok || !c.once(r, n, "link_window") {
				return
			}
			length, err := timeline.ParseLength(s)
			if err != nil {
				r.problem(n, "link_window: %s", sentence(err))
				return
			}
			i.link = length
		}})
}

// Incident reports an issue of one of the catalog's incident types, or with one
// of its labels, or of a source that knows nothing but incidents. Without either
// in the catalog nothing else is one.
func (c *Catalog) Incident(i *event.Issue) bool {
	if i == nil {
		return false
	}
	rules := &c.content.incidents
	return i.IsIncident || slices.Contains(rules.types, fold(i.Type)) || anyFold(rules.labels, i.Labels)
}

// HasIncidents reports whether the catalog says where the incidents of a service
// are, and what an incident is. Without that nobody can tell a service that does
// not fail from one of which nothing is heard.
func (c *Catalog) HasIncidents(service string) bool {
	s := c.services[service]
	return s != nil && s.project != "" && len(c.content.incidents.types)+len(c.content.incidents.labels) > 0
}

// Over reports whether an incident with this status is over: done, or one of the
// catalog's resolved statuses, such as Mitigated.
func (c *Catalog) Over(s event.Status) bool {
	return slices.Contains(c.content.incidents.resolved, fold(s.Name)) || c.Category(s) == event.CategoryDone
}

// LinkWindow is how long before an incident's start a deployment can have caused
// it.
func (c *Catalog) LinkWindow() timeline.Millis {
	if _, ok := c.content.said["link_window"]; ok {
		return c.content.incidents.link
	}
	return defaultLink
}

// fold is a name for comparing without regard to case.
func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// anyFold reports whether one of names is in a list of folded ones.
func anyFold(folded, names []string) bool {
	return len(folded) > 0 && slices.ContainsFunc(names, func(s string) bool { return slices.Contains(folded, fold(s)) })
}
