package metrics

import (
	"strconv"

	"meridian/ingest/event"
)

// prCodingTime: how long a change is written before it is shown.
func prCodingTime() *Definition {
	return &Definition{
		Name:   "pr_coding_time",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Coding time",
			Question: "How long is a change worked on before it is ready for a review?",
			Start:    "the author time of the first commit that was pushed to the pull request's branch",
			End:      "the pull request is first ready for review: opened, or, if it was opened as a draft, marked as ready; where pickup time starts",
			Shows:    "median over the pull requests that became ready in the window",
			Better:   "lower",
			LeftOut: []string{
				"pull requests that bots open (bot), counted at their merge",
				"those whose first commit is not known (unknown_commit): from a fork, whose pushes nobody hears of; pushed before Meridian listened; or with no commit that is older than the pull request, as after all of them were squashed into one",
				"drafts that never became ready: they have no end",
				"commits that the repository had before, as those of the default branch when it is merged into this one",
				"what was pushed before the branch was last made, deleted or merged: names of branches are used again",
			},
			Caveats: []string{
				"Author times are what the clocks of the authors' machines said; a rebase or an amendment keeps them.",
				"A commit that was picked from long ago makes it long. Work before the first commit is in no commit.",
				"Where a first push was missed and a second one was not, the first commit that is known is taken.",
				"Never below nothing: a first commit that is younger than its pull request is not taken for the first.",
				"Coding, pickup, review and deploy time add up to lead time.",
			},
			Reference: "Public issue trackers tell of negative coding times after a squash, and of first commits lost in squash merges; here both are counted as not known.",
		},
		Statistic:   MedianDuration,
		Sources:     []event.Source{event.GitHub},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Missing:     []Reason{UnknownCommit},
		Varies:      onlyPeople,
		Subject:     SubjectBranch,
		Observe:     observeCoding,
	}
}

func observeCoding(fold Fold, v View, yield func(Observation)) {
	f := fold.(*BranchFold)
	only, err := strconv.ParseInt(v.Part, 10, 64)
	for i := range f.Pulls {
		p := &f.Pulls[i]
		if err == nil && p.Number != only {
			continue
		}
		item := v.Part
		if err != nil {
			item = pullPart(p.Number)
		}
		tell := p.described(func(o Observation) { o.Item = item; yield(o) })
		if !v.Vary.People.includes(p.Author.Bot) {
			p.leftOut(tell)
			continue
		}
		ready, ok := p.start()
		if !ok {
			continue
		}
		first, known := f.first(p)
		if !known {
			tell(Observation{At: ready, Outcome: Excluded, Reason: UnknownCommit})
			continue
		}
		o := duration(first, ready)
		o.Basis = BasisMeasured
		tell(o)
	}
}
