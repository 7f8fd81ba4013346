package metrics

import "meridian/ingest/event"

// prPickupTime: how long a change waits for a reviewer.
func prPickupTime() *Definition {
	return &Definition{
		Name:   "pr_pickup_time",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Pickup time",
			Question: "How long does a change wait for a reviewer?",
			Start:    "the pull request is first ready for review: opened, or, if it was opened as a draft, marked as ready",
			End:      "the first review, or comment on a line of the diff, by a human who is not the author",
			Shows:    "median over the pull requests whose first review lies in the window",
			Better:   "lower",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"drafts that never became ready: they have no start",
				"reviews by bots (bot), by the author (self) and by deleted accounts (deleted_user), and those not submitted yet (pending): they stop no clock",
				"reviews before it was first ready (draft), after its merge (after_merge), or dated before it was opened (anomaly)",
			},
			Caveats: []string{
				"Counts every hour of the day and week: asked on Friday evening and reviewed on Monday morning is a long wait.",
				"Shows waits that have ended. A change that still waits is in no window yet.",
				"A plain comment in the conversation is an answer but no review, and does not stop the clock.",
				"A review that is dismissed later still was a review; converting to draft later does not move the start.",
			},
			Reference: "Settled after apache/devlake#8974 and middlewarehq/middleware#635 (a bot's instant review taken for the first), middlewarehq/middleware#634 and github/issue-metrics#37 (drafts that wait from their creation), hectcastro/gh-metrics#13 (the author's own review).",
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
		Reads:       aspectPull | aspectReviews,
		Observe: ofPullRequestIn(func(f *PullRequestFold, v View, yield func(Observation)) {
			w := f.firstReview(v)
			w.tell(yield)
		}),
	}
}
