package ingest

import (
	"slices"
	"testing"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

const runsCatalog = `
teams:
  - {name: web, repositories: ["acme/*"]}
  - {name: payments, services: [ledger]}
people:
  - {name: Mai, github: [mai], emails: [mai@acme.example], teams: [web]}
services:
  - {name: checkout, repositories: [acme/web], deploys: ["*", "checkout-*", "workflow/Deploy shop"]}
  - {name: ledger, deploys: [release]}
`

func runsRoute(t *testing.T) *Route {
	c, err := catalog.Parse("catalog.yaml", []byte(runsCatalog), catalog.Options{Key: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	return testRoute(t, func(r *RouteConfig) { r.Catalog = c })
}

// Most runs of workflows deploy nothing. Where no service of the catalog names one,
// it is counted as the fact that it is, and is nobody's deployment or act.
func TestARunIsADeploymentWhereTheCatalogNamesIt(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z")
	run := func(task string) event.Event {
		return event.Event{
			ID: event.ID{1}, Source: event.GitHub, Kind: event.DeploymentStatus, Time: at, Created: at,
			Entity: "github/repo/42/workflow_run/9", Scope: event.Scope{Provider: "github", Repository: "acme/web"}, Actor: github("mai"),
			Deployment: &event.Deployment{State: event.DeploymentSuccess, Created: at, Creator: github("mai"), Task: task, OnlyIfNamed: true},
		}
	}
	for _, c := range []struct{ task, service string }{
		{"workflow/Deploy shop", "checkout"},
		{"workflow/deploy SHOP", "checkout"},
		{"release/v1.2.0", "ledger"},
		{"workflow/Tests", ""}, // "*" names no workflow
		{"workflow/checkout-tests", ""},
	} {
		t.Run(c.task, func(t *testing.T) {
			r := runsRoute(t)
			var copies []event.Routed
			d := &LoggedDelivery{Outcome: OutcomeAccepted, Delivery: Delivery{Received: at}, Events: []event.Event{run(c.task)}}
			drive(r, []step{{delivery: d}, {tick: at + timeline.Minute}}, func(m Copy) {
				if !m.Message.IsTick {
					copies = append(copies, m.Message.Value)
				}
			}, nil)
			if n := r.Counts(); n.Decoded != 1 || n.Accepted != 1 {
				t.Errorf("counted as %+v", n)
			}
			home := copies[0]
			if home.Copy != event.Home || home.Verdict != event.Accepted || home.Service != c.service {
				t.Errorf("its home copy is %+v", home)
			}
			acts, entities := 0, r.places.of.size
			for _, v := range copies {
				if v.Act != nil {
					acts++
				}
			}
			switch {
			case c.service != "" && (home.Event.Deployment == nil || acts != 1 || entities != 1):
				t.Errorf("a deployment with %d acts, %d entities, body %v", acts, entities, home.Event.Deployment)
			case c.service == "" && (home.Event.Deployment != nil || len(copies) != 1 || entities != 0 || home.Actor != event.Person{}):
				t.Errorf("what means nothing has %d copies, %d entities, actor %v, body %v", len(copies), entities, home.Actor, home.Event.Deployment)
			}
			if d.Events[0].Deployment == nil {
				t.Error("the log's own event was changed")
			}
		})
	}
}

// actKeys are the acts of one event: kind, person and key, sorted.
func actKeys(t *testing.T, r *Route, e event.Event) []string {
	t.Helper()
	var acts []string
	d := &LoggedDelivery{Outcome: OutcomeAccepted, Delivery: Delivery{Received: e.Time}, Events: []event.Event{e}}
	drive(r, []step{{delivery: d}, {tick: e.Time + timeline.Minute}}, func(c Copy) {
		if v := c.Message.Value; !c.Message.IsTick && v.Act != nil {
			if v.Act.Kind != event.ActCommit {
				t.Errorf("an act of kind %d", v.Act.Kind)
			}
			acts = append(acts, v.Team+" "+v.Act.Key)
		}
	}, nil)
	slices.Sort(acts)
	return acts
}

// Who wrote a commit with its author has committed too, once, by whichever of their
// accounts the message names them; and what a backfill reads of a pull request
// tells of the same acts as the push did.
func TestCoAuthorsHaveCommittedToo(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z")
	address := func(key string) event.Account { return event.Account{Provider: "git", Email: key} }
	c := acme(t)
	maiByMail := address(c.EmailHash("mai@acme.example"))
	commit := event.Commit{
		SHA: "1111", Author: github("jonas"), Authored: at - timeline.Hour, Local: event.LocalEvidence{HasOffset: true, Offset: 60},
		CoAuthors: []event.Account{github("mai"), maiByMail, github("Jonas"), github("stranger")},
	}
	push := event.Event{
		ID: event.ID{1}, Source: event.GitHub, Kind: event.Pushed, Time: at, Entity: "github/repo/42",
		Scope: event.Scope{Provider: "github", Repository: "acme/web"}, Actor: github("jonas"),
		Push: &event.Push{Default: true, Commits: []event.Commit{commit}},
	}
	read := event.Event{
		ID: event.ID{2}, Source: event.GitHub, Kind: event.CommitsRead, Time: at - timeline.Day, Created: at - timeline.Day, Entity: "github/repo/42/pr/7",
		Scope:       event.Scope{Provider: "github", Repository: "acme/web"},
		PullRequest: &event.PullRequest{Author: github("jonas")},
		Push:        &event.Push{Commits: []event.Commit{commit}},
	}
	pushed, learned := actKeys(t, acmeRoute(t), push), actKeys(t, acmeRoute(t), read)
	// Jonas in both his teams, Mai once, the stranger for the repository's team.
	if len(pushed) != 4 {
		t.Errorf("the push has %d acts:\n%q", len(pushed), pushed)
	}
	if !slices.Equal(pushed, learned) {
		t.Errorf("read through the API the acts are\n%q\nof the push they are\n%q", learned, pushed)
	}

	// The zone of a commit's time is its author's: of a co-author it says nothing.
	var zones []event.ZoneSource
	d := &LoggedDelivery{Outcome: OutcomeAccepted, Delivery: Delivery{Received: at}, Events: []event.Event{push}}
	drive(acmeRoute(t), []step{{delivery: d}, {tick: at + timeline.Minute}}, func(c Copy) {
		if v := c.Message.Value; !c.Message.IsTick && v.Act != nil && v.Team == "web" {
			zones = append(zones, v.Act.Known)
		}
	}, nil)
	slices.Sort(zones)
	if want := []event.ZoneSource{event.ZoneConfigured, event.ZoneAssumed}; !slices.Equal(zones, want) {
		t.Errorf("zones %v of Mai and the stranger, want %v", zones, want)
	}
}

// An incident that names its service is at home where the service is.
func TestAnIncidentOfAServiceIsItsTeams(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z")
	incident := event.Event{
		ID: event.ID{1}, Source: event.Deploy, Kind: event.IssueCreated, Time: at, Created: at,
		Entity: "cdevents/ops/incident/pager/7", Scope: event.Scope{Provider: "cdevents", Name: "ops", Service: "ledger", Labels: []string{"service:ledger"}},
		Issue: &event.Issue{Key: "7", Type: "incident", Created: at, IsIncident: true, Labels: []string{"service:ledger"}, Current: event.Status{Name: "open", Category: event.CategoryToDo}},
	}
	wantCopies(t, copiesOf(t, runsRoute(t), incident), "home payments services ledger[]")
}
