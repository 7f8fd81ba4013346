package metrics

import "meridian/ingest/event"

// prReviews: how many reviews are given.
func prReviews() *Definition {
	return &Definition{
		Name:   "pr_reviews",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Reviews",
			Question: "How many reviews are given?",
			End:      "a submitted review by a human who is not the author",
			Shows:    "number of reviews submitted in the window",
			LeftOut: []string{
				"reviews of pull requests that bots open (bot), counted once at their merge",
				"reviews by bots (bot), by the author (self) and by deleted accounts (deleted_user), and those not submitted yet (pending)",
				"reviews dated before their pull request was opened (anomaly)",
				"comments on lines of the diff: the review that holds them counts once",
			},
			Caveats: []string{
				"Reviews of drafts and after the merge count, and dismissed ones, too.",
				"A review of one word and one of a day count the same.",
				"Keeps how many people gave them: many reviews by one person are a risk, and nobody's merit.",
			},
			Reference: "As GitHub counts reviews: submitted ones, and no comments on lines outside them. Who reviews is told for the spread alone, never for a list of people.",
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
		Reads:       aspectPull | aspectReviews,
		Observe:     ofPullRequest(observeReviews),
	}
}

func observeReviews(f *PullRequestFold, yield func(Observation)) {
	if f.Created == 0 {
		return
	}
	for i := range f.Reviews {
		a := f.Reviews[i].answer()
		if f.Reviews[i].isNote() || a.At == 0 || !a.By.known() {
			continue
		}
		o := Observation{Item: a.Item, At: a.At, Value: 1, Outcome: Observed, Person: a.By.Person}
		if reason := f.uncounted(&a); reason != "" {
			o = Observation{Item: a.Item, At: a.At, Outcome: Ignored, Reason: reason}
		}
		yield(o)
	}
}
