package metrics

import "meridian/ingest/event"

// prMerged: how many changes are merged.
func prMerged() *Definition {
	return &Definition{
		Name:   "pr_merged",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Merged pull requests",
			Question: "How many changes are merged?",
			End:      "the merge",
			Shows:    "number of pull requests merged in the window",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"pull requests closed without a merge",
			},
			Caveats: []string{
				"Merges into any branch count, not only into the default branch.",
				"Small and large changes count the same. It says how the work is cut, as much as how much of it there is.",
				"Never compare people or teams by it.",
			},
			Reference: "A count of what GitHub tells; merged wins over any close, after apache/devlake#8241.",
		},
		Statistic:   Count,
		Sources:     []event.Source{event.GitHub},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Varies:      onlyPeople,
		Subject:     SubjectPullRequest,
		Reads:       aspectPull,
		Observe: ofPullRequest(func(f *PullRequestFold, yield func(Observation)) {
			if f.Merged != 0 {
				yield(Observation{Start: f.Created, At: f.Merged, Value: 1, Outcome: Observed})
			}
		}),
	}
}
