package metrics

import (
	"fmt"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// From develop a release is merged every week, for two years: the fold stays
// small, and forgetting changes no answer.
func TestBranchThatGoesOnForEver(t *testing.T) {
	var kept, all BranchFold
	start := timeline.UTC().Midnight(timeline.MakeDate(2026, 3, 2))
	tell := func(e event.Event) {
		e.Source = event.GitHub
		r := event.Routed{Copy: event.Home, Verdict: event.Accepted, Event: e}
		if branchKind().Entity(&r) != "github/repo/42/branch/develop" {
			t.Fatalf("it belongs to %q", branchKind().Entity(&r))
		}
		kept.Apply(&r)
		all.Apply(&r)
	}
	most := 0
	var gone int64
	for day := range timeline.Millis(730) {
		at := start + day*timeline.Day
		week := int64(day / 7)
		pull := event.PullRequest{Number: week + 1, HeadRef: "develop", Created: start + timeline.Millis(week)*7*timeline.Day + 5*timeline.Day + timeline.Hour}
		entity := event.EntityID(fmt.Sprintf("github/repo/42/pr/%d", week+1))
		switch day % 7 {
		case 5:
			tell(event.Event{Kind: event.PullRequestOpened, Time: at + timeline.Hour, Entity: entity, PullRequest: &pull})
		case 6:
			pull.Merged = at
			tell(event.Event{Kind: event.PullRequestMerged, Time: at, Entity: entity, PullRequest: &pull})
			first, known := kept.first(&kept.Pulls[len(kept.Pulls)-1])
			want, _ := all.first(&all.Pulls[len(all.Pulls)-1])
			// Its week's first commit: on the first day by midnight, or what the last day of the week before was pushed after the merge.
			if !known || first != want || pull.Created-first > 7*timeline.Day {
				t.Fatalf("release %d: its first commit is of %s, %v; with all pushes it is of %s", week+1, first, known, want)
			}
		}
		tell(event.Event{Kind: event.Pushed, Time: at + 2*timeline.Hour, Entity: "github/repo/42",
			Push: &event.Push{Ref: "refs/heads/develop", Commits: []event.Commit{{SHA: "a", Authored: at}}}})
		kept.Touched(func(string) {})
		gone += kept.Trim(at - DefaultHorizon)
		most = max(most, len(kept.Pushes)+len(kept.Pulls)+len(kept.Merges))
	}
	if most > 140 || gone == 0 {
		t.Errorf("it held up to %d facts, and has forgotten %d", most, gone)
	}
}

// What touches a branch asks again for the pull requests that come from it, and
// for no others; a record that says nothing new asks for none of the others.
func TestBranchTouches(t *testing.T) {
	var f BranchFold
	asked := func() string {
		text := ""
		f.Touched(func(part string) { text += part + " " })
		return text
	}
	push := func(at timeline.Millis) {
		f.Apply(&event.Routed{Event: event.Event{Kind: event.Pushed, Time: at, Push: &event.Push{Ref: "refs/heads/a", Commits: []event.Commit{{Authored: at - 1}}}}})
	}
	opened := func(n int64) {
		f.Apply(&event.Routed{Event: event.Event{Kind: event.PullRequestOpened, Time: 100, PullRequest: &event.PullRequest{Number: n, HeadRef: "a", Created: 100}}})
	}
	push(50)
	if got := asked(); got != "" {
		t.Errorf("without a pull request it asks for %q", got)
	}
	opened(8)
	opened(10)
	if got := asked(); got != "10 8 " {
		t.Errorf("two that are opened ask for %q", got)
	}
	push(60)
	if got := asked(); got != "10 8 " {
		t.Errorf("a push asks for %q", got)
	}
	push(60)
	if got := asked(); got != "" {
		t.Errorf("the same push again asks for %q", got)
	}
	opened(8)
	if got := asked(); got != "8 " {
		t.Errorf("the same opening again asks for %q", got)
	}
}

// Fork, default branch and tag have no branch to hear of.
func TestBranchOf(t *testing.T) {
	pull := func(p event.PullRequest) event.Event {
		return event.Event{Kind: event.PullRequestOpened, Entity: "github/repo/42/pr/7", PullRequest: &p}
	}
	push := func(p event.Push) event.Event {
		return event.Event{Kind: event.Pushed, Entity: "github/repo/42", Push: &p}
	}
	for _, c := range []struct {
		e    event.Event
		want event.EntityID
	}{
		{pull(event.PullRequest{HeadRef: "fix/it"}), "github/repo/42/branch/fix/it"},
		{pull(event.PullRequest{HeadRef: "fix", FromFork: true}), ""},
		{pull(event.PullRequest{}), ""},
		{push(event.Push{Ref: "refs/heads/fix/it"}), "github/repo/42/branch/fix/it"},
		{push(event.Push{Ref: "refs/heads/main", Default: true}), ""},
		{push(event.Push{Ref: "refs/tags/v1", Tag: true}), ""},
	} {
		if got := branchOf(&c.e); got != c.want {
			t.Errorf("%+v is of %q, not %q", c.e, got, c.want)
		}
	}
}

// The API states the first commit itself; whatever is younger than the pull
// request is not taken.
func TestFirstCommitThatIsStated(t *testing.T) {
	for _, c := range []struct {
		stated, pushed timeline.Millis
		known          bool
		first          timeline.Millis
		ok             bool
	}{
		{0, 0, false, 0, false}, {50, 0, false, 50, true}, {0, 60, true, 60, true}, {50, 60, true, 50, true}, {70, 60, true, 60, true}, {101, 0, false, 0, false}, {100, 0, false, 100, true},
	} {
		if first, ok := firstKnown(c.stated, c.pushed, c.known, 100); first != c.first || ok != c.ok {
			t.Errorf("%+v: %d, %v", c, first, ok)
		}
	}
}
