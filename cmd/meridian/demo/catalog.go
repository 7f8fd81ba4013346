package demo

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"meridian/streaming/timeline"
)

// Catalog returns the organisation's catalog, as YAML. Its dates depend on now.
func (o *Organisation) Catalog() []byte {
	c := newCast()
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Who works at Quillhaven, an organisation that does not exist. `meridian demo` made it up.")
	line("zone: %s", berlin)
	line(`hours: "09:00-18:00"`)
	line("weekend: [sat, sun]")
	line("holidays: {founders: [%s]}", o.holiday())
	line(`production: ["prod*", production, live]`)
	line(`bots: ["*-ci"]`)
	line("incidents: {types: [Incident], labels: [incident], resolved: [Mitigated], link_window: 24h}")
	line("statuses: {in_progress: [In Review, Investigating], done: [Closed]}")
	line("teams:")
	for _, t := range c.teams {
		var repositories, services []string
		for _, r := range t.repositories {
			repositories = append(repositories, r.name)
		}
		for _, s := range t.services {
			services = append(services, s.name)
		}
		projects := t.project
		if t.name == platform {
			projects += ", OPS"
		}
		line("  - {name: %s, group: %s, zone: %s, hours: %q, holidays: founders, repositories: [%s], jira: [%s], services: [%s]}",
			t.name, t.group, t.zone, t.hours, strings.Join(repositories, ", "), projects, strings.Join(services, ", "))
	}
	line("people:")
	for _, p := range c.people {
		if p.known {
			line("  - {name: %s, github: [%s], jira: [%q], emails: [%s], zone: %s, teams: %s%s}",
				p.name, p.login, p.account, p.email, p.zone, o.memberships(p), p.hoursField())
		}
	}
	line("services:")
	for _, s := range c.services {
		paths, deploys := "", ""
		if s.paths != "" {
			paths = fmt.Sprintf(", paths: [%q]", s.paths+"**")
		}
		if s.called != "" {
			deploys = fmt.Sprintf(", deploys: [%q]", s.called)
		}
		line("  - {name: %s, repositories: [%s]%s%s, incidents: {jira: OPS, components: [%s]}}", s.name, s.repository.name, paths, deploys, s.component)
	}
	return b.Bytes()
}

// memberships of the one who moves have dates; the days are those of their zone.
func (o *Organisation) memberships(p *person) string {
	if p.moved == "" {
		return "[" + p.team + "]"
	}
	d := p.zone.Date(o.moved())
	return fmt.Sprintf("[{team: %s, to: %s}, {team: %s, from: %s}]", p.team, d.AddDays(-1), p.moved, d)
}

func (p *person) hoursField() string {
	switch {
	case p.hours == "":
		return ""
	case strings.HasPrefix(p.hours, "{"):
		return ", hours: " + p.hours
	}
	return fmt.Sprintf(", hours: %q", p.hours)
}

// moved is when somebody changes teams.
func (o *Organisation) moved() timeline.Millis { return o.start + 60*timeline.Day }

// holiday is the day on which nobody works, or nearly nobody: a Thursday in the
// fifth week.
func (o *Organisation) holiday() timeline.Date {
	d := mustZone(berlin).Date(o.start + 30*timeline.Day)
	for d.Weekday() != time.Thursday {
		d = d.AddDays(1)
	}
	return d
}
