package metrics

import "meridian/ingest/event"

// issueLeadTime: how long somebody waits for what they asked for.
func issueLeadTime() *Definition {
	return &Definition{
		Name:   "issue_lead_time",
		Family: WorkItems,
		Passport: Passport{
			Title:    "Issue lead time",
			Question: "How long does an issue take from being created to done?",
			Start:    "the issue is created",
			End:      "the issue last enters a status of done",
			Shows:    "median over the issues that were last done in the window and still are",
			Better:   "lower",
			LeftOut: []string{
				"issues that are open, also those that were done and have been reopened",
				"issues that were created as done",
				"deleted issues",
				"issues done before they were created (anomaly)",
			},
			Caveats: []string{
				"A status means what the catalog says, else what Jira says, else what its name says; any other name is in progress.",
				"From one done status to another (Resolved to Closed) is no new entry.",
				"Holds all the time that an issue waited before anybody began; cycle time begins with the work.",
				"Reopened and done again moves the end, and the value leaves the window in which it was.",
				"Issues of GitHub count where they bear a label that the catalog names for incidents; others may be questions and ideas.",
			},
			Reference: "As Kanban practice has it: from the request to done.",
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
			if end, ok := f.done(v.category); ok && f.Created != 0 {
				yield(duration(f.Created, end))
			}
		}),
	}
}
