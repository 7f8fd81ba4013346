package metrics

import "meridian/ingest/event"

// issuesInProgress: how much is begun and not done.
func issuesInProgress() *Definition {
	return &Definition{
		Name:   "issues_in_progress",
		Family: WorkItems,
		Passport: Passport{
			Title:    "Issues in progress",
			Question: "How many issues are being worked on, and for how long?",
			End:      "an issue in a status in progress, at the end of the window",
			Shows:    "number of issues in a status in progress at the end of the window, with the ages of these stays",
			Better:   "lower",
			LeftOut: []string{
				"deleted issues",
			},
			Caveats: []string{
				"A status means what the catalog says, else what Jira says, else what its name says; any other name is in progress.",
				"An age is how long the issue has been in progress without a break; from one status in progress to the next is none.",
				"Over teams it adds up, and over time the last instant counts.",
				"Issues of GitHub count where they bear a label that the catalog names for incidents; others may be questions and ideas.",
			},
			Reference: "Work in progress of Kanban practice, at an instant.",
		},
		Statistic:   Gauge,
		Sources:     []event.Source{event.GitHub, event.Jira},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Subject:     SubjectIssue,
		Observe: ofIssue(func(f *IssueFold, v View, yield func(Observation)) {
			f.stays(func(s status) bool { return v.category(s) == event.CategoryInProgress }, gaugeOf(yield))
		}),
	}
}
