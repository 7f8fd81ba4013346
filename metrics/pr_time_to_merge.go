package metrics

import "meridian/ingest/event"

// prTimeToMerge: how long a change takes from ready to merged.
func prTimeToMerge() *Definition {
	return &Definition{
		Name:   "pr_time_to_merge",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Time to merge",
			Question: "How long does a change take from ready for review to merged?",
			Start:    "the pull request is first ready for review: opened, or, if it was opened as a draft, marked as ready",
			End:      "the merge",
			Shows:    "median over the pull requests merged in the window",
			Better:   "lower",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"pull requests merged as a draft: they have no start",
				"pull requests closed without a merge",
				"merges dated before the pull request was opened (anomaly)",
			},
			Caveats: []string{
				"A merge wins over an earlier close: one that was closed, reopened and merged is measured once, over its whole life.",
				"Counts every hour of the day and week.",
				"Merged without any review counts too.",
			},
			Reference: "Settled after apache/devlake#8241 (closed, reopened and merged: one merge, and its time) and github/issue-metrics#111 (the merge ends it, and not the close).",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Varies:      startAndPeople,
		Subject:     SubjectPullRequest,
		Reads:       aspectPull,
		Observe: ofPullRequestIn(func(f *PullRequestFold, v View, yield func(Observation)) {
			if start, ok := f.startBy(v.Vary.Start); ok && f.Merged != 0 {
				yield(duration(start, f.Merged))
			}
		}),
	}
}
