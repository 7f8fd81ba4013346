package demo

import (
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

func TestTheCatalogLoads(t *testing.T) {
	for name, o := range organisations(t) {
		c := catalogOf(t, o)
		if teams := c.TeamList(); len(teams) != 4 {
			t.Errorf("%s: %d teams", name, len(teams))
		}
		if services := c.Services(); len(services) < 8 {
			t.Errorf("%s: services %v", name, services)
		}
		zones, people := map[string]bool{}, 0
		for _, p := range newCast().people {
			found := c.Person(event.Account{Provider: "github", Login: p.login})
			again := c.Person(event.Account{Provider: "jira", Key: p.account, Login: p.account})
			if c.DisplayName(found.ID) != "" != p.known || p.known && found.ID != again.ID {
				t.Errorf("%s: %s is %q at GitHub and %q at Jira", name, p.name, c.DisplayName(found.ID), c.DisplayName(again.ID))
			}
			if p.known {
				people++
				zones[p.zone.Name()] = true
			}
		}
		if people < 25 || len(zones) < 5 {
			t.Errorf("%s: %d people in %d zones", name, people, len(zones))
		}
	}
}

func TestSomebodyChangesTeams(t *testing.T) {
	o := New(1, instant(t, "2026-03-02T09:30:00Z"))
	c := catalogOf(t, o)
	who := c.Person(event.Account{Provider: "github", Login: "tuan"}).ID
	// The catalog's days are whole ones in their zone.
	before, after := o.moved()-timeline.Day, o.moved()+timeline.Day
	if got := c.Teams(who, before); len(got) != 1 || got[0] != mobile {
		t.Errorf("before: %v", got)
	}
	if got := c.Teams(who, after); len(got) != 1 || got[0] != platform {
		t.Errorf("after: %v", got)
	}
}

// The hours with which this package plays are those that the catalog tells.
func TestHoursAreTheCatalogs(t *testing.T) {
	o := New(1, instant(t, "2026-03-02T09:30:00Z"))
	c := catalogOf(t, o)
	for _, p := range newCast().people {
		if !p.known {
			continue
		}
		id := c.Person(event.Account{Provider: "github", Login: p.login}).ID
		for d := p.zone.Date(o.start); d < p.zone.Date(o.now); d = d.AddDays(1) {
			if d == o.holiday() {
				if plan := c.PersonSchedule(id, p.team).On(d); plan.Kind != timeline.Holiday {
					t.Errorf("%s: the holiday %s is a %s", p.name, d, plan.Kind)
				}
				continue
			}
			want, got := p.schedule.On(d), c.PersonSchedule(id, p.team).On(d)
			if p.moved == "" && (timeline.FormatSpans(want.Spans) != timeline.FormatSpans(got.Spans) || want.Kind != got.Kind) {
				t.Fatalf("%s on %s: %s %q here, %s %q in the catalog", p.name, d, want.Kind, timeline.FormatSpans(want.Spans), got.Kind, timeline.FormatSpans(got.Spans))
			}
		}
	}
}
