package metrics

import (
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// prPickupTimeWorking: how many hours of work a change waits for a reviewer.
func prPickupTimeWorking() *Definition {
	return &Definition{
		Name:   "pr_pickup_time_working",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Pickup time in working hours",
			Question: "How much of the reviewer's working time does a change wait for a review?",
			Start:    "the pull request is first ready for review: opened, or, if it was opened as a draft, marked as ready",
			End:      "the first review, as in pickup time",
			Shows:    "median over the pull requests whose first review lies in the window, of the working time between start and end",
			Zone:     "the reviewer's: the catalog's, else the team's",
			Better:   "lower",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"the same reviews as in pickup time: they stop no clock",
				"waits on a clock that never runs: neither the reviewer nor the team has any working hours (nothing_observed)",
			},
			Caveats: []string{
				"The hours are the reviewer's, else the team's, else the organisation's, else Monday to Friday 09:00-18:00; holidays do not count.",
				"A review at night or on a weekend costs the working time until then, so it is never below nothing, and may be nothing.",
				"Asked on Friday at 17:00 and reviewed on Monday at 10:00 is two hours, where the day ends at 18:00 and begins at 09:00.",
				"For somebody whose schedule has no hours at all, the clock of the team is taken.",
				"Says how many reviewers' zones are configured and how many are assumed; the assumed ones may be wrong.",
			},
			Reference: "Settled after pullreminders/backlog#82: an answer first thing in the morning to what was asked in the evening took minutes and not a night.",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Zones:       true,
		Varies:      startAndPeople,
		Subject:     SubjectPullRequest,
		Reads:       aspectPull | aspectReviews,
		Observe:     ofPullRequestIn(observePickupWorking),
	}
}

func observePickupWorking(f *PullRequestFold, v View, yield func(Observation)) {
	w := f.firstReview(v)
	if w.Item != "" {
		o := Observation{Start: w.Start, At: w.First, Person: w.By.Person, Outcome: Observed}
		var runs bool
		if o.Value, o.Known, runs = v.working(w.By.Person, timeline.Window{Start: w.Start, End: w.First}); !runs {
			o.Outcome, o.Reason = Excluded, NothingObserved
		}
		yield(o)
	}
	w.tellIgnored(yield)
}
