package metrics

import "meridian/ingest/event"

// prOpened: how many changes are proposed.
func prOpened() *Definition {
	return &Definition{
		Name:   "pr_opened",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Opened pull requests",
			Question: "How many changes are proposed?",
			End:      "the creation of the pull request",
			Shows:    "number of pull requests opened in the window",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
			},
			Caveats: []string{
				"Drafts count when they are opened, not when they become ready.",
				"One that was opened before Meridian listened counts as soon as anything is heard of it, for every delivery says when it was opened.",
				"Small and large changes count the same. Never compare people or teams by it.",
			},
			Reference: "A count of what GitHub tells; bots' own are left out, after middlewarehq/middleware#635.",
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
			if f.Created != 0 {
				yield(Observation{At: f.Created, Value: 1, Outcome: Observed})
			}
		}),
	}
}
