package metrics

import "meridian/ingest/event"

// prFirstResponse: how long a change waits for any reaction.
func prFirstResponse() *Definition {
	return &Definition{
		Name:   "pr_first_response",
		Family: PullRequests,
		Passport: Passport{
			Title:    "First response",
			Question: "How long does a change wait for any reaction of somebody else?",
			Start:    "the pull request is first ready for review: opened, or, if it was opened as a draft, marked as ready",
			End:      "the first review, comment on a line of the diff or comment in the conversation, by a human who is not the author",
			Shows:    "median over the pull requests whose first response lies in the window",
			Better:   "lower",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"drafts that never became ready: they have no start",
				"responses by bots (bot), by the author (self) and by deleted accounts (deleted_user), and reviews not submitted yet (pending): they stop no clock",
				"responses before it was first ready (draft), after its merge (after_merge), or dated before it was opened (anomaly)",
			},
			Caveats: []string{
				"Counts every hour of the day and week.",
				"Shows waits that have ended. A change that still waits is in no window yet.",
				"A reaction says that somebody has seen the change, and nothing about whether the answer helped. A comment counts whatever it says.",
				"Never longer than pickup time of the same pull request, which waits for a review.",
			},
			Reference: "Settled after github/issue-metrics#682 (a comment is a response and no review) and #101 (the author's own comment is none).",
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
		Reads:       aspectPull | aspectReviews | aspectComments,
		Observe:     ofPullRequestIn(observeFirstResponse),
	}
}

func observeFirstResponse(f *PullRequestFold, v View, yield func(Observation)) {
	var few [fewAnswers]answer
	answers := f.reviewAnswers(few[:0])
	for i := range f.Comments {
		answers = append(answers, f.Comments[i].answer())
	}
	w := f.firstOf(v, answers)
	w.tell(yield)
}
