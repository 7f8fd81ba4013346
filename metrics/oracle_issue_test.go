package metrics_test

import (
	"cmp"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// issues walks through what happened to each issue, a step at a time.
func (o *oracle) issues() {
	for _, events := range o.entities(func(e *event.Event) bool { return e.Issue != nil && e.Kind != event.IssueCommented }) {
		home := o.catalog.Home(events[0])
		// As they happened: several may have one time.
		slices.SortFunc(events, func(a, b event.Event) int {
			return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(o.order[a.ID], o.order[b.ID]))
		})
		incident := incidentOf(o.catalog, slices.Clone(events), o.order)
		if events[0].Source == event.GitHub && incident == nil {
			continue
		}
		if slices.ContainsFunc(events, func(e event.Event) bool { return e.Kind == event.IssueDeleted }) {
			continue
		}
		o.workItem(home, events)
		if incident == nil {
			continue
		}
		o.value("incidents", home, incident.service, incident.created, 1)
		if incident.over != 0 {
			o.value("incident_recovery_time", home, incident.service, incident.over, int64(incident.over-incident.created))
		}
		from, over := incident.created, false
		for _, e := range events {
			if e.Kind == event.IssueUpdated {
				continue
			}
			switch now := o.catalog.Over(e.Issue.Current); {
			case now && !over:
				if e.Time > from {
					o.open("incidents_open", home, incident.service, from, e.Time)
				}
				over = true
			case !now && over:
				from, over = e.Time, false
			}
		}
		if !over {
			o.open("incidents_open", home, incident.service, from, 0)
		}
	}
}

func (o *oracle) workItem(home string, events []event.Event) {
	var work, done, since timeline.Millis
	now := event.CategoryUnknown
	for _, e := range events {
		next := o.catalog.Category(e.Issue.Current)
		if e.Kind == event.IssueUpdated {
			continue
		}
		if next == event.CategoryInProgress {
			if work == 0 {
				work = e.Time
			}
			if since == 0 {
				since = e.Time
			}
		} else if since != 0 {
			o.open("issues_in_progress", home, "", since, e.Time)
			since = 0
		}
		if e.Kind == event.IssueTransitioned {
			before := o.catalog.Category(e.Issue.From)
			if next == event.CategoryDone && before != event.CategoryDone {
				done = e.Time
			}
			if next != event.CategoryDone && before == event.CategoryDone {
				o.value("issues_reopened", home, "", e.Time, 1)
			}
		}
		now = next
	}
	if since != 0 {
		o.open("issues_in_progress", home, "", since, 0)
	}
	if now != event.CategoryDone || done == 0 {
		return
	}
	o.value("issues_done", home, "", done, 1)
	o.value("issue_lead_time", home, "", done, int64(done-events[0].Issue.Created))
	if work != 0 {
		o.value("issue_cycle_time", home, "", done, int64(done-work))
	}
}
