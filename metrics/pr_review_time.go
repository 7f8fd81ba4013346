package metrics

import "meridian/ingest/event"

// prReviewTime: how long a change is under review.
func prReviewTime() *Definition {
	return &Definition{
		Name:   "pr_review_time",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Review time",
			Question: "How long does a change take from its first review to its merge?",
			Start:    "the first review, as in pickup time",
			End:      "the merge",
			Shows:    "median over the pull requests merged in the window",
			Better:   "lower",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"pull requests merged without a review that counts, or as a draft: they have no start",
				"pull requests closed without a merge",
			},
			Caveats: []string{
				"Holds the author's work on what reviewers found as well as the reviewers' own.",
				"Counts every hour of the day and week.",
				"Of one pull request, pickup time and review time add up to time to merge; medians of many do not.",
			},
			Reference: "Settled after apache/devlake#4382 and #4562: pickup and review add up to time to merge, and without a review there is neither.",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Varies:      onlyPeople,
		Subject:     SubjectPullRequest,
		Reads:       aspectPull | aspectReviews,
		Observe: ofPullRequestIn(func(f *PullRequestFold, v View, yield func(Observation)) {
			if w := f.firstReview(v); w.Item != "" && f.Merged != 0 {
				yield(duration(w.First, f.Merged))
			}
		}),
	}
}
