package catalog

import (
	"fmt"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// large is an organisation of 200 teams, 2,000 people and 400 services.
func large(t testing.TB) *Catalog {
	var b strings.Builder
	b.WriteString("zone: Europe/Berlin\nbots: [\"*-ci\", renovate-acme]\nholidays: {de: {calendar: de}}\nteams:\n")
	for i := range 200 {
		fmt.Fprintf(&b, "- {name: team-%d, zone: Asia/Ho_Chi_Minh, repositories: [acme/repo-%d, \"acme/lib-%d-*\"], jira: [T%d], services: [service-%d]}\n", i, i, i, i, i)
	}
	b.WriteString("people:\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "- {name: Person %d, github: [user%d], jira: [\"712020:%d\"], emails: [user%d@acme.example], zone: Asia/Ho_Chi_Minh, teams: [team-%d, {team: team-%d, to: 2026-02-28}]}\n", i, i, i, i, i%200, (i+1)%200)
	}
	b.WriteString("services:\n")
	for i := range 400 {
		fmt.Fprintf(&b, "- {name: service-%d, repositories: [acme/mono], paths: [\"services/%d/**\"], deploys: [\"service-%d-*\"]}\n", i, i, i)
	}
	return mustParse(t, b.String())
}

// Each of these is asked for every event; the aim is 300 ns.
func BenchmarkCatalog(b *testing.B) {
	c := large(b)
	mai := event.Account{Provider: "github", Key: "583231", Login: "user1234"}
	id := c.Person(mai).ID
	at := millis(b, "2026-03-02T11:00:00Z")
	pr := event.Event{Created: at, Scope: event.Scope{Repository: "acme/repo-150"}}
	deploy := event.Event{Created: at, Scope: event.Scope{Repository: "acme/mono", Service: "service-150-eu", Environment: "prod-eu"}, Deployment: &event.Deployment{}}
	local := event.LocalEvidence{Profile: "Europe/London"}
	unknown := c.Person(github("stranger")).ID
	for name, f := range map[string]func(){
		"Person":         func() { c.Person(mai) },
		"Home":           func() { c.Home(pr) },
		"HomeDeployment": func() { c.Home(deploy) },
		"Service":        func() { c.Service(deploy) },
		"Production":     func() { c.Production(deploy) },
		"Teams":          func() { c.Teams(id, at) },
		"ActZone":        func() { c.ActZone(id, local, "team-34", at) },
		"ActZoneProfile": func() { c.ActZone(unknown, local, "team-34", at) },
		"TeamZone":       func() { c.TeamZone("team-34", at) },
		"Category":       func() { c.Category(event.Status{Name: "In Review"}) },
		"Classify":       func() { timeline.Classify(timeline.UTC(), c.PersonSchedule(id, "team-34"), at) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}

func BenchmarkUnknownPerson(b *testing.B) {
	c := large(b)
	accounts := make([]event.Account, 100_000)
	for i := range accounts {
		accounts[i] = github(fmt.Sprintf("stranger%d", i))
	}
	for i := 0; b.Loop(); i++ {
		c.Person(accounts[i%len(accounts)])
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		large(b)
	}
}
