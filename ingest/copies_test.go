package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

const acmeCatalog = `
zone: Europe/Berlin
teams:
  - {name: web, zone: Asia/Ho_Chi_Minh, repositories: ["acme/web", "acme/shop"], jira: [WEB]}
  - {name: payments, repositories: ["acme/pay"], services: [ledger]}
  - {name: platform}
people:
  - {name: Mai, github: [mai], zone: Asia/Ho_Chi_Minh, teams: [web], emails: [mai@acme.example]}
  - {name: Jonas, github: [jonas], teams: [platform, {team: payments, from: 2026-01-01}], zone: Europe/Berlin}
services:
  - {name: checkout, repositories: [acme/web], paths: ["services/checkout/**"], deploys: ["checkout-*"]}
  - {name: ledger, repositories: [acme/web], paths: ["services/ledger/**"]}
`

func acme(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Parse("catalog.yaml", []byte(acmeCatalog), catalog.Options{Key: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// copiesOf returns the copies of one delivery, each in a line: ordinal, partition
// of its team, kind, team, and what else it carries.
func copiesOf(t *testing.T, r *Route, events ...event.Event) []string {
	t.Helper()
	var lines []string
	var want int32
	names := map[event.PersonID]string{}
	for _, login := range []string{"mai", "jonas", "stranger", "dependabot[bot]"} {
		names[r.config.Catalog.Person(event.Account{Provider: "github", Login: login}).ID] = login
	}
	d := &LoggedDelivery{Outcome: OutcomeAccepted, Delivery: Delivery{Received: events[0].Time}, Events: events}
	drive(r, []step{{delivery: d}, {tick: events[0].Time + timeline.Minute}}, func(c Copy) {
		if c.Message.IsTick {
			return
		}
		v := c.Message.Value
		if c.Message.Origin.Ordinal != want {
			t.Errorf("ordinal %d, want %d", c.Message.Origin.Ordinal, want)
		}
		want++
		if p := TeamPartition(v.Team, r.config.EventPartitions); c.Partition != p {
			t.Errorf("team %s is sent to partition %d, want %d", v.Team, c.Partition, p)
		}
		line := fmt.Sprintf("%s %s", v.Copy, v.Team)
		if v.Actor != (event.Person{}) {
			line += " by " + names[v.Actor.ID]
		}
		if v.Author != (event.Person{}) {
			line += " of " + names[v.Author.ID]
		}
		if v.Service != "" || len(v.Services) > 0 {
			line += fmt.Sprintf(" services %s%v", v.Service, v.Services)
		}
		if v.Production {
			line += " production"
		}
		if a := v.Act; a != nil {
			line += fmt.Sprintf(" act %d at %s %s %s %s", a.Kind, a.At, a.Zone, a.Known, a.Class)
			if a.Primary {
				line += " primary"
			}
			if a.Ignored != "" {
				line += " ignored " + a.Ignored
			}
			if e := v.Event; e.Push != nil || e.PullRequest != nil || e.Deployment != nil || e.Issue != nil {
				t.Errorf("%s: an activity carries a body", line)
			}
		}
		lines = append(lines, line)
	}, nil)
	return lines
}

func github(login string) event.Account { return event.Account{Provider: "github", Login: login} }

func wantCopies(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func acmeRoute(t *testing.T) *Route {
	return testRoute(t, func(c *RouteConfig) { c.Catalog = acme(t) })
}

func TestCopiesOfAReview(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z") // Monday, 10:00 in Berlin
	review := event.Event{
		ID: event.ID{1}, Source: event.GitHub, Kind: event.ReviewSubmitted, Time: at, Created: at - timeline.Day,
		Entity: "github/repo/42/pr/7", Scope: event.Scope{Provider: "github", Repository: "acme/web"}, Actor: github("jonas"),
		PullRequest: &event.PullRequest{Author: github("mai")}, Review: &event.Review{State: event.ReviewApproved},
	}
	wantCopies(t, copiesOf(t, acmeRoute(t), review),
		"home web by jonas of mai",
		// Jonas is in two teams: each counts it, the organisation once.
		"activity platform by jonas of mai act 3 at 2026-03-02T09:00:00Z Europe/Berlin configured working primary",
		"activity payments by jonas of mai act 3 at 2026-03-02T09:00:00Z Europe/Berlin configured working",
	)

	pending := review
	pending.Review = &event.Review{State: event.ReviewPending}
	wantCopies(t, copiesOf(t, acmeRoute(t), pending), "home web by jonas of mai")

	// Before 2026 he was in one.
	early := review
	early.Time = instant(t, "2025-12-30T23:30:00Z") // 00:30 in Berlin
	wantCopies(t, copiesOf(t, acmeRoute(t), early),
		"home web by jonas of mai",
		"activity platform by jonas of mai act 3 at 2025-12-30T23:30:00Z Europe/Berlin configured evening primary",
	)
}

func TestCopiesOfSomebodyInNoTeam(t *testing.T) {
	at := instant(t, "2026-03-02T02:00:00Z") // 09:00 in Ho Chi Minh City
	opened := event.Event{
		ID: event.ID{1}, Source: event.GitHub, Kind: event.PullRequestOpened, Time: at, Created: at,
		Entity: "github/repo/42/pr/8", Scope: event.Scope{Provider: "github", Repository: "acme/web"}, Actor: github("stranger"),
		PullRequest: &event.PullRequest{Author: github("stranger")},
	}
	wantCopies(t, copiesOf(t, acmeRoute(t), opened),
		"home web by stranger of stranger",
		"activity web by stranger of stranger act 2 at 2026-03-02T02:00:00Z Asia/Ho_Chi_Minh assumed working primary",
	)
	opened.Local = event.LocalEvidence{HasOffset: true, Offset: -300} // 21:00 on Sunday
	wantCopies(t, copiesOf(t, acmeRoute(t), opened),
		"home web by stranger of stranger",
		"activity web by stranger of stranger act 2 at 2026-03-02T02:00:00Z -05:00 inferred weekend primary",
	)
}

func TestActsThatDoNotCount(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z")
	merged := event.Event{
		ID: event.ID{1}, Source: event.GitHub, Kind: event.PullRequestMerged, Time: at, Created: at,
		Entity: "github/repo/42/pr/8", Scope: event.Scope{Provider: "github", Repository: "acme/web"}, Actor: github("dependabot[bot]"),
		// What the event says of the bot's zone says nothing of Mai's.
		Local:       event.LocalEvidence{HasOffset: true, Offset: -300},
		PullRequest: &event.PullRequest{Author: github("mai"), MergedBy: github("stranger"), AutoMerge: true, Merged: at, Closed: at},
	}
	wantCopies(t, copiesOf(t, acmeRoute(t), merged),
		"home web by dependabot[bot] of mai",
		"activity web by stranger of mai act 5 at 2026-03-02T09:00:00Z Asia/Ho_Chi_Minh assumed working primary ignored auto_merge",
		"reference payments by dependabot[bot] of mai", // its service may be in what was merged
	)
	merged.PullRequest = &event.PullRequest{Author: github("mai"), MergedBy: github("dependabot[bot]"), Merged: at, Closed: at}
	wantCopies(t, copiesOf(t, acmeRoute(t), merged),
		"home web by dependabot[bot] of mai",
		"activity web by dependabot[bot] of mai act 5 at 2026-03-02T09:00:00Z -05:00 inferred evening primary ignored bot",
		"reference payments by dependabot[bot] of mai",
	)
	for _, kind := range []event.Kind{event.PullRequestReady, event.PullRequestClosed, event.ReviewRequested, event.PullRequestUpdated} {
		merged.Kind = kind
		wantCopies(t, copiesOf(t, acmeRoute(t), merged), "home web by dependabot[bot] of mai")
	}
}

func TestCopiesOfAPush(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z")
	commit := func(login string, authored timeline.Millis, paths ...string) event.Commit {
		return event.Commit{Author: github(login), Authored: authored, Paths: paths, Local: event.LocalEvidence{HasOffset: true, Offset: 120}}
	}
	push := event.Event{
		ID: event.ID{1}, Source: event.GitHub, Kind: event.Pushed, Time: at,
		Entity: "github/repo/42", Scope: event.Scope{Provider: "github", Repository: "acme/web"}, Actor: github("mai"),
		Push: &event.Push{Default: true, Commits: []event.Commit{
			commit("mai", at-timeline.Hour, "services/ledger/a.go"),
			commit("jonas", at-2*timeline.Hour),
			{Authored: at}, // nobody's
		}},
	}
	r := acmeRoute(t)
	wantCopies(t, copiesOf(t, r, push),
		"home web by mai services [ledger]",
		"activity web by mai services [ledger] act 1 at 2026-03-02T08:00:00Z Asia/Ho_Chi_Minh configured working primary",
		"activity platform by jonas services [ledger] act 1 at 2026-03-02T07:00:00Z Europe/Berlin configured evening primary",
		"activity payments by jonas services [ledger] act 1 at 2026-03-02T07:00:00Z Europe/Berlin configured evening",
		"reference payments by mai services [ledger]",
	)
	if n := r.places.of.size; n != 0 {
		t.Errorf("%d repositories are remembered as entities", n)
	}

	// A branch that is deleted has no commits, and is a push all the same.
	push.Push = &event.Push{Deleted: true}
	wantCopies(t, copiesOf(t, acmeRoute(t), push), "home web by mai", "reference payments by mai")

	// Where no paths are known, every service may be touched.
	push.Push = &event.Push{Commits: []event.Commit{{Authored: at}}}
	wantCopies(t, copiesOf(t, acmeRoute(t), push), "home web by mai services [checkout ledger]", "reference payments by mai services [checkout ledger]")
}

// A rebase tells of the same commit again, under another SHA: one activity.
func TestACommitIsOneActivityHoweverOftenItIsPushed(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z")
	keys := map[string]bool{}
	r := acmeRoute(t)
	for i, sha := range []string{"1111", "2222"} {
		d := fact(byte(i), event.GitHub, at, at)
		d.Events[0] = event.Event{
			ID: event.ID{byte(i + 1)}, Source: event.GitHub, Kind: event.Pushed, Time: at, Entity: "github/repo/42", Scope: event.Scope{Repository: "acme/web"},
			Push: &event.Push{Commits: []event.Commit{{SHA: sha, Author: github("mai"), Authored: at - timeline.Day}}},
		}
		r.Apply(streaming.NoClock, streaming.Record[Entry]{Value: Entry{Delivery: d}}, func(c Copy) {
			if a := c.Message.Value.Act; a != nil {
				keys[a.Key] = true
			}
		})
	}
	if len(keys) != 1 {
		t.Errorf("keys %v", keys)
	}
}

func TestCopiesOfADeployment(t *testing.T) {
	at := instant(t, "2026-03-02T09:10:00Z")
	created := at - 10*timeline.Minute
	status := event.Event{
		ID: event.ID{1}, Source: event.GitHub, Kind: event.DeploymentStatus, Time: at, Created: created,
		Entity: "github/repo/42/deployment/9", Actor: github("dependabot[bot]"),
		Scope:      event.Scope{Provider: "github", Repository: "acme/web", Service: "checkout-eu", Environment: "production"},
		Deployment: &event.Deployment{State: event.DeploymentSuccess, Created: created, Creator: github("mai")},
	}
	wantCopies(t, copiesOf(t, acmeRoute(t), status),
		"home web by dependabot[bot] services checkout[] production",
		"activity web by mai services checkout[] production act 7 at 2026-03-02T09:00:00Z Asia/Ho_Chi_Minh configured working primary",
	)
	status.Actor, status.Deployment = event.Account{}, &event.Deployment{State: event.DeploymentSuccess, Created: created}
	wantCopies(t, copiesOf(t, acmeRoute(t), status), "home web services checkout[] production") // nobody started it by hand
}

// A deployment is started once, by one person in the teams that they had then,
// whatever its later states know of its beginning.
func TestADeploymentIsStartedInOneTeam(t *testing.T) {
	moved := instant(t, "2025-12-31T23:00:00Z") // Jonas joins payments on the first of January of Berlin
	told := func(id byte, at, started timeline.Millis, creator string) *LoggedDelivery {
		return &LoggedDelivery{Outcome: OutcomeAccepted, Delivery: Delivery{Received: at}, Events: []event.Event{{
			ID: event.ID{id}, Source: event.Deploy, Kind: event.DeploymentStatus, Time: at, Created: at, Entity: "deploy/ci/run-1", Actor: github(creator),
			Scope:      event.Scope{Provider: "deploy", Service: "ledger", Environment: "production"},
			Deployment: &event.Deployment{State: event.DeploymentRunning, Started: started},
		}}}
	}
	steps := []step{
		{delivery: told(1, moved-timeline.Minute, 0, "jonas")},
		{tick: moved},
		{delivery: told(2, moved+timeline.Minute, 0, "jonas")},
		{tick: moved + 2*timeline.Minute},
		{delivery: told(3, moved+2*timeline.Minute, moved-timeline.Hour, "jonas")}, // an earlier beginning is believed
		{delivery: told(4, moved+3*timeline.Minute, 0, "mai")},                     // and another person is not
		{tick: moved + 4*timeline.Minute},
	}
	for _, restored := range []bool{false, true} {
		r := acmeRoute(t)
		var got []string
		drive(r, steps, func(c Copy) {
			if v := c.Message.Value; !c.Message.IsTick && v.Copy == event.Activity {
				got = append(got, fmt.Sprintf("%s at %s primary %t", v.Team, v.Act.At, v.Act.Primary))
			}
		}, func(streaming.Clock) {
			if restored {
				*r = *restore(t, r.config, sections(r))
			}
		})
		want := []string{
			"platform at 2025-12-31T22:59:00Z primary true",
			"platform at 2025-12-31T23:01:00Z primary true",
			"platform at 2025-12-31T22:00:00Z primary true",
		}
		if !slices.Equal(got, want) {
			t.Errorf("restored %t: got %q, want %q", restored, got, want)
		}
	}
}

func TestOnlyAcceptedEventsHaveMoreThanTheHomeCopy(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z")
	e := event.Event{
		ID: event.ID{1}, Source: event.GitHub, Kind: event.PullRequestOpened, Time: at, Created: at,
		Entity: "github/repo/42/pr/8", Scope: event.Scope{Repository: "acme/web"}, Actor: github("mai"), PullRequest: &event.PullRequest{Author: github("mai")},
	}
	future := e
	future.ID, future.Time = event.ID{2}, at+timeline.Hour
	wantCopies(t, copiesOf(t, acmeRoute(t), e, e, future),
		"home web by mai of mai",
		"activity web by mai of mai act 2 at 2026-03-02T09:00:00Z Asia/Ho_Chi_Minh configured working primary",
		"home web", // duplicate
		"home web", // quarantined
	)
}

func TestAnEntityKeepsItsHome(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z")
	fact := func(id byte, t timeline.Millis, repository string, pr event.PullRequest) *LoggedDelivery {
		return &LoggedDelivery{Outcome: OutcomeAccepted, Delivery: Delivery{Received: t}, Events: []event.Event{{
			ID: event.ID{id}, Source: event.GitHub, Kind: event.PullRequestUpdated, Time: t, Created: at,
			Entity: "github/repo/42/pr/7", Scope: event.Scope{Provider: "github", Repository: repository}, PullRequest: &pr,
		}}}
	}
	const horizon = 92 * timeline.Day
	closed := event.PullRequest{Closed: at + timeline.Hour}
	steps := []step{
		{delivery: fact(1, at, "acme/web", event.PullRequest{})},
		{tick: at + timeline.Minute},
		{delivery: fact(2, at+timeline.Hour, "acme/pay", closed)}, // the repository was renamed
		{delivery: fact(3, at+timeline.Minute, "acme/pay", event.PullRequest{})},
		{tick: at + timeline.Hour + timeline.Minute},
		{tick: at + timeline.Hour + horizon - 500}, // the last moment of its life
		{delivery: fact(4, at+timeline.Hour, "acme/pay", closed)},
		{tick: at + timeline.Hour + horizon},
		{delivery: fact(5, at+horizon, "acme/pay", closed)},
		{tick: at + timeline.Hour + horizon + timeline.Minute},
	}
	r := acmeRoute(t)
	var got []event.Routed
	drive(r, steps, homes(&got), nil)
	var teams []string
	for _, v := range got {
		teams = append(teams, v.Team+" "+v.Verdict.String())
	}
	want := []string{"web accepted", "web accepted", "web accepted", "web accepted", "payments accepted"}
	if !slices.Equal(teams, want) {
		t.Errorf("got %v, want %v", teams, want)
	}

	// While it is open it keeps its home for 400 days.
	r = acmeRoute(t)
	got = nil
	drive(r, []step{
		{delivery: fact(1, at, "acme/web", event.PullRequest{})},
		{tick: at},
		{tick: at + openLife - 500},
		{delivery: fact(2, at+openLife-timeline.Hour, "acme/pay", event.PullRequest{})},
		{tick: at + openLife},
	}, homes(&got), nil)
	if got[1].Team != "web" {
		t.Errorf("after 400 days less a moment its home is %s", got[1].Team)
	}
}

func TestDescribe(t *testing.T) {
	at := instant(t, "2026-03-02T09:00:00Z")
	r := acmeRoute(t)
	drive(r, []step{
		{delivery: fact(1, event.Deploy, at, at)},
		{delivery: fact(1, event.Deploy, at, at)},
		{delivery: fact(2, event.Deploy, at+timeline.Day, at)},
		{delivery: &LoggedDelivery{Outcome: OutcomePing}},
		{delivery: &LoggedDelivery{Outcome: OutcomeUndecodable}},
		{tick: at},
	}, func(Copy) {}, nil)
	want := "route of partition 0, generation 1: 5 deliveries (1 ignored, 1 undecodable)\n" +
		"3 events: 1 accepted (0 behind the bound, 0 backfilled, 0 healed), 0 late, 1 duplicate, 1 quarantined: future 1\n" +
		"remembers 1 ids of 1 days and the homes of 1 entities\n"
	if got := r.Describe(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
