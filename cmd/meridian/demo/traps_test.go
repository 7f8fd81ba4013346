package demo

import (
	"strings"
	"testing"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Every delivery can be decoded, but for the one that is broken on purpose; there
// is enough of everything; and each trap is really there, or the demo shows less than
// it says.
func TestWhatIsInAHistory(t *testing.T) {
	for name, o := range organisations(t) {
		t.Run(name, func(t *testing.T) {
			found := map[string]int{}
			c, people := catalogOf(t, o), map[string]*person{}
			for _, p := range newCast().people {
				people[p.login] = p
			}
			all, raw := decoded(t, o)
			guids, facts := map[string]string{}, map[event.ID]bool{}
			rolledBack, succeeded := map[event.EntityID]bool{}, map[event.EntityID]bool{}
			newest := timeline.Millis(0)
			kinds := map[event.Kind]int{}
			for i, l := range all {
				d := raw[i]
				plain(t, l, kinds)
				if guid := d.Header("X-GitHub-Delivery"); guid != "" {
					if body, ok := guids[guid]; ok && body == string(d.Body) {
						found["redelivery"]++
					} else if ok {
						t.Fatalf("two deliveries are called %s", guid)
					}
					guids[guid] = string(d.Body)
				}
				if strings.HasPrefix(d.Header("Content-Type"), "application/x-www-form-urlencoded") {
					found["form"]++
				}
				switch l.Outcome {
				case ingest.OutcomePing:
					found["ping"]++
				case ingest.OutcomeIgnored:
					found["unknown type"]++
				case ingest.OutcomeUndecodable:
					found["undecodable"]++
				}
				for j := range l.Events {
					e := &l.Events[j]
					if facts[e.ID] {
						found["duplicate"]++
					}
					facts[e.ID] = true
					if e.Time < newest {
						found["out of order"]++
					}
					newest = max(newest, min(e.Time, d.Received))
					look(found, c.Person(e.Actor), people[e.Actor.Login], e, d.Received, o)
					if e.Deployment != nil {
						switch e.Deployment.State {
						case event.DeploymentSuccess:
							succeeded[e.Entity] = true
						case event.DeploymentRolledBack:
							rolledBack[e.Entity] = true
						}
					}
				}
			}
			enough(t, kinds)
			for entity := range rolledBack {
				if succeeded[entity] {
					found["rolled back after success"]++
				}
			}
			for trap, least := range map[string]int{
				"redelivery": 100, "duplicate": 100, "out of order": 200, "late by an hour": 30, "late by a day": 5, "outage": 3,
				"form": 20, "ping": 1, "unknown type": 40, "undecodable": 1,
				"bot's pull request": 30, "bot's review": 100, "self-review": 5, "deleted account": 1, "draft": 50, "auto-merge": 10, "review after merge": 3,
				"deleted branch": 100, "defective commit": 1, "dated 2099": 1,
				"failed deployment": 1, "rolled back after success": 1, "not production": 20, "several services": 1, "rollback": 1, "hotfix": 1,
				"incident": 20, "reopened issue": 5, "outside the catalog": 30, "pattern's bot": 50, "evening or weekend": 200,
			} {
				if found[trap] < least {
					t.Errorf("%s: %d, want %d at least", trap, found[trap], least)
				}
			}
			if found["told during the outage"] > 6 { // of the days before
				t.Errorf("%d facts were told during the outage", found["told during the outage"])
			}
			for _, trap := range []string{"ping", "dated 2099", "undecodable"} {
				if found[trap] != 1 {
					t.Errorf("%s: %d, want one", trap, found[trap])
				}
			}
		})
	}
}

// plain counts the facts of a delivery, and wants what is set aside to be what was
// meant to be.
func plain(t *testing.T, l *ingest.LoggedDelivery, kinds map[event.Kind]int) {
	t.Helper()
	switch {
	case l.Outcome == ingest.OutcomeUndecodable && l.Type != "pull_request.opened",
		l.Outcome == ingest.OutcomeIgnored && l.Type != "check_run.completed" && l.Type != "sprint_started":
		t.Errorf("a %s received %s is %s: %s", l.Type, l.Delivery.Received, l.Outcome, l.Reason)
	}
	for _, e := range l.Events {
		kinds[e.Kind]++
	}
}

func enough(t *testing.T, kinds map[event.Kind]int) {
	t.Helper()
	for kind, least := range map[event.Kind]int{
		event.PullRequestOpened: 1_000, event.PullRequestMerged: 900, event.PullRequestClosed: 20, event.PullRequestReopened: 2,
		event.PullRequestReady: 80, event.PullRequestDrafted: 5, event.ReviewRequested: 900, event.PullRequestUpdated: 200,
		event.ReviewSubmitted: 1_500, event.PullRequestCommented: 100, event.Pushed: 2_000, event.CommitDefective: 1,
		event.DeploymentCreated: 200, event.DeploymentStatus: 500,
		event.IssueCreated: 600, event.IssueTransitioned: 1_500, event.IssueCommented: 200,
	} {
		if kinds[kind] < least {
			t.Errorf("%d of kind %s, want %d at least", kinds[kind], kind, least)
		}
	}
}

// look counts the traps that one event is.
func look(found map[string]int, actor event.Person, p *person, e *event.Event, received timeline.Millis, o *Organisation) {
	count := func(trap string, is bool) {
		if is {
			found[trap]++
		}
	}
	count("late by an hour", received-e.Time > timeline.Hour)
	count("late by a day", received-e.Time > timeline.Day)
	count("dated 2099", e.Time > received+365*timeline.Day)
	out := o.outage()
	ours := strings.Contains(e.Scope.Repository, "app-gateway") || strings.Contains(e.Scope.Repository, "notifications")
	count("outage", e.Source == event.GitHub && ours && out.Contains(e.Time) && received >= out.End)
	count("told during the outage", e.Source == event.GitHub && ours && out.Contains(received))
	count("defective commit", e.Defect != "")
	count("pattern's bot", actor.Bot && !e.Actor.Bot)
	if p != nil {
		count("outside the catalog", !p.known)
		count("evening or weekend", timeline.Classify(p.zone, p.schedule, e.Time) != timeline.Working)
	}
	if r := e.PullRequest; r != nil {
		count("draft", r.Draft && e.Kind == event.PullRequestOpened)
		count("bot's pull request", r.Author.Bot && e.Kind == event.PullRequestOpened)
		count("auto-merge", r.AutoMerge && e.Kind == event.PullRequestMerged)
		if e.Review != nil {
			count("bot's review", e.Actor.Bot)
			count("self-review", e.Actor.Same(r.Author) && !e.Actor.Bot)
			count("deleted account", e.Actor.Deleted)
			count("review after merge", r.Merged != 0 && e.Time > r.Merged)
		}
	}
	if e.Push != nil {
		count("deleted branch", e.Push.Deleted)
	}
	if d := e.Deployment; d != nil {
		count("failed deployment", d.State == event.DeploymentFailure)
		count("not production", e.Scope.Environment == "github-pages" || e.Scope.Environment == "staging")
		count("rollback", d.Marks.Revert || strings.Contains(strings.Join(d.Labels, " "), "rollback"))
		count("hotfix", d.Marks.Hotfix)
		count("several services", e.Scope.Service == "search" && e.Source == event.Deploy)
	}
	if i := e.Issue; i != nil {
		count("incident", i.Type == "Incident" && e.Kind == event.IssueCreated)
		count("reopened issue", e.Kind == event.IssueTransitioned && i.From.Name == "Done")
	}
}
