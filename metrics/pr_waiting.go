package metrics

import (
	"cmp"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// prWaiting: how many changes wait for a reviewer right now.
func prWaiting() *Definition {
	return &Definition{
		Name:   "pr_waiting",
		Family: PullRequests,
		Passport: Passport{
			Title:    "Waiting for a review",
			Question: "How many changes wait for a reviewer, and for how long already?",
			End:      "a pull request that is open, ready for review, and has no first review yet, at the end of the window",
			Shows:    "how many there are at the window's end, with how long each has waited since it last became ready",
			Better:   "lower",
			LeftOut: []string{
				"pull requests that bots open",
				"drafts and closed ones, for as long as they are that",
				"those with a first review as in pickup time: what bots, authors and deleted accounts say ends no wait",
			},
			Caveats: []string{
				"Shows the wait that has not ended, which pickup time cannot: the one that has waited for 20 days is here and nowhere else.",
				"Of several days the last one counts; of several teams they add up.",
				"A pull request that goes back to draft, or is closed, and comes back waits anew: its age counts from then.",
				"Opened and reviewed, or merged, in one instant it never waited.",
			},
			Reference: "What medians by end date cannot show, as the public trackers of such tools note: the oldest wait is missing until it ends.",
		},
		Statistic:   Gauge,
		Sources:     []event.Source{event.GitHub},
		Wait:        noWait,
		Accept:      untilHorizon,
		Late:        SideOutput,
		Refire:      Revise,
		Sensitivity: Work,
		Varies:      onlyPeople,
		Subject:     SubjectPullRequest,
		Reads:       aspectPull | aspectReviews,
		Observe: func(fold Fold, v View, yield func(Observation)) {
			if f := fold.(*PullRequestFold); v.Vary.People.includes(f.Author.Bot) { // a gauge has no place for those left out
				observeWaiting(f, v, f.telling(yield))
			}
		},
	}
}

func observeWaiting(f *PullRequestFold, v View, yield func(Observation)) {
	w := f.firstReview(v)
	if !w.Started {
		return
	}
	end := never
	if f.Merged != 0 {
		end = f.Merged
	}
	if w.Item != "" {
		end = min(end, w.First)
	}
	for _, open := range f.openings(w.Start, end) {
		o := Observation{Item: open.Start.String(), Start: open.Start, At: open.Start, Value: StillOpen, Outcome: Observed}
		if open.End != never {
			o.Value = int64(open.End - open.Start)
		}
		yield(o)
	}
}

// openings returns when, from start until end, the pull request was open and no
// draft.
func (f *pull) openings(start, end timeline.Millis) (list []timeline.Window) {
	type turn struct {
		at     timeline.Millis
		closed int8 // 1: closed, -1: opened again
		draft  int8 // 1: a draft, -1: ready
	}
	var few [2 * fewTurns]turn
	turns := few[:0]
	for _, t := range f.Reopens {
		turns = append(turns, turn{at: t, closed: -1})
	}
	for _, t := range f.Closed { // of one instant, the close has the last word
		turns = append(turns, turn{at: t, closed: 1})
	}
	var drafts [fewTurns]assertion
	for _, a := range f.Drafts.history(drafts[:0]) {
		t := turn{at: a.At, draft: 1}
		if a.Ready {
			t.draft = -1
		}
		turns = append(turns, t)
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })

	var closed, draft bool
	since := never // while it waits
	set := func(at timeline.Millis) {
		waits := !closed && !draft
		switch {
		case waits && since == never:
			since = at
		case !waits && since != never:
			if at > since {
				list = append(list, timeline.Window{Start: since, End: at})
			}
			since = never
		}
	}
	for _, t := range turns {
		if t.at < start && t.closed != 0 {
			closed = t.closed > 0
		}
	}
	set(start)
	for _, t := range turns {
		if t.at < start || t.at >= end {
			continue
		}
		if t.closed != 0 {
			closed = t.closed > 0
		}
		if t.draft != 0 {
			draft = t.draft > 0
		}
		set(t.at)
	}
	if since != never && since < end {
		list = append(list, timeline.Window{Start: since, End: end})
	}
	return list
}
