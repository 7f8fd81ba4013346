package catalog

import (
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

func TestCategory(t *testing.T) {
	c := mustParse(t, `statuses: {to_do: [Next], in_progress: ["In Review", Closed], done: [shipped]}`)
	for _, tc := range []struct {
		status event.Status
		want   event.StatusCategory
	}{
		{event.Status{Name: "Shipped"}, event.CategoryDone},
		{event.Status{Name: "Shipped", Category: event.CategoryInProgress}, event.CategoryDone}, // the catalog has names of one's own
		{event.Status{Name: " in review "}, event.CategoryInProgress},
		{event.Status{Name: "Next"}, event.CategoryToDo},
		{event.Status{Name: "Closed", Category: event.CategoryDone}, event.CategoryInProgress},
		{event.Status{Name: "Parked", Category: event.CategoryDone}, event.CategoryDone}, // the payload says so
		{event.Status{Name: "Done", Category: event.CategoryToDo}, event.CategoryToDo},
		{event.Status{Name: "To Do"}, event.CategoryToDo},
		{event.Status{Name: "OPEN"}, event.CategoryToDo},
		{event.Status{Name: "Backlog"}, event.CategoryToDo},
		{event.Status{Name: "New"}, event.CategoryToDo},
		{event.Status{Name: "Done"}, event.CategoryDone},
		{event.Status{Name: "resolved"}, event.CategoryDone},
		{event.Status{Name: "Whatever"}, event.CategoryInProgress},
		{event.Status{}, event.CategoryUnknown},
		{event.Status{Category: event.CategoryDone}, event.CategoryDone},
	} {
		if got := c.Category(tc.status); got != tc.want {
			t.Errorf("%+v is in %d, want %d", tc.status, got, tc.want)
		}
	}
	if got := Empty(Options{}).Category(event.Status{Name: "Closed"}); got != event.CategoryDone {
		t.Errorf("without a catalog Closed is in %d", got)
	}
}

func TestIncident(t *testing.T) {
	c := mustParse(t, `incidents: {types: [Incident, "[System] Incident"], labels: [Outage], resolved: [Mitigated], link_window: 4h}`)
	for _, tc := range []struct {
		issue *event.Issue
		want  bool
	}{
		{&event.Issue{Type: "incident"}, true},
		{&event.Issue{Type: "[System] Incident"}, true},
		{&event.Issue{Type: "Bug"}, false},
		{&event.Issue{Type: "Bug", Labels: []string{"a", "outage"}}, true},
		{&event.Issue{Labels: []string{"incident"}}, false},
		{nil, false},
	} {
		if got := c.Incident(tc.issue); got != tc.want {
			t.Errorf("%+v: %v", tc.issue, got)
		}
		if Empty(Options{}).Incident(tc.issue) {
			t.Errorf("%+v is an incident without a catalog", tc.issue)
		}
	}
	if !c.Over(event.Status{Name: "mitigated"}) || !c.Over(event.Status{Name: "Done"}) || c.Over(event.Status{Name: "Open"}) || c.Over(event.Status{}) {
		t.Error("when an incident is over")
	}
	if c.LinkWindow() != 4*timeline.Hour || Empty(Options{}).LinkWindow() != timeline.Day || mustParse(t, `incidents: {link_window: 0}`).LinkWindow() != 0 {
		t.Error("link windows")
	}
}
