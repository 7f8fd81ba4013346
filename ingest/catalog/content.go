package catalog

import (
	"go.yaml.in/yaml/v3"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// content is what the files say, merged, before anything is made of it.
type content struct {
	zone     dated[*timeline.Zone]
	hours    dated[hours]
	weekend  dated[[7]bool]
	holidays []*calendar // in file order

	production    []entry[string] // patterns, in lower case
	hasProduction bool            // an empty list is one too: then nothing is production by its name
	bots          patterns
	incidents     incidentRules
	statuses      []statusRule

	teams    []*team
	people   []*person
	services []*service

	said map[string]place // the fields that may be said once
}

type statusRule struct {
	name     string // in lower case
	category event.StatusCategory
	place    place
}

// file reads one file's document into c.
func (c *content) file(r *reader, n *yaml.Node) {
	once := func(name string, read func(*yaml.Node)) field {
		return field{name, func(n *yaml.Node) {
			if c.once(r, n, name) {
				read(n)
			}
		}}
	}
	r.mapping(n, "a catalog",
		once("zone", func(n *yaml.Node) { c.zone = readDated(r, n, "zone", r.zone) }),
		once("hours", func(n *yaml.Node) { c.hours = readDated(r, n, "hours", r.hours) }),
		once("weekend", func(n *yaml.Node) { c.weekend = readDatedLists(r, n, "weekend", r.weekend) }),
		field{"holidays", func(n *yaml.Node) { c.readHolidays(r, n) }},
		field{"production", func(n *yaml.Node) {
			c.hasProduction = true
			c.production = append(c.production, lower(readList(r, n, "an environment", anything))...)
		}},
		field{"bots", func(n *yaml.Node) { c.bots = append(c.bots, newPatterns(r.texts(n, "a bot"))...) }},
		field{"incidents", func(n *yaml.Node) { c.incidents.read(c, r, n) }},
		field{"statuses", func(n *yaml.Node) { c.readStatuses(r, n) }},
		field{"teams", func(n *yaml.Node) { each(r, n, "teams", func(n *yaml.Node) { c.readTeam(r, n) }) }},
		field{"people", func(n *yaml.Node) { each(r, n, "people", func(n *yaml.Node) { c.readPerson(r, n) }) }},
		field{"services", func(n *yaml.Node) { each(r, n, "services", func(n *yaml.Node) { c.readService(r, n) }) }},
	)
}

// once reports a field of the organisation that another file of the folder, or
// the same one, has said already.
func (c *content) once(r *reader, n *yaml.Node, name string) bool {
	if first, ok := c.said[name]; ok {
		r.problem(n, "%s of the organisation is said already in %s; keep one", name, first)
		return false
	}
	if c.said == nil {
		c.said = map[string]place{}
	}
	c.said[name] = r.at(n)
	return true
}

func each(r *reader, n *yaml.Node, what string, read func(*yaml.Node)) {
	n = real(n)
	if n.Kind != yaml.SequenceNode {
		r.problem(n, "%s must be a list; begin each element with a dash, as in - name: web", what)
		return
	}
	for _, element := range n.Content {
		read(real(element))
	}
}

// readHolidays reads calendars by name.
func (c *content) readHolidays(r *reader, n *yaml.Node) {
	r.pairs(n, "holidays", func(key, value *yaml.Node) {
		if first := c.calendar(key.Value); first != nil {
			r.problem(key, "holidays %s are in %s already; keep one", key.Value, first.place)
			return
		}
		c.holidays = append(c.holidays, r.calendar(key.Value, value))
	})
}

func (c *content) calendar(name string) *calendar {
	for _, h := range c.holidays {
		if h.name == name {
			return h
		}
	}
	return nil
}

func (c *content) readStatuses(r *reader, n *yaml.Node) {
	category := func(name string, category event.StatusCategory) field {
		return field{name, func(n *yaml.Node) {
			for _, element := range r.elements(n) {
				s, ok := r.text(element, "a status")
				if !ok {
					continue
				}
				rule := statusRule{fold(s), category, r.at(element)}
				for _, other := range c.statuses {
					if other.name == rule.name && other.category != category {
						r.problem(element, "status %q is in another category in %s; keep one", s, other.place)
					}
				}
				c.statuses = append(c.statuses, rule)
			}
		}}
	}
	r.mapping(n, "statuses",
		category("to_do", event.CategoryToDo),
		category("in_progress", event.CategoryInProgress),
		category("done", event.CategoryDone))
}
