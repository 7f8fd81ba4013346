package metrics

import "meridian/ingest/event"

// issuesReopened: how often what was done was not.
func issuesReopened() *Definition {
	return &Definition{
		Name:   "issues_reopened",
		Family: WorkItems,
		Passport: Passport{
			Title:    "Issues reopened",
			Question: "How often does work that was done come back?",
			End:      "an issue leaves a status of done for one that is not",
			Shows:    "number of times",
			Better:   "lower",
			LeftOut: []string{
				"deleted issues",
			},
			Caveats: []string{
				"A status means what the catalog says, else what Jira says, else what its name says; any other name is in progress.",
				"An issue that is reopened twice counts twice.",
				"From one done status to another is no leaving.",
				"Issues of GitHub count where they bear a label that the catalog names for incidents; others may be questions and ideas.",
			},
			Reference: "As Jira's changelog tells it: each leaving of a done status.",
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
			for _, c := range f.history() {
				if v.category(c.From) == event.CategoryDone && v.category(c.To) != event.CategoryDone {
					yield(Observation{Item: c.At.String() + " " + c.From.Name, At: c.At, Value: 1, Outcome: Observed})
				}
			}
		}),
	}
}
