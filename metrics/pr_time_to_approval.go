package metrics

import "meridian/ingest/event"

// prTimeToApproval: how long a change takes until somebody approves it.
func prTimeToApproval() *Definition {
	return &Definition{
		Name:   "pr_time_to_approval",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Time to approval",
			Question: "How long does a change take from ready for review to its first approval?",
			Start:    "the pull request is first ready for review: opened, or, if it was opened as a draft, marked as ready",
			End:      "the first review that approves, by a human who is not the author",
			Shows:    "median over the pull requests whose first approval lies in the window",
			Better:   "lower",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"drafts that never became ready: they have no start",
				"approvals by bots (bot), by the author (self) and by deleted accounts (deleted_user): they stop no clock",
				"approvals before it was first ready (draft), after its merge (after_merge), or dated before it was opened (anomaly)",
			},
			Caveats: []string{
				"Holds the waiting for a reviewer and the work on what reviewers found.",
				"The first approval counts, however many the repository asks for; one that is dismissed later still was one.",
				"Counts every hour of the day and week.",
			},
			Reference: "Settled as pickup time is; an approval by a bot or by the author is none.",
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
		Observe:     ofPullRequestIn(observeTimeToApproval),
	}
}

func observeTimeToApproval(f *PullRequestFold, v View, yield func(Observation)) {
	var few [fewAnswers]answer
	answers := few[:0]
	for i := range f.Reviews {
		if r := &f.Reviews[i]; r.State == event.ReviewApproved {
			answers = append(answers, r.answer())
		}
	}
	w := f.firstOf(v, answers)
	w.tell(yield)
}
