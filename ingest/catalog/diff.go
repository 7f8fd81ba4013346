package catalog

import (
	"fmt"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Change is one thing that is otherwise in another catalog.
type Change struct {
	What string `json:"what"`           // organization, team, person, service, repository, project, deployment, order
	Name string `json:"name"`           // of it
	From string `json:"from,omitempty"` // of what moves: its team before; "" where it is new
	To   string `json:"to,omitempty"`   // and after; "" where it is gone
	Text string `json:"text"`           // the change as a sentence
}

// Seen is what has been seen of an organisation, in whose terms people want to
// know what a new catalog changes.
type Seen struct {
	Repositories []string // full names
	Projects     []string // Jira's keys
	Services     []string // as deploy systems call them
}

// Diff says what differs between two catalogs, as they are at an instant: what
// the organisation says, teams, people and services that come, go or change, and
// which of what has been seen moves to another team. What differs in the past
// alone is said to be so.
func Diff(old, now *Catalog, at timeline.Millis, seen Seen) []Change {
	d := &diff{old: old, now: now, at: at, before: old.On(old.Today(at)), after: now.On(now.Today(at))}
	d.organization()
	d.teams()
	d.people()
	d.services()
	d.moves(seen)
	return d.changes
}

type diff struct {
	old, now      *Catalog
	at            timeline.Millis
	before, after View
	changes       []Change
}

func (d *diff) add(what, name, from, to, format string, args ...any) {
	d.changes = append(d.changes, Change{what, name, from, to, fmt.Sprintf(format, args...)})
}

func (d *diff) organization() {
	before, after := d.old.content.organizationTexts(), d.now.content.organizationTexts()
	for i := range before {
		if before[i].text != after[i].text {
			d.add("organization", before[i].name, "", "", "the organisation's %s: changed", before[i].name)
		}
	}
	if d.before.Zone != d.after.Zone {
		last := &d.changes[0] // zone is the first of them
		if last.Name == "zone" {
			last.From, last.To, last.Text = d.before.Zone, d.after.Zone, fmt.Sprintf("the organisation's zone is %s, and was %s", d.after.Zone, d.before.Zone)
		}
	}
}

// pairs puts things of one kind by name: those of both files in the order of the
// new one, and then those that are gone.
func pairs[T any](old, now []T, name func(T) string, pair func(old, now *T)) {
	for i := range now {
		at := slices.IndexFunc(old, func(t T) bool { return name(t) == name(now[i]) })
		if at < 0 {
			pair(nil, &now[i])
		} else {
			pair(&old[at], &now[i])
		}
	}
	for i := range old {
		if !slices.ContainsFunc(now, func(t T) bool { return name(t) == name(old[i]) }) {
			pair(&old[i], nil)
		}
	}
}

func (d *diff) teams() {
	pairs(d.before.Teams, d.after.Teams, func(t ViewTeam) string { return t.Name }, func(old, now *ViewTeam) {
		switch {
		case old == nil:
			d.add("team", now.Name, "", now.Name, "team %s is new", now.Name)
			return
		case now == nil:
			d.add("team", old.Name, old.Name, "", "team %s is gone; what it owned goes to the next team that matches, or is a team of its own", old.Name)
			return
		}
		var words []string
		words = said(words, "group", old.Group, now.Group)
		words = said(words, "zone", old.Zone, now.Zone)
		words = otherwise(words, "hours", old.Hours, now.Hours)
		words = otherwise(words, "weekend", old.Weekend, now.Weekend)
		words = said(words, "holidays", old.Holidays, now.Holidays)
		words = lists(words, "repositories", old.Repositories, now.Repositories)
		words = lists(words, "jira", old.Jira, now.Jira)
		words = lists(words, "services", old.Services, now.Services)
		d.changed("team", now.Name, words, d.old.teams[old.Name].team.text() != d.now.teams[now.Name].team.text())
	})
	if before, after := common(d.before, d.after); !slices.Equal(before, after) {
		d.add("order", "teams", strings.Join(before, ", "), strings.Join(after, ", "), "the teams stand in another order, and the first that matches owns")
	}
}

// common gives the teams of both, each in its order.
func common(before, after View) (a, b []string) {
	in := func(v View, name string) bool {
		return slices.ContainsFunc(v.Teams, func(t ViewTeam) bool { return t.Name == name })
	}
	for _, t := range before.Teams {
		if in(after, t.Name) {
			a = append(a, t.Name)
		}
	}
	for _, t := range after.Teams {
		if in(before, t.Name) {
			b = append(b, t.Name)
		}
	}
	return a, b
}

func (d *diff) people() {
	text := func(c *Catalog, name string) string {
		return c.byID[c.personID(name)].text()
	}
	pairs(d.before.People, d.after.People, func(p ViewPerson) string { return p.Name }, func(old, now *ViewPerson) {
		switch {
		case old == nil:
			d.add("person", now.Name, "", strings.Join(now.Teams, ", "), "%s is new%s", now.Name, inTeams(now.Teams))
			return
		case now == nil:
			d.add("person", old.Name, strings.Join(old.Teams, ", "), "", "%s is gone; their accounts are people of their own, who work for the team of what they touch", old.Name)
			return
		}
		if !slices.Equal(old.Teams, now.Teams) {
			d.add("person", now.Name, strings.Join(old.Teams, ", "), strings.Join(now.Teams, ", "), "%s moves from %s to %s", now.Name, orNone(old.Teams), orNone(now.Teams))
		}
		var words []string
		words = said(words, "zone", old.Zone, now.Zone)
		words = otherwise(words, "hours", old.Hours, now.Hours)
		words = otherwise(words, "weekend", old.Weekend, now.Weekend)
		words = said(words, "holidays", old.Holidays, now.Holidays)
		words = lists(words, "github", old.GitHub, now.GitHub)
		words = lists(words, "jira", old.Jira, now.Jira)
		words = lists(words, "emails", old.Emails, now.Emails)
		d.changed("person", now.Name, words, slices.Equal(old.Teams, now.Teams) && text(d.old, old.Name) != text(d.now, now.Name))
	})
}

func (d *diff) services() {
	pairs(d.before.Services, d.after.Services, func(s ViewService) string { return s.Name }, func(old, now *ViewService) {
		switch {
		case old == nil:
			d.add("service", now.Name, "", now.Name, "service %s is described", now.Name)
			return
		case now == nil:
			d.add("service", old.Name, old.Name, "", "service %s is described no more", old.Name)
			return
		}
		var words []string
		words = lists(words, "repositories", old.Repositories, now.Repositories)
		words = lists(words, "paths", old.Paths, now.Paths)
		words = lists(words, "deploys", old.Deploys, now.Deploys)
		words = said(words, "incidents' project", old.Incidents.Jira, now.Incidents.Jira)
		words = lists(words, "components", old.Incidents.Components, now.Incidents.Components)
		d.changed("service", now.Name, words, d.old.services[old.Name].text() != d.now.services[now.Name].text())
	})
}

// changed says what differs now, else that something differs at another time.
func (d *diff) changed(what, name string, words []string, atSomeTime bool) {
	switch {
	case len(words) > 0:
		d.add(what, name, "", "", "%s %s: %s", what, name, strings.Join(words, "; "))
	case atSomeTime:
		d.add(what, name, "", "", "%s %s: the same today, and otherwise at other dates", what, name)
	}
}

// moves says what of that which has been seen would belong to another team, if it
// came into being now.
func (d *diff) moves(seen Seen) {
	move := func(what string, names []string, e func(string) event.Event) {
		for _, name := range sortedTexts(names) {
			x := e(name)
			x.Created = d.at
			from, to := d.old.Home(x), d.now.Home(x)
			if from != to {
				d.add(what, name, from, to, "%s %s moves from team %s to team %s", what, name, from, to)
			}
		}
	}
	move("repository", seen.Repositories, func(name string) event.Event { return event.Event{Scope: event.Scope{Repository: name}} })
	move("project", seen.Projects, func(name string) event.Event { return event.Event{Scope: event.Scope{Project: name}} })
	move("deployment", seen.Services, func(name string) event.Event {
		return event.Event{Source: event.Deploy, Deployment: &event.Deployment{}, Scope: event.Scope{Service: name}}
	})
}

func said(words []string, what, old, now string) []string {
	switch {
	case old == now:
	case old == "":
		words = append(words, fmt.Sprintf("%s is %s", what, now))
	case now == "":
		words = append(words, fmt.Sprintf("%s is no longer %s", what, old))
	default:
		words = append(words, fmt.Sprintf("%s is %s, and was %s", what, now, old))
	}
	return words
}

func otherwise(words []string, what string, old, now any) []string {
	if fmt.Sprint(old) != fmt.Sprint(now) {
		words = append(words, what+" change")
	}
	return words
}

// lists says what a list has more and what less.
func lists(words []string, what string, old, now []string) []string {
	without := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
	}
	if more := without(now, old); len(more) > 0 {
		words = append(words, what+" also "+strings.Join(more, ", "))
	}
	if less := without(old, now); len(less) > 0 {
		words = append(words, what+" without "+strings.Join(less, ", "))
	}
	return words
}

func inTeams(teams []string) string {
	if len(teams) == 0 {
		return ", in no team"
	}
	return ", in " + strings.Join(teams, ", ")
}

func orNone(teams []string) string {
	if len(teams) == 0 {
		return "no team"
	}
	return strings.Join(teams, ", ")
}
