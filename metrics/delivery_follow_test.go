package metrics

import (
	"slices"
	"strings"
	"testing"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// A deployment that is put behind the others of its service, without going through
// them, changes what it has to of them: as a line finds that was read back.
func TestDeliveryFollows(t *testing.T) {
	at := func(h int) timeline.Millis { return timeline.Millis(h) * timeline.Hour }
	const first, second = "a100000000000000000000000000000000000000", "b200000000000000000000000000000000000000"
	push := func(h int, before, after string) *event.Routed {
		return &event.Routed{Copy: event.Home, Event: event.Event{
			Kind: event.Pushed, Entity: "github/repo/1", Time: at(h), Scope: event.Scope{Repository: "acme/shop"},
			Push: &event.Push{Ref: "refs/heads/main", Default: true, Before: before, After: after, Commits: []event.Commit{{SHA: after, Authored: at(h) - 1}}},
		}}
	}
	deploy := func(h int, run, revision string) *event.Routed {
		return &event.Routed{Copy: event.Home, Service: "checkout", Production: true, Event: event.Event{
			Kind: event.DeploymentStatus, Entity: event.EntityID("deploy/ci/" + run), Time: at(h), Scope: event.Scope{Repository: "acme/shop"},
			Deployment: &event.Deployment{Key: run, State: event.DeploymentSuccess, Created: at(h), Revisions: []string{revision}},
		}}
	}
	state := func(r *event.Routed, s event.DeploymentState) *event.Routed { r.Event.Deployment.State = s; return r }
	previous := func(h int) *event.Routed {
		r := state(deploy(h, "back", first), event.DeploymentRolledBack)
		r.Event.Deployment.OfPrevious = true
		return r
	}
	incident := func(h int, service string, deleted bool, causes ...string) *event.Routed {
		r := &event.Routed{Copy: event.Home, Service: service, Event: event.Event{
			Kind: event.IssueCreated, Source: event.Jira, Entity: "jira/acme/issue/1", Time: at(h),
			Issue: &event.Issue{Key: "OPS-1", IsIncident: true, Created: at(h), CausedBy: causes},
		}}
		if deleted {
			r.Event.Kind = event.IssueDeleted
		}
		return r
	}
	begin := []*event.Routed{push(1, "", first), push(2, first, second), deploy(3, "1", first), deploy(4, "2", second)}
	for _, c := range []struct {
		name  string
		then  []*event.Routed
		parts int // that the last of them makes it ask for
	}{
		{"the latest", []*event.Routed{deploy(5, "3", second)}, 1},
		{"one that brings back what was before", []*event.Routed{deploy(5, "3", first)}, 3},
		{"one that an incident has named already", []*event.Routed{incident(4, "", false, "3"), deploy(5, "3", second)}, 3},
		{"one that was rolled back before it was told of", []*event.Routed{previous(7), deploy(5, "3", second)}, 2},
		{"one that an incident came after", []*event.Routed{incident(7, "checkout", false), deploy(5, "3", second)}, 2},
		{"one that ends a failure", []*event.Routed{state(deploy(5, "2", second), event.DeploymentFailure), deploy(6, "3", second)}, 2},
		{"one that failed", []*event.Routed{state(deploy(6, "3", second), event.DeploymentFailure), deploy(5, "3", second)}, 3},
		{"an incident that was none", []*event.Routed{incident(5, "checkout", false), incident(5, "checkout", true)}, 2},
		{"one that failed after it succeeded twice, and succeeds again", []*event.Routed{
			deploy(5, "2", second), state(deploy(6, "2", second), event.DeploymentFailure), deploy(7, "2", second),
		}, 1},
		{"one that is told of again", []*event.Routed{state(deploy(6, "2", second), event.DeploymentInactive)}, 0},
	} {
		view := View{Catalog: catalog.Empty(catalog.Options{Zone: timeline.UTC()}), Team: "acme/web", Entity: deliveryID}
		live, parts := new(DeliveryLine), 0
		for _, r := range slices.Concat(begin, c.then) {
			restored := readBack(t, live)
			live.Apply(r)
			restored.Apply(r)
			got, want := toldBy(live, view), toldBy(restored, view)
			if !slices.Equal(got, want) || lineBytes(t, live) != lineBytes(t, restored) {
				t.Errorf("%s: it tells\n%q\nand after a restore\n%q", c.name, got, want)
			}
			parts = 0
			for _, told := range got {
				if strings.HasPrefix(told, "deploy/ci/") { // a part, and behind it what it tells
					parts++
				}
			}
		}
		if parts != c.parts {
			t.Errorf("%s: it asks for %d parts, want %d", c.name, parts, c.parts)
		}
	}
}
