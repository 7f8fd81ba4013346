package catalog

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// View is the catalog as it is on one local date: every value that has dates is
// the one that holds then. Written as YAML it is a catalog itself.
type View struct {
	Zone       string        `json:"zone" yaml:"zone"`
	Hours      any           `json:"hours,omitempty" yaml:"hours,omitempty"` // a text, or texts by weekday
	Weekend    []string      `json:"weekend,omitempty" yaml:"weekend,omitempty,flow"`
	Holidays   string        `json:"holidays,omitempty" yaml:"-"` // the name of the organisation's
	Calendars  ViewCalendars `json:"calendars,omitempty" yaml:"holidays,omitempty"`
	Production []string      `json:"production" yaml:"production,flow"`
	Bots       []string      `json:"bots,omitempty" yaml:"bots,omitempty,flow"`
	Incidents  ViewIncidents `json:"incidents" yaml:"incidents"`
	Statuses   ViewStatuses  `json:"statuses,omitzero" yaml:"statuses,omitempty"`
	Teams      []ViewTeam    `json:"teams" yaml:"teams,omitempty"`
	People     []ViewPerson  `json:"people" yaml:"people,omitempty"`
	Services   []ViewService `json:"services" yaml:"services,omitempty"`
}

// ViewCalendars are in the order of the file, which decides whose the
// organisation's is.
type ViewCalendars []ViewCalendar

// ViewCalendar is holidays with a name: dates, a calendar of the library, or both.
type ViewCalendar struct {
	Name string `json:"name"`
	Days any    `json:"days"`
}

// MarshalYAML writes a mapping that keeps its order.
func (cs ViewCalendars) MarshalYAML() (any, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, c := range cs {
		value := &yaml.Node{}
		if err := value.Encode(c.Days); err != nil {
			return nil, err
		}
		value.Style = yaml.FlowStyle
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: c.Name}, value)
	}
	return n, nil
}

// ViewIncidents says which issues are incidents.
type ViewIncidents struct {
	Types      []string `json:"types,omitempty" yaml:"types,omitempty,flow"`
	Labels     []string `json:"labels,omitempty" yaml:"labels,omitempty,flow"`
	Resolved   []string `json:"resolved,omitempty" yaml:"resolved,omitempty,flow"`
	LinkWindow string   `json:"link_window" yaml:"link_window"`
}

// ViewStatuses are names of one's own by what they mean.
type ViewStatuses struct {
	ToDo       []string `json:"to_do,omitempty" yaml:"to_do,omitempty,flow"`
	InProgress []string `json:"in_progress,omitempty" yaml:"in_progress,omitempty,flow"`
	Done       []string `json:"done,omitempty" yaml:"done,omitempty,flow"`
}

// ViewTeam is a team. Zone and hours are those that it works by, whoever says so.
type ViewTeam struct {
	Name         string   `json:"name" yaml:"name"`
	Group        string   `json:"group,omitempty" yaml:"group,omitempty"`
	Zone         string   `json:"zone" yaml:"zone"`
	Hours        any      `json:"hours,omitempty" yaml:"hours,omitempty"`
	Weekend      []string `json:"weekend,omitempty" yaml:"weekend,omitempty,flow"`
	Holidays     string   `json:"holidays,omitempty" yaml:"holidays,omitempty"`
	Repositories []string `json:"repositories,omitempty" yaml:"repositories,omitempty,flow"`
	Jira         []string `json:"jira,omitempty" yaml:"jira,omitempty,flow"`
	Services     []string `json:"services,omitempty" yaml:"services,omitempty,flow"`
	People       []string `json:"people,omitempty" yaml:"-"`

	Targets map[string]string `json:"targets,omitempty" yaml:"targets,omitempty,flow"`
}

// ViewPerson is a person.
type ViewPerson struct {
	Name     string   `json:"name" yaml:"name"`
	GitHub   []string `json:"github,omitempty" yaml:"github,omitempty,flow"`
	Jira     []string `json:"jira,omitempty" yaml:"jira,omitempty,flow"`
	Emails   []string `json:"emails,omitempty" yaml:"emails,omitempty,flow"`
	Zone     string   `json:"zone,omitempty" yaml:"zone,omitempty"` // their own
	Hours    any      `json:"hours,omitempty" yaml:"hours,omitempty"`
	Weekend  []string `json:"weekend,omitempty" yaml:"weekend,omitempty,flow"`
	Holidays string   `json:"holidays,omitempty" yaml:"holidays,omitempty"`
	Teams    []string `json:"teams,omitempty" yaml:"teams,omitempty,flow"`
}

// ViewService is a service.
type ViewService struct {
	Name         string            `json:"name" yaml:"name"`
	Repositories []string          `json:"repositories,omitempty" yaml:"repositories,omitempty,flow"`
	Paths        []string          `json:"paths,omitempty" yaml:"paths,omitempty,flow"`
	Deploys      []string          `json:"deploys,omitempty" yaml:"deploys,omitempty,flow"`
	Incidents    ViewServiceIssues `json:"incidents,omitzero" yaml:"incidents,omitempty"`
}

