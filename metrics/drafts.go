package metrics

import (
	"cmp"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// drafts is what is known about when a pull request was a draft. Facts about it
// are assertions, "draft = x at t", so copies some seconds apart do no harm.
//
// Only some payloads can assert it. Those whose time is that of the snapshot
// itself (updated_at) can. Those about reviews, comments and merges are dated
// by their own fact, state the pull request as it was when they were written,
// and often leave the field out: "not a draft" there is no evidence, and would
// make the very review that ends a wait its beginning. "A draft" is evidence
// anywhere, for nothing says that by leaving it out.
type drafts struct {
	Opened openedAs
	Turns  []assertion // ready and draft, by time; draft first

	// The earliest snapshots that say so.
	SeenReady timeline.Millis
	SeenDraft timeline.Millis
}

type openedAs uint8

const (
	openedReady openedAs = iota + 1
	openedDraft          // wins where two payloads differ
)

// assertion is a turn: from At on it was a draft, or was none any more.
type assertion struct {
	At    timeline.Millis
	Ready bool
}

func (a assertion) compare(b assertion) int {
	if c := cmp.Compare(a.At, b.At); c != 0 || a.Ready == b.Ready {
		return c
	}
	if b.Ready {
		return -1
	}
	return 1
}

func (d *drafts) see(r *event.Routed) {
	at, draft := r.Event.Time, r.Event.PullRequest.Draft
	switch r.Event.Kind {
	case event.PullRequestReady:
		d.turn(assertion{at, true})
		return
	case event.PullRequestDrafted:
		d.turn(assertion{at, false})
		return
	}
	if r.Backfilled {
		return // the API states the pull request as it is today
	}
	switch r.Event.Kind {
	case event.PullRequestOpened:
		d.Opened = max(d.Opened, openedReady)
		if draft {
			d.Opened = openedDraft
		}
	case event.PullRequestReopened, event.PullRequestUpdated, event.ReviewRequested, event.ReviewRequestRemoved:
		if !draft {
			earliest(&d.SeenReady, at)
		}
	}
	if draft {
		earliest(&d.SeenDraft, at)
	}
}

func (d *drafts) turn(a assertion) {
	i, found := slices.BinarySearchFunc(d.Turns, a, assertion.compare)
	if !found {
		d.Turns = slices.Insert(d.Turns, i, a)
	}
}

// beganAsDraft reports whether it was opened as a draft. Where its opening was
// never delivered, the first that is heard of it decides: to become ready it
// must have been a draft, and the other way round.
func (d *drafts) beganAsDraft() bool {
	if d.Opened != 0 {
		return d.Opened == openedDraft
	}
	first, draft := d.SeenReady, false
	if d.SeenDraft != 0 && (first == 0 || d.SeenDraft <= first) {
		first, draft = d.SeenDraft, true
	}
	if len(d.Turns) > 0 && (first == 0 || d.Turns[0].At <= first) {
		draft = d.Turns[0].Ready
	}
	return draft
}

// firstReady returns when it was first ready for review: at its creation, or
// later, or never so far.
func (d *drafts) firstReady(created timeline.Millis) (timeline.Millis, bool) {
	if !d.beganAsDraft() {
		return created, true
	}
	ready := d.SeenReady
	for _, a := range d.Turns {
		if a.Ready {
			earliest(&ready, a.At)
			break
		}
	}
	return max(ready, created), ready != 0
}

// spent returns how much of the time from its creation to its end it was a
// draft, from when on it first was, and whether it ever was.
func (d *drafts) spent(created, end timeline.Millis) (first, total timeline.Millis, ever bool) {
	since, draft := created, d.beganAsDraft()
	first, ever = created, draft
	var few [fewTurns]assertion
	for _, a := range d.history(few[:0]) {
		at := max(a.At, created)
		switch {
		case at >= end:
		case a.Ready && draft:
			total, draft = total+at-since, false
		case !a.Ready && !draft:
			if since, draft = at, true; !ever {
				first, ever = at, true
			}
		}
	}
	if draft {
		total += end - since
	}
	return first, total, ever
}

// fewTurns are as many as nearly all have.
const fewTurns = 8

// history appends all that is asserted, by time. Where a turn and a snapshot are of
// one instant, the turn has the last word.
func (d *drafts) history(list []assertion) []assertion {
	if d.SeenDraft != 0 {
		list = append(list, assertion{d.SeenDraft, false})
	}
	if d.SeenReady != 0 {
		list = append(list, assertion{d.SeenReady, true})
	}
	list = append(list, d.Turns...)
	slices.SortStableFunc(list, func(a, b assertion) int { return cmp.Compare(a.At, b.At) })
	return list
}
