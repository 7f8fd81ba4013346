package metrics

import (
	"cmp"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// DeliveryLine holds what a team delivers and what comes of it: the default
// branches of its repositories, the deployments of its services, and incidents.
//
// It is one line for a team and not one for each service, because what belongs
// together is only known when all of it has come: without a catalog it is the
// first deployment that says which repository a service comes from, after years
// of pushes; the catalog's five services of one repository share its branch; and
// the deploy time of a pull request is that of the first of them to ship it.
//
// A line does not care which copy of a record it got. Pushes and merges of a
// repository that is deployed by other teams come to theirs as references, and
// so do deployments to the teams of the repositories; whose numbers they are is
// told by Home.
//
// The state is the facts, each with its own time. What follows from them (the
// order of commits, what each deployment has shipped) is in an index that is not
// saved: see [deliveryIndex].
type DeliveryLine struct {
	Repositories []*lineRepository // by ID
	Deployments  []*lineDeployment // by ID
	Issues       []*lineIssue      // by ID
	Branches     branches          // all but default ones
	Rollbacks    []rollback        // that do not name what they roll back; sorted
	Signals      []signal          // of failure, of deployments that were forgotten; by service
	Last         timeline.Millis
	Known        []hashes // of what was last asked, by part

	index *deliveryIndex
}

var (
	_ Line     = (*DeliveryLine)(nil)
	_ Prepared = (*DeliveryLine)(nil)
)

// lineRepository is a repository, as far as it is delivered.
type lineRepository struct {
	ID     event.EntityID
	Names  []string // in lower case, all that it ever had; sorted
	Name   latest
	Pushes []*linePush   // to its default branch; sorted
	Merges []*lineMerge  // into its default branch; by number
	Others []otherCommit // heads of other branches; by commit
}

// linePush is a push to the default branch.
type linePush struct {
	At       timeline.Millis
	Before   uint64
	After    uint64
	Forced   bool
	Services []string     // of those that the catalog describes, the ones that it touches
	Commits  []lineCommit // oldest first

	placed bool // in the order of its branch; derived
}

// lineCommit is a commit on the default branch.
type lineCommit struct {
	Commit   uint64
	Authored timeline.Millis
	Author   uint64 // a hash, to know a rebased copy by
	Merge    bool
	Bot      bool
	Touches  uint64 // of the push's Services, by place
	Name     string // as people call it: the first digits
}

func (p *linePush) compare(q *linePush) int {
	return cmp.Or(cmp.Compare(p.At, q.At), cmp.Compare(p.After, q.After), cmp.Compare(p.Before, q.Before))
}

// lineMerge is a pull request that was merged into the default branch.
type lineMerge struct {
	Number  int64
	ID      event.EntityID
	Merged  timeline.Millis
	Created timeline.Millis
	First   timeline.Millis // author time of its first commit, where a payload states it
	Commit  uint64          // that it became
	Count   int64           // of its commits
	Branch  event.EntityID
	Bot     bool
	Home    bool // it is this team's
	URL     latest

	placed bool // derived, as of pushes
}

// otherCommit is one that is not on the default branch, or was not yet.
type otherCommit struct {
	Commit uint64
	At     timeline.Millis // when it was last seen
}

type lineDeployment struct {
	ID   event.EntityID
	Home bool
	Base bool // kept only for what it has shipped
	Fold DeploymentFold
}

type lineIssue struct {
	ID   event.EntityID
	Fold IssueFold
}

// rollback is one of a service's last deployment, whichever that was.
type rollback struct {
	Service     string
	At          timeline.Millis
	Environment string
}

func (r rollback) compare(o rollback) int {
	return cmp.Or(strings.Compare(r.Service, o.Service), cmp.Compare(r.At, o.At), strings.Compare(r.Environment, o.Environment))
}

type signal struct {
	Service string
	At      timeline.Millis
}

const deliveryID event.EntityID = "delivery"

func deliveryKind() FoldKind {
	return FoldKind{
		Subject: SubjectDelivery,
		New:     func() Fold { return new(DeliveryLine) },
		Entity: func(r *event.Routed) event.EntityID {
			if (r.Copy == event.Home || r.Copy == event.Reference) && ofDelivery(r) {
				return deliveryID
			}
			return ""
		},
	}
}

// ofDelivery reports whether a record has something to say to a line.
func ofDelivery(r *event.Routed) bool {
	e := &r.Event
	switch {
	case e.PullRequest != nil:
		return e.PullRequest.Merged != 0 || e.Kind == event.PullRequestMerged || e.PullRequest.FirstAuthored != 0
	case e.Kind == event.Pushed:
		return e.Push != nil && !e.Push.Tag
	case e.Deployment != nil:
		return isDeployed(r)
	}
	return isIssueFact(e) && (e.Kind == event.IssueDeleted || r.Service != "" || len(e.Issue.CausedBy) > 0)
}

// Apply implements Fold.
func (l *DeliveryLine) Apply(r *event.Routed) {
	e := &r.Event
	l.Last = max(l.Last, e.Time)
	switch {
	case e.PullRequest != nil:
		l.merged(r)
	case e.Push != nil && e.Push.Default:
		l.pushed(r)
	case e.Push != nil:
		if e.Push.Deleted || e.Push.After == "" {
			break
		}
		l.saw(l.repository(e), commitNumber(e.Push.After), e.Time)
	case e.Deployment != nil:
		l.deployed(r)
	default:
		i, found := slices.BinarySearchFunc(l.Issues, e.Entity, func(i *lineIssue, id event.EntityID) int { return cmp.Compare(i.ID, id) })
		if !found {
			l.Issues = slices.Insert(l.Issues, i, &lineIssue{ID: e.Entity})
		}
		was := l.isIncident(&l.Issues[i].Fold)
		l.Issues[i].Fold.Apply(r)
		l.changed(dirt{failures: was || l.isIncident(&l.Issues[i].Fold)})
	}
	if e.PullRequest != nil || e.Push != nil {
		if id := l.Branches.see(e); id != "" {
			l.changed(dirt{branch: id})
		}
	}
}

// repository returns the repository of a push or a pull request.
func (l *DeliveryLine) repository(e *event.Event) *lineRepository {
	id := e.Entity
	if before, _, ok := strings.Cut(string(id), "/pr/"); ok {
		id = event.EntityID(before)
	}
	i, found := slices.BinarySearchFunc(l.Repositories, id, func(r *lineRepository, id event.EntityID) int { return cmp.Compare(r.ID, id) })
	if !found {
		l.Repositories = slices.Insert(l.Repositories, i, &lineRepository{ID: id})
	}
	r := l.Repositories[i]
	shown := r.Name.Value
	r.Name.see(e.Time, e.Scope.Repository)
	news := r.Name.Value != shown // it may have got back a name that it had
	if name := strings.ToLower(e.Scope.Repository); name != "" {
		if named := insertSorted(r.Names, name); len(named) != len(r.Names) {
			r.Names, news = named, true
		}
	}
	if news {
		l.changed(dirt{services: true, tail: 1})
	}
	return r
}

// saw notes a commit that is the head of some branch.
func (l *DeliveryLine) saw(r *lineRepository, commit uint64, at timeline.Millis) {
	i, found := slices.BinarySearchFunc(r.Others, commit, func(o otherCommit, c uint64) int { return cmp.Compare(o.Commit, c) })
	if !found {
		r.Others = slices.Insert(r.Others, i, otherCommit{Commit: commit})
		l.changed(dirt{})
	}
	r.Others[i].At = max(r.Others[i].At, at)
}

func (l *DeliveryLine) pushed(r *event.Routed) {
	e, push := &r.Event, r.Event.Push
	if push.Deleted {
		return
	}
	repository := l.repository(e)
	p := &linePush{
		At: e.Time, Before: commitNumber(push.Before), After: commitNumber(push.After), Forced: push.Forced,
		Services: slices.Clone(r.Services), Commits: make([]lineCommit, len(push.Commits)),
	}
	for i := range push.Commits {
		c := &push.Commits[i]
		p.Commits[i] = lineCommit{
			Commit: commitNumber(c.SHA), Authored: c.Authored, Author: authorNumber(c.Author), Merge: c.Merge, Bot: c.Author.Bot,
			Name: c.SHA[:min(len(c.SHA), shownDigits)], Touches: event.EveryService,
		}
		if i < len(r.Commits) {
			p.Commits[i].Bot, p.Commits[i].Touches = r.Commits[i].Bot, r.Commits[i].Touches
		}
	}
	i, found := slices.BinarySearchFunc(repository.Pushes, p, (*linePush).compare)
	if !found {
		repository.Pushes = slices.Insert(repository.Pushes, i, p)
		l.changed(dirt{repository: repository.ID, from: p.At})
	}
}

const shownDigits = 7

func (l *DeliveryLine) merged(r *event.Routed) {
	e, p := &r.Event, r.Event.PullRequest
	repository := l.repository(e)
	if p.HeadSHA != "" && !r.Backfilled {
		l.saw(repository, commitNumber(p.HeadSHA), e.Time)
	}
	if !p.IntoMain {
		return
	}
	i, found := slices.BinarySearchFunc(repository.Merges, p.Number, func(m *lineMerge, n int64) int { return cmp.Compare(m.Number, n) })
	if !found {
		repository.Merges = slices.Insert(repository.Merges, i, &lineMerge{Number: p.Number, ID: e.Entity})
	}
	m := repository.Merges[i]
	was := *m
	earliest(&m.Merged, p.Merged)
	if e.Kind == event.PullRequestMerged {
		earliest(&m.Merged, e.Time)
	}
	earliest(&m.Created, cmp.Or(p.Created, e.Created))
	earliest(&m.First, p.FirstAuthored)
	m.Commit = max(m.Commit, commitNumber(p.MergeSHA))
	m.Count = max(m.Count, p.Commits)
	m.Branch = max(m.Branch, branchOf(e))
	m.Bot = m.Bot || p.Author.Bot || r.Author.Bot
	m.Home = m.Home || r.Copy == event.Home
	m.URL.see(e.Time, p.URL)
	if was != *m && m.Merged != 0 {
		from := m.Merged
		if was.Merged != 0 {
			from = min(from, was.Merged)
		}
		l.changed(dirt{repository: repository.ID, from: from, merge: m, was: was})
	}
}

func (l *DeliveryLine) deployed(r *event.Routed) {
	e := &r.Event
	if e.Deployment.OfPrevious {
		if e.Deployment.State != event.DeploymentRolledBack || !r.Production {
			return
		}
		n := rollback{Service: r.Service, At: e.Time, Environment: e.Scope.Environment}
		if i, found := slices.BinarySearchFunc(l.Rollbacks, n, rollback.compare); !found {
			l.Rollbacks = slices.Insert(l.Rollbacks, i, n)
		}
		l.changed(dirt{failures: true})
		return
	}
	i, found := slices.BinarySearchFunc(l.Deployments, e.Entity, func(d *lineDeployment, id event.EntityID) int { return cmp.Compare(d.ID, id) })
	if !found {
		l.Deployments = slices.Insert(l.Deployments, i, &lineDeployment{ID: e.Entity})
	}
	d := l.Deployments[i]
	d.Home = d.Home || r.Copy == event.Home
	was, _ := d.Fold.succeeded()
	_, before := d.Fold.frequency()
	d.Fold.Apply(r)
	now, _ := d.Fold.succeeded()
	if _, after := d.Fold.frequency(); !before && !after {
		return // under way: nothing follows from it yet
	}
	l.changed(dirt{deployment: d, tail: soonest(was, now)})
}

// isIncident reports whether an issue may be one: where there is no index, everything
// will be looked at.
func (l *DeliveryLine) isIncident(f *IssueFold) bool {
	return l.index == nil || f.isIncident(l.index.catalog)
}

// Life implements Fold. A line is kept for as long as Trim leaves something.
func (l *DeliveryLine) Life() (last timeline.Millis, open bool) { return l.Last, true }
