package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// The built-in metrics and their folds in the engine: any order of arrival
// within a round and restores give the same rows and
// the same bytes of state.
func TestBuiltInMetricsInTheEngine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := testConfig(t, rapid.SampledFrom(testZones).Draw(rt, "zone"))
		c.Definitions, c.Folds = Definitions(), Folds()
		plain, crashing, shuffled := newRig(t, c), newRig(t, c), newRig(t, c)
		clock := drawStart(rt) / 500 * 500
		n := 0
		for range rapid.IntRange(1, 6).Draw(rt, "rounds") {
			var records []event.Routed
			for range rapid.IntRange(0, 10).Draw(rt, "records") {
				n++
				records = append(records, drawBuiltIn(rt, n, clock))
			}
			for _, r := range records {
				plain.apply(r)
				crashing.apply(r)
				crashing.engine = restored(rt, c, crashing.engine)
			}
			order := make([]int, len(records))
			for i := range order {
				order[i] = i
			}
			for _, i := range rapid.Permutation(order).Draw(rt, "order") {
				shuffled.applyAt(shuffled.offset+int64(i)+1, records[i])
			}
			shuffled.offset += int64(len(records))
			clock += rapid.SampledFrom([]timeline.Millis{500, timeline.Hour, 26 * timeline.Hour, 95 * timeline.Day}).Draw(rt, "step")
			for _, g := range []*rig{plain, crashing, shuffled} {
				g.tickAt(clock)
			}
			want := described(plain.rows)
			for name, g := range map[string]*rig{"restored": crashing, "shuffled": shuffled} {
				if got := described(g.rows); !slices.Equal(got, want) {
					rt.Fatalf("%s, at %s:\n%s", name, clock, strings.ReplaceAll(difference(got, want), "oracle", "plain"))
				}
				if !maps.EqualFunc(sections(g.engine), sections(plain.engine), bytes.Equal) {
					rt.Fatalf("%s, at %s: other bytes of state", name, clock)
				}
			}
		}
	})
}

func drawBuiltIn(t *rapid.T, n int, clock timeline.Millis) event.Routed {
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	instant := func(name string) timeline.Millis {
		return clock - timeline.Millis(rapid.IntRange(0, 48).Draw(t, name))*timeline.Hour
	}
	account := func(name string) (event.Account, event.Person) {
		login := pick(name, "mai", "jonas", "copilot", "")
		if login == "" {
			return event.Account{}, event.Person{}
		}
		return event.Account{Provider: "github", Login: login}, event.Person{ID: event.PersonID{login[0]}, Bot: login == "copilot", Deleted: rapid.IntRange(0, 9).Draw(t, "deleted") == 0}
	}
	r := event.Routed{
		Copy: event.Home, Team: pick("team", "acme/web", "ops"), Verdict: event.Accepted, Received: clock, Clock: clock,
		Event: event.Event{ID: event.NewID(fmt.Sprint(n)), Source: event.GitHub, Time: instant("time"), Created: clock - 50*timeline.Hour},
	}
	e := &r.Event
	e.Actor, r.Actor = account("actor")
	r.Service = pick("service", "", "checkout", "search")
	number := rapid.IntRange(1, 2).Draw(t, "number")
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 0:
		e.Kind = rapid.SampledFrom([]event.Kind{event.DeploymentCreated, event.DeploymentStatus}).Draw(t, "kind")
		e.Source, e.Entity = event.Deploy, event.EntityID(fmt.Sprintf("deploy/ci/%d", number))
		r.Production = rapid.IntRange(0, 3).Draw(t, "production") > 0
		e.Deployment = &event.Deployment{
			Key: fmt.Sprint(number), State: event.DeploymentState(rapid.IntRange(1, 7).Draw(t, "state")), Created: e.Created, Finished: e.Time,
			URL: pick("url", "", "https://ci.example.com/1"),
		}
	case 1:
		e.Kind = rapid.SampledFrom([]event.Kind{event.IssueCreated, event.IssueTransitioned, event.IssueTransitioned, event.IssueTransitioned, event.IssueUpdated, event.IssueDeleted}).Draw(t, "kind")
		e.Source, e.Entity = event.Jira, event.EntityID(fmt.Sprintf("jira/acme/issue/%d", number))
		status := func(name string) event.Status {
			s := pick(name, "To Do", "In Progress", "Review", "Done")
			return event.Status{Name: s, Category: map[string]event.StatusCategory{"To Do": event.CategoryToDo, "In Progress": event.CategoryInProgress, "Done": event.CategoryDone}[s]}
		}
		e.Issue = &event.Issue{Key: pick("key", "OPS-1", "OPS-2"), Type: pick("type", "Bug", "Story"), Created: e.Created, Current: status("current"), From: status("from"), To: status("to"), Change: fmt.Sprint(n)}
	case 2:
		r.Copy = event.Activity
		if r.Actor.ID == (event.PersonID{}) {
			r.Actor.ID = event.PersonID{'x'}
		}
		hour := e.Time / timeline.Hour
		e.Entity = "github/repo/1"
		r.Act = &event.Act{
			Key: fmt.Sprint(hour), Kind: event.ActKind(rapid.IntRange(1, 7).Draw(t, "act")), At: hour * timeline.Hour, Primary: rapid.Bool().Draw(t, "primary"), Zone: "UTC",
			Known: event.ZoneSource(rapid.IntRange(1, 3).Draw(t, "known")), Class: timeline.Class(rapid.IntRange(0, 3).Draw(t, "class")), Ignored: pick("ignored", "", "", "auto_merge"),
		}
	default:
		e.Kind = rapid.SampledFrom([]event.Kind{
			event.PullRequestOpened, event.PullRequestReady, event.PullRequestDrafted, event.PullRequestClosed, event.PullRequestMerged,
			event.PullRequestReopened, event.PullRequestUpdated, event.ReviewRequested, event.ReviewSubmitted, event.ReviewSubmitted, event.ReviewCommentedKind, event.PullRequestCommented,
		}).Draw(t, "kind")
		e.Entity = event.EntityID(fmt.Sprintf("github/repo/1/pr/%d", number))
		author, person := account("author")
		r.Author = person
		e.PullRequest = &event.PullRequest{
			Number: int64(number), Author: author, Created: e.Created, Draft: rapid.Bool().Draw(t, "draft"), State: "open",
			AutoMerge: rapid.Bool().Draw(t, "auto"), BaseRef: "main", IntoMain: true, Additions: 3, URL: "https://example.com/1",
		}
		if e.Kind == event.PullRequestMerged {
			e.PullRequest.Merged, e.PullRequest.Closed = e.Time, e.Time
			e.PullRequest.MergedBy = e.Actor
		}
		switch e.Kind {
		case event.ReviewSubmitted, event.ReviewCommentedKind:
			e.Review = &event.Review{Key: fmt.Sprint(n), State: event.ReviewState(rapid.IntRange(1, 5).Draw(t, "state")), Submitted: e.Time}
		case event.PullRequestCommented:
			e.Comment = &event.Comment{Key: fmt.Sprint(n), Created: e.Time}
		}
	}
	return r
}
