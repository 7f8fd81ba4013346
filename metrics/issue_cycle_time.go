package metrics

import (
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// issueCycleTime: how long work on an issue takes.
func issueCycleTime() *Definition {
	return &Definition{
		Name:   "issue_cycle_time",
		Family: WorkItems,
		Passport: Passport{
			Title:    "Cycle time",
			Question: "How long does an issue take from the start of work to done?",
			Start:    "the issue first enters a status in progress",
			End:      "the issue last enters a status of done",
			Shows:    "median over the issues that were last done in the window and still are",
			Better:   "lower",
			LeftOut: []string{
				"issues that are open, also those that were done and have been reopened",
				"issues that went to done without ever being in progress: they have no start",
				"deleted issues",
			},
			Caveats: []string{
				"A status means what the catalog says, else what Jira says, else what its name says; any other name is in progress.",
				"From one done status to another (Resolved to Closed) is no new entry.",
				"Reopened and done again moves the end, and the value leaves the window in which it was.",
				"Counts every hour from the first start, also while nobody worked on it.",
			},
			Reference: "As Kanban practice has it: from the first start of work to the last done.",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub, event.Jira},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Subject:     SubjectIssue,
		Observe: ofIssue(func(f *IssueFold, v View, yield func(Observation)) {
			if start, end, ok := f.cycle(v.category); ok {
				yield(duration(start, end))
			}
		}),
	}
}

func (v View) category(s status) event.StatusCategory {
	return v.Catalog.Category(event.Status{Name: s.Name, Category: s.Category})
}

// cycle returns the first entry into a status in progress and the last into a
// done one, of an issue that is done now and has both.
func (f *IssueFold) cycle(category func(status) event.StatusCategory) (start, end timeline.Millis, ok bool) {
	var started, ended, done bool
	if category(f.Began) == event.CategoryInProgress && f.Created != 0 {
		start, started = f.Created, true
	}
	for _, c := range f.history() {
		to := category(c.To)
		if to == event.CategoryInProgress && !started {
			start, started = c.At, true
		}
		if done = to == event.CategoryDone; done && category(c.From) != event.CategoryDone {
			end, ended = c.At, true
		}
	}
	return start, end, started && ended && done
}
