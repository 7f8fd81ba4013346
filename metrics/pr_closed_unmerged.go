package metrics

import "meridian/ingest/event"

// prClosedUnmerged: how many changes are given up.
func prClosedUnmerged() *Definition {
	return &Definition{
		Name:   "pr_closed_unmerged",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Closed without a merge",
			Question: "How many changes are closed without being merged?",
			End:      "the last time that the pull request was closed",
			Shows:    "number of pull requests closed in the window that were not merged and are still closed",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"pull requests that were merged, also after having been closed",
				"pull requests that are open again: reopening takes them out of the window in which they were",
			},
			Caveats: []string{
				"Closed, reopened and closed again is one, at the last close.",
				"Giving up a change early can be good work. What is replaced by another pull request is here, too.",
			},
			Reference: "A count of what GitHub tells; closed again after a reopening is one, after apache/devlake#8241.",
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
			if closed := f.unmerged(); closed != 0 {
				yield(Observation{Start: f.Created, At: closed, Value: 1, Outcome: Observed})
			}
		}),
	}
}
