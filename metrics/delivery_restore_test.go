package metrics

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// A line asks for the same parts, and has the same bytes, whether it kept its
// index from round to round or was read back before each: the index must note
// whatever it would find out when it is made anew.
func TestDeliveryLineRestores(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		view := View{Catalog: catalog.Empty(catalog.Options{Zone: timeline.UTC()}), Team: "acme/web", Entity: deliveryID}
		live, n := new(DeliveryLine), 0
		for range rapid.IntRange(1, 12).Draw(rt, "rounds") {
			restored := readBack(rt, live)
			for range rapid.IntRange(1, 4).Draw(rt, "records") {
				n++
				r := drawDelivery(rt, n)
				live.Apply(r)
				restored.Apply(r)
			}
			want, got := toldBy(restored, view), toldBy(live, view)
			if !slices.Equal(got, want) {
				rt.Fatalf("the line is asked for\n%q\nand one that was read back for\n%q", got, want)
			}
			if a, b := lineBytes(rt, live), lineBytes(rt, restored); a != b {
				rt.Fatalf("other bytes of state:\n%x\n%x", a, b)
			}
		}
	})
}

// toldBy is which parts a line is asked for, and what each tells.
func toldBy(l *DeliveryLine, v View) (told []string) {
	l.Prepare(v)
	l.Touched(func(part string) {
		told = append(told, part)
		v.Part = part
		for _, d := range Definitions() {
			if d.Subject == SubjectDelivery {
				d.Observe(l, v, func(o Observation) { told = append(told, fmt.Sprintf("%s %+v", d.Name, o)) })
			}
		}
	})
	return told
}

