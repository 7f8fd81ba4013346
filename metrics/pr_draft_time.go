package metrics

import (
	"cmp"

	"meridian/ingest/event"
)

// prDraftTime: how long changes are drafts.
func prDraftTime() *Definition {
	return &Definition{
		Name:   "pr_draft_time",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Time as a draft",
			Question: "How long do changes stay drafts?",
			Start:    "the pull request becomes a draft: opened as one, or converted",
			End:      "the merge, or the last close where it was not merged",
			Shows:    "median over the pull requests merged or closed in the window that ever were drafts, of all their time as drafts",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"pull requests that never were drafts, and those still open",
				"merges and closes dated before the pull request was opened (anomaly)",
			},
			Caveats: []string{
				"Counts every hour of the day and week, and several times as a draft add up.",
				"What is merged or closed as a draft was one until then.",
				"A draft can be work in progress or an early question to others; neither long nor short is better.",
			},
			Reference: "Settled after pullreminders/backlog#155 and github/issue-metrics#353: time as a draft is a number of its own, in no other one.",
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
		Reads:       aspectPull,
		Observe:     ofPullRequest(observeDraftTime),
	}
}

func observeDraftTime(f *PullRequestFold, yield func(Observation)) {
	end := cmp.Or(f.Merged, f.unmerged())
	if f.Created == 0 || end == 0 {
		return
	}
	first, total, ever := f.Drafts.spent(f.Created, end)
	if !ever {
		return
	}
	o := duration(first, end)
	if o.Outcome == Observed {
		o.Value = int64(total)
	}
	yield(o)
}
