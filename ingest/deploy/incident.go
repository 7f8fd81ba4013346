package deploy

import (
	"cmp"

	"meridian/ingest/event"
)

// What the two ends of an incident are called; CDEvents have no words for them.
var (
	openIncident     = event.Status{Name: "open", Category: event.CategoryToDo}
	resolvedIncident = event.Status{Name: "resolved", Category: event.CategoryDone}
)

// incident is one that was detected or reported, or resolved. It is named by its
// subject's id and source: whoever resolves it need not be who detected it.
func (e *cdEvent) incident(r *reading) event.Event {
	c, s := e.Context, e.Subject
	ev := e.event(r, event.IssueCreated, s.Content.Service.ID)
	ev.Entity = entityOf(r.provider, r.source, "incident", cmp.Or(s.Source, c.Source), s.ID)
	ev.Issue = &event.Issue{Key: s.ID, Type: "incident", Current: openIncident, IsIncident: true}
	if service := s.Content.Service.ID; service != "" {
		ev.Issue.Labels = []string{"service:" + service}
		ev.Scope.Labels = ev.Issue.Labels
	}
	if e.typeName() == "incident.resolved" {
		ev.Kind = event.IssueTransitioned
		ev.Issue.From, ev.Issue.To, ev.Issue.Current = openIncident, resolvedIncident, resolvedIncident
		ev.Issue.Resolved = c.Timestamp.At
		return ev
	}
	ev.Created, ev.Issue.Created = c.Timestamp.At, c.Timestamp.At
	return ev
}
