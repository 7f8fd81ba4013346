package metrics

import (
	"cmp"
	"slices"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// IssueFold holds one issue: where it started, and each change of its status.
type IssueFold struct {
	Created timeline.Millis
	Began   status         // its status when it was created, where that was told
	Changes []statusChange // by time
	Last    timeline.Millis
	Deleted bool
	Key     latest // OPS-7; changes when it is moved
	URL     latest

	Type     latest
	Labels   latestTexts
	Service  latest   // that it would be an incident of
	CausedBy []string // deployments that it says have caused it; sorted
	Incident bool     // its source knows nothing but incidents
	GitHub   bool
}

// status is a status as payloads name it. What it means is asked of the
// catalog when it is read.
type status struct {
	Name     string
	Category event.StatusCategory // where the payload said
}

func (s status) compare(o status) int {
	return cmp.Or(cmp.Compare(s.Name, o.Name), cmp.Compare(s.Category, o.Category))
}

// statusChange is one entry of the changelog. Two with the same time and
// statuses are one.
type statusChange struct {
	At   timeline.Millis
	From status
	To   status
}

func (c statusChange) compare(o statusChange) int {
	return cmp.Or(cmp.Compare(c.At, o.At), cmp.Compare(c.From.Name, o.From.Name), cmp.Compare(c.To.Name, o.To.Name))
}

func issueKind() FoldKind {
	return FoldKind{
		Subject: SubjectIssue,
		New:     func() Fold { return new(IssueFold) },
		Returns: true,
		Entity: func(r *event.Routed) event.EntityID {
			if r.Copy == event.Home && isIssueFact(&r.Event) {
				return r.Event.Entity
			}
			return ""
		},
	}
}

// isIssueFact reports whether an event tells something of an issue itself.
func isIssueFact(e *event.Event) bool {
	switch e.Kind {
	case event.IssueCreated, event.IssueTransitioned, event.IssueUpdated, event.IssueDeleted:
		return e.Issue != nil || e.Kind == event.IssueDeleted
	}
	return false
}

// Apply implements Fold.
func (f *IssueFold) Apply(r *event.Routed) {
	e := &r.Event
	f.Last = max(f.Last, e.Time)
	if e.Kind == event.IssueDeleted {
		f.Deleted = true
	}
	i := e.Issue
	if i == nil {
		return
	}
	earliest(&f.Created, cmp.Or(i.Created, e.Created))
	f.Key.see(e.Time, i.Key)
	f.URL.see(e.Time, i.URL)
	f.Type.see(e.Time, i.Type)
	if e.Kind != event.IssueDeleted {
		f.Labels.state(e.Time, i.Labels)
	}
	f.Service.see(e.Time, r.Service)
	for _, d := range i.CausedBy {
		f.CausedBy = insertSorted(f.CausedBy, d)
	}
	f.Incident = f.Incident || i.IsIncident
	f.GitHub = f.GitHub || e.Source == event.GitHub
	switch e.Kind {
	case event.IssueCreated:
		if began := (status{i.Current.Name, i.Current.Category}); began.compare(f.Began) > 0 {
			f.Began = began
		}
	case event.IssueTransitioned:
		f.changed(statusChange{e.Time, status{i.From.Name, i.From.Category}, status{i.To.Name, i.To.Category}})
	}
}

func (f *IssueFold) changed(c statusChange) {
	i, found := slices.BinarySearchFunc(f.Changes, c, statusChange.compare)
	if !found {
		f.Changes = slices.Insert(f.Changes, i, c)
		return
	}
	// One copy may say what another leaves out.
	was := &f.Changes[i]
	was.From.Category = max(was.From.Category, c.From.Category)
	was.To.Category = max(was.To.Category, c.To.Category)
}

// history returns the changes in the order in which they happened. Several of
// one instant, as one edit can hold, follow each other by their statuses. They are only
// lent.
func (f *IssueFold) history() []statusChange {
	together := false
	for i := 1; i < len(f.Changes) && !together; i++ {
		together = f.Changes[i].At == f.Changes[i-1].At
	}
	if !together { // nearly always
		return f.Changes
	}
	changes := slices.Clone(f.Changes)
	now := f.Began.Name
	for i := range changes {
		end := i + 1
		for end < len(changes) && changes[end].At == changes[i].At {
			end++
		}
		first := i + firstOf(changes[i:end], now)
		next := changes[first]
		copy(changes[i+1:first+1], changes[i:first])
		changes[i] = next
		now = next.To.Name
	}
	return changes
}

// firstOf returns which of several changes of one instant came first: the one
// that leaves the status that the issue was in. Where nobody told that status,
// or what led to theirs was missed, it is one that no other of them leads to.
func firstOf(changes []statusChange, now string) int {
	leads := func(name string) bool {
		return slices.ContainsFunc(changes, func(c statusChange) bool { return c.To.Name == name })
	}
	i := slices.IndexFunc(changes, func(c statusChange) bool { return c.From.Name == now })
	if i < 0 {
		i = slices.IndexFunc(changes, func(c statusChange) bool { return !leads(c.From.Name) })
	}
	return max(i, 0)
}

// Life implements Fold. It does not ask the catalog, so an issue that only the
// catalog calls done is kept as long as an open one.
func (f *IssueFold) Life() (last timeline.Millis, open bool) {
	if f.Deleted {
		return f.Last, false
	}
	history := f.history()
	return f.Last, len(history) == 0 || history[len(history)-1].To.Category != event.CategoryDone
}

// isIncident reports whether the issue is an incident: by the type and labels
// that it has now. One that lost them is none, whatever it was called before.
func (f *IssueFold) isIncident(c *catalog.Catalog) bool {
	return !f.Deleted && c.Incident(&event.Issue{Type: f.Type.Value, Labels: f.Labels.Texts, IsIncident: f.Incident})
}

// counts reports whether it is a work item: any issue of Jira; of GitHub, where
// issues are questions and ideas as well, those with a label that the catalog
// names; none of a source that knows nothing but incidents.
func (f *IssueFold) counts(c *catalog.Catalog) bool {
	return !f.Deleted && !f.Incident && (!f.GitHub || f.isIncident(c))
}

// over returns when an incident last came to be over, and whether it is.
func (f *IssueFold) over(c *catalog.Catalog) (at timeline.Millis, over bool) {
	f.stays(func(s status) bool { return c.Over(event.Status{Name: s.Name, Category: s.Category}) }, func(from, to timeline.Millis) {
		at, over = from, to == never
	})
	return at, over
}

// stays yields the times that the issue spent in statuses of some kind, from
// entering one until leaving the last; to is never where it is in one.
func (f *IssueFold) stays(in func(status) bool, yield func(from, to timeline.Millis)) {
	inside := f.Began != (status{}) && f.Created != 0 && in(f.Began)
	since := f.Created
	for _, c := range f.history() {
		switch now := in(c.To); {
		case now && !inside:
			inside, since = true, c.At
		case !now && inside:
			inside = false
			yield(since, c.At)
		}
	}
	if inside {
		yield(since, never)
	}
}
