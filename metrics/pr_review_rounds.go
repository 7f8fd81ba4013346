package metrics

import (
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// prReviewRounds: how often reviewing goes round.
func prReviewRounds() *Definition {
	return &Definition{
		Name:   "pr_review_rounds",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Review rounds",
			Question: "How often does a change go back to its author and come again?",
			End:      "the next review after new commits that follow a review which requested changes",
			Shows:    "number of rounds that ended in the window: changes requested, new commits, review",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"reviews that do not count in reviews, and those after the merge",
				"changes requested without new commits after them, or without a review after those: the round has not ended",
			},
			Caveats: []string{
				"Whoever requested the changes, anybody's review ends the round, whatever it says; if it requests changes, it begins the next one.",
				"Several requests for changes before the next commits are one round.",
				"New commits are known by the head of the branch, so rewritten ones count, and an update from the main branch does.",
				"Many rounds may mean careful work on something difficult.",
			},
			Reference: "Others count any review that a change follows; here a round needs changes that were asked for, so that a comment and a rebase are none.",
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
		Reads:       aspectPull | aspectReviews | aspectHeads,
		Observe:     ofPullRequest(observeRounds),
	}
}

func observeRounds(f *PullRequestFold, yield func(Observation)) {
	var requested timeline.Millis // changes, which no round has answered yet
	var few [fewAnswers]*review
	for _, v := range f.reviewsInOrder(few[:0]) {
		a := v.answer()
		if v.isNote() || f.uncounted(&a) != "" || f.afterMerge(a.At) {
			continue
		}
		if requested != 0 && f.pushed(requested, a.At) {
			yield(Observation{Item: a.Item, Start: requested, At: a.At, Value: 1, Outcome: Observed})
			requested = 0
		}
		if requested == 0 && v.State == event.ReviewChangesRequested {
			requested = a.At
		}
	}
}