// ViewServiceIssues says where the incidents of a service are.
type ViewServiceIssues struct {
	Jira       string   `json:"jira,omitempty" yaml:"jira,omitempty"`
	Components []string `json:"components,omitempty" yaml:"components,omitempty,flow"`
}

// On is the catalog on a date.
func (c *Catalog) On(d timeline.Date) View {
	at := func(e entry[string]) bool { return e.holds(d) }
	v := View{
		Zone: c.zonedOn(d, []dated[*timeline.Zone]{c.content.zone}).zone.Name(), Production: held(c.content.production, at), Bots: c.content.bots,
		Incidents: ViewIncidents{c.content.incidents.types, c.content.incidents.labels, c.content.incidents.resolved, timeline.FormatLength(c.LinkWindow())},
	}
	if !c.content.hasProduction {
		for _, p := range defaultProduction {
			v.Production = append(v.Production, p.pattern)
		}
	}
	v.Hours, v.Weekend, _ = level{hours: c.content.hours, weekend: c.content.weekend}.on(d)
	if c.organization != nil {
		v.Holidays = c.organization.name
	}
	for _, h := range c.content.holidays {
		if !h.adopted {
			v.Calendars = append(v.Calendars, ViewCalendar{h.name, h.view()})
		}
	}
	for _, s := range c.content.statuses {
		v.Statuses.add(s)
	}
	for _, p := range c.content.people {
		v.People = append(v.People, p.on(d))
	}
	for _, t := range c.order {
		w := ViewTeam{Name: t.name, Zone: c.zonedOn(d, []dated[*timeline.Zone]{t.zone, c.content.zone}).zone.Name(),
			Repositories: held(t.team.repositories, at), Jira: projectKeys(held(t.team.jira, at)), Services: held(t.team.services, at)}
		w.Group, _ = t.group.on(d)
		w.Hours, w.Weekend, w.Holidays = levelOf(t.team).on(d)
		for _, target := range t.team.targetsOn(d) {
			if w.Targets == nil {
				w.Targets = map[string]string{}
			}
			w.Targets[target.Metric] = target.Text
		}
		for _, p := range v.People {
			if slices.Contains(p.Teams, t.name) {
				w.People = append(w.People, p.Name)
			}
		}
		v.Teams = append(v.Teams, w)
	}
	for _, s := range c.content.services {
		v.Services = append(v.Services, ViewService{s.name, held(s.repositories, at), held(s.paths, at), held(s.deploys, at), ViewServiceIssues{strings.ToUpper(s.project), s.components}})
	}
	return v
}

func (p *person) on(d timeline.Date) ViewPerson {
	v := ViewPerson{Name: p.name, GitHub: namesOf(p.github), Jira: namesOf(p.jira), Emails: namesOf(p.emails)}
	if z, ok := p.zone.on(d); ok {
		v.Zone = z.Name()
	}
	v.Hours, v.Weekend, v.Holidays = level{p.hours, p.weekend, p.holidays}.on(d)
	for _, m := range p.teams {
		if m.holds(d) && !slices.Contains(v.Teams, m.value.name) {
			v.Teams = append(v.Teams, m.value.name)
		}
	}
	return v
}

// on is what a level says for a date, as one writes it.
func (l level) on(d timeline.Date) (hours any, weekend []string, holidays string) {
	if h, ok := l.hours.on(d); ok {
		hours = h.view()
	}
	if w, ok := l.weekend.on(d); ok {
		weekend = []string{}
		for _, day := range weekdays {
			if w[day.day] {
				weekend = append(weekend, day.short)
			}
		}
	}
	if n, ok := l.holidays.on(d); ok {
		holidays = n.name
	}
	return hours, weekend, holidays
}

func (h hours) view() any {
	if h.days == nil {
		return timeline.FormatSpans(h.every)
	}
	days := map[string]string{}
	for _, w := range weekdays {
		if day := h.days[w.day]; day.named {
			days[w.short] = timeline.FormatSpans(day.spans)
		}
	}
	return days
}

func (c *calendar) view() any {
	list := []any{}
	for _, d := range c.sortedDates() {
		list = append(list, d.String())
	}
	if c.code == "" {
		return list
	}
	library := map[string]string{"calendar": c.code}
	if len(list) == 0 {
		return library
	}
	return append(list, library)
}

func (v *ViewStatuses) add(s statusRule) {
	switch s.category {
	case event.CategoryToDo:
		v.ToDo = append(v.ToDo, s.name)
	case event.CategoryInProgress:
		v.InProgress = append(v.InProgress, s.name)
	case event.CategoryDone:
		v.Done = append(v.Done, s.name)
	}
}

func held(list []entry[string], at func(entry[string]) bool) []string {
	var out []string
	for _, e := range list {
		if at(e) && !slices.Contains(out, e.value) {
			out = append(out, e.value)
		}
	}
	return out
}

// projectKeys are Jira's as Jira writes them, in capitals; they are kept in small
// letters, as they are compared.
func projectKeys(list []string) []string {
	for i := range list {
		list[i] = strings.ToUpper(list[i])
	}
	return list
}

func namesOf(list []named) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.name)
	}
	return out
}

// Today is the date on which an instant lies in the organisation's zone.
func (c *Catalog) Today(at timeline.Millis) timeline.Date { return c.TeamZone("", at).Date(at) }
