package metrics

import "meridian/ingest/event"

// prSize: how large changes are.
func prSize() *Definition {
	return &Definition{
		Name:   "pr_size",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Size",
			Question: "How large are the changes that are merged?",
			End:      "the merge",
			Shows:    "median over the pull requests merged in the window, of lines added and removed",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"pull requests closed without a merge",
				"pull requests of whose size no delivery has told",
			},
			Caveats: []string{
				"Lines are as GitHub counts them, generated files, lock files and moved code included.",
				"Added and removed lines add up: a changed line counts twice.",
				"Small changes are easier to review. The number says nothing about the work in them.",
			},
			Reference: "As GitHub counts lines, at the merge.",
		},
		Statistic:   MedianLines,
		Sources:     []event.Source{event.GitHub},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Varies:      onlyPeople,
		Subject:     SubjectPullRequest,
		Reads:       aspectPull | aspectSize,
		Observe: ofPullRequest(func(f *PullRequestFold, yield func(Observation)) {
			if f.Merged != 0 && f.Size.At != 0 {
				yield(Observation{Start: f.Created, At: f.Merged, Value: f.Size.Added + f.Size.Removed, Outcome: Observed})
			}
		}),
	}
}
