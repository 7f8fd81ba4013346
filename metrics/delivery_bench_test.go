package metrics

import (
	"fmt"
	"testing"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// busyLine is a service with many changes, ten to a deployment, in 90 days.
func busyLine(changes int) (l *DeliveryLine, next func(push bool) *event.Routed) {
	l = new(DeliveryLine)
	at, tip, run := timeline.Millis(0), "", 0
	step := 90 * timeline.Day / timeline.Millis(changes+changes/10)
	scope := event.Scope{Provider: "github", Repository: "acme/web"}
	next = func(push bool) *event.Routed {
		at += step
		r := &event.Routed{Copy: event.Home, Team: "acme/web", Verdict: event.Accepted, Event: event.Event{Time: at, Scope: scope}}
		run++
		if push {
			sha := fmt.Sprintf("%040x", uint64(run)*0x9e3779b97f4a7c15)
			r.Event.Kind, r.Event.Entity = event.Pushed, "github/repo/40"
			r.Event.Push = &event.Push{Default: true, Before: tip, After: sha, Commits: []event.Commit{{SHA: sha, Authored: at - timeline.Hour}}}
			tip = sha
			return r
		}
		r.Service, r.Production = "checkout", true
		r.Event.Kind, r.Event.Entity = event.DeploymentStatus, event.EntityID(fmt.Sprint("deploy/ci/run-", run, "/checkout"))
		r.Event.Scope.Service = "checkout"
		r.Event.Deployment = &event.Deployment{Key: fmt.Sprint("run-", run), State: event.DeploymentSuccess, Revisions: []string{tip}}
		return r
	}
	for i := range changes {
		l.Apply(next(true))
		if i%10 == 9 {
			l.Apply(next(false))
		}
	}
	return l, next
}

// round is what the engine does with a line that was told something.
func (l *DeliveryLine) round(v View, definitions []*Definition) (observations int) {
	l.Prepare(v)
	l.Touched(func(part string) {
		v.Part = part
		for _, d := range definitions {
			if d.Subject == SubjectDelivery {
				d.Observe(l, v, func(Observation) { observations++ })
			}
		}
	})
	return observations
}

// One more fact about a service with 10,000 changes costs what it touches.
func BenchmarkDeliveryFact(b *testing.B) {
	for _, changes := range []int{1_000, 10_000} {
		for _, push := range []bool{true, false} {
			name := map[bool]string{true: "push", false: "deployment"}[push]
			b.Run(fmt.Sprintf("%s behind %d changes", name, changes), func(b *testing.B) {
				l, next := busyLine(changes)
				v := View{Catalog: catalog.Empty(catalog.Options{}), Team: "acme/web"}
				definitions := Definitions()
				l.round(v, definitions)
				b.ReportAllocs()
				for b.Loop() {
					l.Apply(next(push))
					l.round(v, definitions)
				}
			})
		}
	}
}

// A fact asks for the deployments that it touches, and no others.
func TestDeliveryTouchesLittle(t *testing.T) {
	l, next := busyLine(1_000)
	v := View{Catalog: catalog.Empty(catalog.Options{}), Team: "acme/web"}
	l.round(v, Definitions())
	parts := func() (n int) {
		l.Prepare(v)
		l.Touched(func(string) { n++ })
		return n
	}
	for i := range 9 {
		l.Apply(next(true))
		if n := parts(); n != 0 {
			t.Fatalf("push %d, which nobody has deployed, touches %d deployments", i, n)
		}
	}
	l.Apply(next(false))
	if n := parts(); n != 1 {
		t.Errorf("a deployment touches %d", n)
	}
	// An old deployment is rolled back: that is the first signal of failure, so all of them have a rate now.
	was := l.Deployments[40].Fold
	r := next(false)
	r.Event.Entity, r.Event.Deployment.State, r.Event.Deployment.Key = l.Deployments[40].ID, event.DeploymentRolledBack, was.Key
	l.Apply(r)
	if n := parts(); n != len(l.Deployments) {
		t.Errorf("the first signal of failure touches %d of %d", n, len(l.Deployments))
	}
	r = next(false)
	r.Event.Entity, r.Event.Deployment.State, r.Event.Deployment.Key = l.Deployments[50].ID, event.DeploymentRolledBack, l.Deployments[50].Fold.Key
	l.Apply(r)
	if n := parts(); n != 1 {
		t.Errorf("the second touches %d", n)
	}
}