func lineBytes(t failer, l *DeliveryLine) string {
	data, err := SaveFold(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func readBack(t failer, l *DeliveryLine) *DeliveryLine {
	back := new(DeliveryLine)
	if err := ReadFold(back, []byte(lineBytes(t, l))); err != nil {
		t.Fatal(err)
	}
	return back
}

// pickState draws a state: a success, twice as often as any other.
func pickState(t *rapid.T) event.DeploymentState {
	if rapid.IntRange(0, 2).Draw(t, "succeeds") == 0 {
		return event.DeploymentSuccess
	}
	return event.DeploymentState(rapid.IntRange(1, 7).Draw(t, "state"))
}

// drawDelivery draws a push, a merge, a deployment or an incident of a small
// world, in which repositories change their names and commits are deployed
// before they are pushed.
func drawDelivery(t *rapid.T, n int) *event.Routed {
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	number := func(name string, below int) int { return rapid.IntRange(0, below-1).Draw(t, name) }
	sha := func(name string) string { return fmt.Sprintf("%040x", uint64(number(name, 6)+1)*0x9e3779b97f4a7c15) }
	at := timeline.Hour + timeline.Millis(number("at", 200))*timeline.Hour/4
	if number("late", 4) > 0 { // most are told in the order in which they happened
		at = timeline.Hour + timeline.Millis(n)*timeline.Hour + timeline.Millis(number("jitter", 5))*timeline.Hour/2
	}
	r := &event.Routed{Copy: event.Home, Team: "acme/web", Verdict: event.Accepted, Event: event.Event{
		ID: event.NewID(fmt.Sprint(n)), Source: event.GitHub, Time: at, Created: 1,
	}}
	e := &r.Event
	repository := number("repository", 2)
	e.Scope = event.Scope{Provider: "github", Repository: pick("repository's name", fmt.Sprint("acme/r", repository), fmt.Sprint("acme/r", repository, "-new"))}
	switch number("what", 7) {
	case 0:
		e.Kind, e.Entity = event.Pushed, event.EntityID(fmt.Sprintf("github/repo/%d", repository))
		e.Push = &event.Push{Ref: "refs/heads/" + pick("branch", "main", "topic"), Before: sha("before"), After: sha("after"), Forced: number("forced", 5) == 0}
		e.Push.Default = e.Push.Ref == "refs/heads/main"
		if number("commits", 3) > 0 {
			e.Push.Commits = []event.Commit{{SHA: e.Push.After, Authored: at - timeline.Hour, Author: event.Account{Login: "mai"}}}
		}
	case 1:
		e.Kind = event.PullRequestMerged
		id := number("number", 2) + 1
		e.Entity = event.EntityID(fmt.Sprintf("github/repo/%d/pr/%d", repository, id))
		e.PullRequest = &event.PullRequest{
			Number: int64(id), Created: timeline.Hour / 2, Merged: at, MergeSHA: sha("merge"), HeadSHA: sha("head"), HeadRef: "topic", BaseRef: "main", IntoMain: true,
			Commits: 1, URL: pick("url", "", "https://example.com/1"), Author: event.Account{Login: "mai", Bot: number("bot", 3) == 0},
		}
	case 2:
		e.Kind, e.Entity, e.Source = event.IssueCreated, event.EntityID(fmt.Sprintf("jira/acme/issue/%d", number("issue", 2))), event.Jira
		r.Service = pick("service", "checkout", "search")
		e.Issue = &event.Issue{Key: "OPS-1", Type: pick("type", "Incident", "Story"), Created: at, CausedBy: slices.DeleteFunc([]string{pick("cause", "", "", fmt.Sprint("run-", number("caused by", 12)))}, func(s string) bool { return s == "" })}
	default:
		id := number("run", 12)
		e.Kind, e.Entity, e.Source = event.DeploymentStatus, event.EntityID(fmt.Sprint("deploy/ci/run-", id)), event.Deploy
		e.Scope.Repository = pick("deployed repository", "", e.Scope.Repository)
		r.Service, r.Production = pick("service", "checkout", "search"), number("production", 4) > 0
		e.Deployment = &event.Deployment{
			Key: fmt.Sprint("run-", id), State: pickState(t), Created: at - timeline.Hour,
			Revisions: []string{sha("revision")}, URL: pick("url", "", "https://ci.example.com/1"), OfPrevious: number("of previous", 6) == 0,
		}
	}
	return r
}

// What a restore finds out that a line which kept its index was not told of.
func TestDeliveryIndexNotesWhatARestoreFinds(t *testing.T) {
	at := func(h int) timeline.Millis { return timeline.Millis(h) * timeline.Hour }
	deploy := func(h int, repository string, production bool, state event.DeploymentState) *event.Routed {
		return &event.Routed{
			Copy: event.Home, Service: "checkout", Production: production,
			Event: event.Event{
				Kind: event.DeploymentStatus, Entity: "deploy/ci/1", Time: at(h), Scope: event.Scope{Repository: repository},
				Deployment: &event.Deployment{Key: "1", State: state, Created: at(h), Revisions: []string{"aa00000000000000000000000000000000000000"}},
			},
		}
	}
	push := func(h int, name, before, after string) *event.Routed {
		return &event.Routed{Copy: event.Home, Event: event.Event{
			Kind: event.Pushed, Entity: "github/repo/1", Time: at(h), Scope: event.Scope{Repository: name},
			Push: &event.Push{Ref: "refs/heads/main", Default: true, Before: before, After: after, Commits: []event.Commit{{SHA: after, Authored: at(h) - 1}}},
		}}
	}
	const first, second = "a100000000000000000000000000000000000000", "aa00000000000000000000000000000000000000"
	for _, c := range []struct {
		name   string
		rounds []*event.Routed
		tells  bool // the last round makes it tell something
	}{
		{"an attempt that ended, and then turns out to be under way in production", []*event.Routed{
			deploy(2, "", false, event.DeploymentFailure), deploy(3, "", true, event.DeploymentRunning), deploy(1, "", true, event.DeploymentPending),
		}, false},
		{"a repository that gets an old name back", []*event.Routed{
			push(1, "acme/shop", "", first), push(2, "acme/store", first, second),
			deploy(3, "acme/shop", true, event.DeploymentSuccess), push(4, "acme/shop", second, first),
		}, true},
		{"a commit that is pushed after it was deployed", []*event.Routed{
			push(1, "acme/shop", "", first), deploy(3, "", true, event.DeploymentSuccess), push(2, "acme/shop", first, second),
		}, true},
	} {
		view := View{Catalog: catalog.Empty(catalog.Options{Zone: timeline.UTC()}), Team: "acme/web", Entity: deliveryID}
		live := new(DeliveryLine)
		var got, want []string
		for _, r := range c.rounds {
			restored := readBack(t, live)
			live.Apply(r)
			restored.Apply(r)
			got, want = toldBy(live, view), toldBy(restored, view)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: it tells\n%q\nand after a restore\n%q", c.name, got, want)
		}
		if (len(got) > 0) != c.tells {
			t.Errorf("%s: it tells %q", c.name, got)
		}
	}
}
