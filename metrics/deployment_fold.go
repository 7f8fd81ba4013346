package metrics

import (
	"cmp"
	"slices"
	"strings"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// DeploymentFold holds one deployment of one service: each state that it was
// in, with the time since when.
type DeploymentFold struct {
	States     []deploymentState // by time
	Last       timeline.Millis
	Service    latest
	Repository latest
	URL        latest
	Key        string
	Begun      timeline.Millis // created, else started

	Revisions   latestTexts
	Environment latest // where production has several
	Fixes       latest // the incident that it was made to fix
	Rework      bool   // labelled hotfix or rollback
	Named       bool   // a payload names the service

	shown string // its label, once somebody has asked; derived
}

// deploymentState says where it went as well: one run of a pipeline may pass
// through several environments.
type deploymentState struct {
	At         timeline.Millis
	State      event.DeploymentState
	Production bool

	Environment string
}

func (s deploymentState) compare(o deploymentState) int {
	if c := cmp.Or(cmp.Compare(s.At, o.At), cmp.Compare(s.State, o.State)); c != 0 || s.Production == o.Production {
		return cmp.Or(c, cmp.Compare(s.Environment, o.Environment))
	}
	if o.Production {
		return -1
	}
	return 1
}

func deploymentKind() FoldKind {
	return FoldKind{
		Subject: SubjectDeployment,
		New:     func() Fold { return new(DeploymentFold) },
		Returns: true,
		Entity: func(r *event.Routed) event.EntityID {
			if r.Copy != event.Home || r.Event.Deployment == nil || r.Event.Deployment.OfPrevious || !isDeployed(r) {
				return ""
			}
			return r.Event.Entity
		},
	}
}

// isDeployed reports whether a record is about a deployment: a workflow's run or
// a release, which need not be one, is where the catalog names its service.
func isDeployed(r *event.Routed) bool {
	return r.Event.Deployment != nil && (!r.Event.Deployment.OnlyIfNamed || r.Service != "")
}

// Apply implements Fold.
func (f *DeploymentFold) Apply(r *event.Routed) {
	e, d := &r.Event, r.Event.Deployment
	f.shown = ""
	f.Last = max(f.Last, e.Time)
	f.Key = max(f.Key, d.Key)
	f.Service.see(e.Time, r.Service)
	f.Repository.see(e.Time, e.Scope.Repository)
	f.URL.see(e.Time, d.URL)
	earliest(&f.Begun, cmp.Or(d.Created, d.Started))
	f.Revisions.see(e.Time, d.Revisions)
	if r.Production {
		f.Environment.see(e.Time, e.Scope.Environment)
	}
	f.Fixes.see(e.Time, d.FixesIncident)
	f.Rework = f.Rework || d.Marks.Hotfix || d.Marks.Revert || slices.ContainsFunc(d.Labels, isReworkLabel)
	f.Named = f.Named || e.Scope.Service != "" || d.OriginalService != ""
	s := deploymentState{e.Time, d.State, r.Production, e.Scope.Environment}
	if i, found := slices.BinarySearchFunc(f.States, s, deploymentState.compare); !found {
		f.States = slices.Insert(f.States, i, s)
	}
}

func isReworkLabel(label string) bool {
	return strings.EqualFold(label, "hotfix") || strings.EqualFold(label, "rollback")
}

// Life implements Fold.
func (f *DeploymentFold) Life() (last timeline.Millis, open bool) {
	return f.Last, !slices.ContainsFunc(f.States, func(s deploymentState) bool {
		return s.State == event.DeploymentSuccess || s.State == event.DeploymentInactive || slices.Contains(failed, s.State)
	})
}

// failed are the states that end an attempt without a success. What was rolled
// back had been deployed; where its success was never heard of, it ends there.
var failed = []event.DeploymentState{event.DeploymentFailure, event.DeploymentRolledBack, event.DeploymentCancelled}

// production reports whether any of it went to production.
func (f *DeploymentFold) production() bool {
	return slices.ContainsFunc(f.States, func(s deploymentState) bool { return s.Production })
}

// first returns when it was first in one of the states, in production or not.
func (f *DeploymentFold) first(production bool, states ...event.DeploymentState) (timeline.Millis, bool) {
	for _, s := range f.States {
		if s.Production == production && slices.Contains(states, s.State) {
			return s.At, true
		}
	}
	return 0, false
}

// label is what a page calls it: checkout run-42.
func (f *DeploymentFold) label() string {
	if f.shown == "" {
		f.shown = strings.TrimSpace(cmp.Or(f.Service.Value, f.Repository.Value) + " " + f.Key)
	}
	return f.shown
}

// succeeded returns when it first was in production, and whether it was.
func (f *DeploymentFold) succeeded() (timeline.Millis, bool) {
	return f.first(true, event.DeploymentSuccess)
}

// unlinked reports whether nothing tells which of several services of its
// repository was deployed; it then counts as the repository's.
func (f *DeploymentFold) unlinked(c *catalog.Catalog) bool {
	if f.Named || f.Repository.Value == "" || f.Service.Value != f.Repository.Value {
		return false
	}
	return len(c.Touched(f.Repository.Value, nil, f.Last)) > 1
}

// failedAfter returns when it was first said to have failed after its success:
// that it was rolled back, or that it failed; 0 where nothing says so.
func (f *DeploymentFold) failedAfter(success timeline.Millis) (at timeline.Millis) {
	for _, s := range f.States {
		switch {
		case !s.Production:
		case s.State == event.DeploymentRolledBack && s.At >= success, s.State == event.DeploymentFailure && s.At > success:
			earliest(&at, s.At)
		}
	}
	return at
}

// succeededAgain returns its first success behind an instant, 0 where it has none.
func (f *DeploymentFold) succeededAgain(after timeline.Millis) timeline.Millis {
	for _, s := range f.States {
		if s.Production && s.State == event.DeploymentSuccess && s.At > after {
			return s.At
		}
	}
	return 0
}

// as is the deployment as a variation reads it: what production is may differ.
func (f *DeploymentFold) as(v *Vary) *DeploymentFold {
	if len(v.Environments) == 0 {
		return f
	}
	g := *f
	g.States = slices.Clone(f.States)
	for i := range g.States {
		g.States[i].Production = v.Production(g.States[i].Production, g.States[i].Environment)
	}
	return &g
}
