package metrics

import "meridian/ingest/event"

// issuesDone: how many issues get done.
func issuesDone() *Definition {
	return &Definition{
		Name:   "issues_done",
		Family: WorkItems,
		Passport: Passport{
			Title:    "Issues done",
			Question: "How many issues get done?",
			End:      "the last entry into a status of done, of issues that are done now",
			Shows:    "number of issues",
			LeftOut: []string{
				"issues that have been reopened and are open",
				"issues that were created as done",
				"deleted issues",
			},
			Caveats: []string{
				"A status means what the catalog says, else what Jira says, else what its name says; any other name is in progress.",
				"An issue counts once, when it was last done.",
				"Issues are of any size: more is not better.",
				"Issues of GitHub count where they bear a label that the catalog names for incidents; others may be questions and ideas.",
			},
			Reference: "Counts what is done now, so that reopening takes back and nothing counts twice.",
		},
		Statistic:   Count,
		Sources:     []event.Source{event.GitHub, event.Jira},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Subject:     SubjectIssue,
		Observe: ofIssue(func(f *IssueFold, v View, yield func(Observation)) {
			if end, ok := f.done(v.category); ok {
				yield(Observation{Start: f.Created, At: end, Value: 1, Outcome: Observed})
			}
		}),
	}
}
