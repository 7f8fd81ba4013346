package catalog

import (
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

func TestActZone(t *testing.T) {
	c := mustParse(t, `
zone: Europe/Berlin
teams: [{name: web, zone: Asia/Tokyo}, {name: api}]
people:
  - {name: Mai, github: [mai], zone: Asia/Ho_Chi_Minh, teams: [web]}
  - {name: Jonas, github: [jonas], teams: [web]}
`)
	offset := func(minutes int16) event.LocalEvidence { return event.LocalEvidence{HasOffset: true, Offset: minutes} }
	profile := func(name string) event.LocalEvidence { return event.LocalEvidence{Profile: name} }
	for _, tc := range []struct {
		login, team string
		local       event.LocalEvidence
		zone        string
		known       event.ZoneSource
	}{
		{"mai", "web", event.LocalEvidence{}, "Asia/Ho_Chi_Minh", event.ZoneConfigured},
		{"mai", "web", offset(60), "Asia/Ho_Chi_Minh", event.ZoneConfigured},
		{"jonas", "web", event.LocalEvidence{}, "Asia/Tokyo", event.ZoneAssumed},
		{"jonas", "api", event.LocalEvidence{}, "Europe/Berlin", event.ZoneAssumed},
		{"jonas", "acme/web", event.LocalEvidence{}, "Europe/Berlin", event.ZoneAssumed},
		{"jonas", "web", offset(-210), "-03:30", event.ZoneInferred},
		{"jonas", "web", offset(0), "Asia/Tokyo", event.ZoneAssumed},
		{"jonas", "web", event.LocalEvidence{Offset: 60}, "Asia/Tokyo", event.ZoneAssumed},
		{"jonas", "web", offset(2000), "Asia/Tokyo", event.ZoneAssumed}, // no place is that far
		{"jonas", "web", profile("America/New_York"), "America/New_York", event.ZoneInferred},
		{"jonas", "web", event.LocalEvidence{HasOffset: true, Offset: 0, Profile: "Europe/London"}, "Europe/London", event.ZoneInferred},
		{"jonas", "web", event.LocalEvidence{HasOffset: true, Offset: 60, Profile: "America/New_York"}, "+01:00", event.ZoneInferred},
		{"jonas", "web", profile("UTC"), "Asia/Tokyo", event.ZoneAssumed},
		{"jonas", "web", profile("Etc/UTC"), "Asia/Tokyo", event.ZoneAssumed},
		{"jonas", "web", profile("GMT"), "Asia/Tokyo", event.ZoneAssumed},
		{"jonas", "web", profile("Etc/GMT"), "Asia/Tokyo", event.ZoneAssumed},
		{"jonas", "web", profile("Etc/GMT-3"), "Etc/GMT-3", event.ZoneInferred},
		{"jonas", "web", profile("Middle/Earth"), "Asia/Tokyo", event.ZoneAssumed},
		{"nobody-known", "web", offset(330), "+05:30", event.ZoneInferred},
		{"nobody-known", "acme/x", event.LocalEvidence{}, "Europe/Berlin", event.ZoneAssumed},
	} {
		zone, known := c.ActZone(c.Person(github(tc.login)).ID, tc.local, tc.team, 0)
		if zone.Name() != tc.zone || known != tc.known {
			t.Errorf("%s for %s with %+v: %s %s, want %s %s", tc.login, tc.team, tc.local, zone, known, tc.zone, tc.known)
		}
	}
}

// Who moves is in the new zone from its midnight on, and in the old one until
// then: the border is one instant, whichever way they move.
func TestZonesHaveDates(t *testing.T) {
	for _, tc := range []struct{ from, to, border string }{
		{"Europe/Berlin", "Asia/Ho_Chi_Minh", "2026-02-28T17:00:00Z"}, // still 18:00 in Berlin
		{"Asia/Ho_Chi_Minh", "Europe/Berlin", "2026-02-28T23:00:00Z"}, // already 06:00 in Ho Chi Minh City
		{"Pacific/Kiritimati", "Pacific/Pago_Pago", "2026-03-01T11:00:00Z"},
		{"Pacific/Pago_Pago", "Pacific/Kiritimati", "2026-02-28T10:00:00Z"},
	} {
		c := mustParse(t, `
people: [{name: Mai, github: [mai], zone: [{value: `+tc.from+`, to: 2026-02-28}, {value: `+tc.to+`, from: 2026-03-01}]}]
teams: [{name: web, zone: [{value: `+tc.to+`, from: 2026-03-01}, {value: `+tc.from+`}]}]
`)
		mai, border := c.Person(github("mai")).ID, millis(t, tc.border)
		for at, want := range map[timeline.Millis]string{0: tc.from, border - 1: tc.from, border: tc.to, border + 400*timeline.Day: tc.to} {
			if zone, ok := c.PersonZone(mai, at); !ok || zone.Name() != want {
				t.Errorf("%s to %s: mai is in %s at %s", tc.from, tc.to, zone, at)
			}
			if zone := c.TeamZone("web", at); zone.Name() != want {
				t.Errorf("%s to %s: the team is in %s at %s", tc.from, tc.to, zone, at)
			}
		}
		if got := c.TeamList()[0].Zone.Name(); got != tc.to {
			t.Errorf("the team's latest zone is %s", got)
		}
	}
}

// A stay abroad is written beside the rule that it interrupts.
func TestAStayAbroad(t *testing.T) {
	c := mustParse(t, `
zone: UTC
people:
  - name: Mai
    github: [mai]
    zone: [{value: Asia/Ho_Chi_Minh}, {value: Europe/Berlin, from: 2026-03-02, to: 2026-03-06}]
  - name: Jonas
    github: [jonas]
    zone: [{value: Europe/Berlin, from: 2026-03-02, to: 2026-03-06}]
`)
	for at, want := range map[string]string{
		"2026-03-01T22:59:59Z": "Asia/Ho_Chi_Minh",
		"2026-03-01T23:00:00Z": "Europe/Berlin",
		"2026-03-06T16:59:59Z": "Europe/Berlin",
		"2026-03-06T17:00:00Z": "Asia/Ho_Chi_Minh",
	} {
		if zone, _ := c.PersonZone(c.Person(github("mai")).ID, millis(t, at)); zone.Name() != want {
			t.Errorf("at %s in %s, want %s", at, zone, want)
		}
	}
	// Jonas has no zone after his stay; it ends at the organisation's midnight.
	for at, want := range map[string]bool{
		"2026-03-01T22:59:59Z": false,
		"2026-03-01T23:00:00Z": true,
		"2026-03-06T23:59:59Z": true,
		"2026-03-07T00:00:00Z": false,
	} {
		if zone, ok := c.PersonZone(c.Person(github("jonas")).ID, millis(t, at)); ok != want {
			t.Errorf("at %s in %v, want %v", at, zone, want)
		}
	}
}
