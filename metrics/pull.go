package metrics

import (
	"cmp"
	"slices"
	"strconv"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// pull is what every fold that hears of a pull request holds of it: from when to
// when it was open, and ready. [PullRequestFold] adds what people said about it,
// [BranchFold] the pushes to its branch.
type pull struct {
	Created timeline.Millis
	Merged  timeline.Millis
	Closed  []timeline.Millis // without a merge; sorted
	Reopens []timeline.Millis // sorted
	Last    timeline.Millis   // of the newest fact
	Author  who
	Drafts  drafts

	Number     int64
	Repository latest
	URL        latest

	shown string // its label, once somebody has asked; derived
}

// look is all that a metric can read of a pull request, as far as it can change.
type look struct {
	created, merged      timeline.Millis
	closed, reopens      int // nothing leaves these lists
	author               who
	opened               openedAs
	turns                int
	seenReady, seenDraft timeline.Millis
	number               int64
	repository, url      string
}

func (f *pull) look() look {
	d := &f.Drafts
	return look{
		f.Created, f.Merged, len(f.Closed), len(f.Reopens), f.Author, d.Opened, len(d.Turns), d.SeenReady, d.SeenDraft,
		f.Number, f.Repository.Value, f.URL.Value,
	}
}

// see takes a record about the pull request, in any order, and reports whether it
// has changed anything that a metric reads.
func (f *pull) see(r *event.Routed) bool {
	before := f.look()
	f.take(r)
	after := f.look()
	if after.number != before.number || after.repository != before.repository {
		f.shown = ""
	}
	return after != before
}

func (f *pull) take(r *event.Routed) {
	e, p := &r.Event, r.Event.PullRequest
	f.Last = max(f.Last, e.Time)
	f.Number = max(f.Number, p.Number)
	f.Repository.see(e.Time, e.Scope.Repository)
	f.URL.see(e.Time, p.URL)
	f.Author.see(whoIs(p.Author, r.Author))
	f.Drafts.see(r)

	// What a payload states besides its own fact: when it was created, merged,
	// closed. A merge may so be known before its own delivery comes.
	earliest(&f.Created, cmp.Or(p.Created, e.Created))
	earliest(&f.Merged, p.Merged)
	if p.Merged == 0 && p.Closed != 0 {
		f.Closed = insertSorted(f.Closed, p.Closed)
	}

	switch e.Kind {
	case event.PullRequestOpened:
		earliest(&f.Created, e.Time)
	case event.PullRequestMerged:
		earliest(&f.Merged, e.Time)
	case event.PullRequestClosed:
		f.Closed = insertSorted(f.Closed, e.Time)
	case event.PullRequestReopened:
		f.Reopens = insertSorted(f.Reopens, e.Time)
	}
}

// Life implements Fold.
func (f *pull) Life() (last timeline.Millis, open bool) {
	return f.Last, f.Merged == 0 && f.unmerged() == 0
}

// unmerged returns when it was closed without a merge, for good as far as is
// known; 0 where it is open, or merged.
func (f *pull) unmerged() timeline.Millis {
	if f.Merged != 0 || len(f.Closed) == 0 {
		return 0
	}
	closed := f.Closed[len(f.Closed)-1]
	if len(f.Reopens) > 0 && f.Reopens[len(f.Reopens)-1] > closed {
		return 0
	}
	return closed
}

// start returns when the pull request's clocks start, and whether they do: one
// that was merged while still a draft never was ready for anybody.
func (f *pull) start() (timeline.Millis, bool) {
	if f.Created == 0 {
		return 0, false
	}
	ready, ok := f.Drafts.firstReady(f.Created)
	if !ok || f.Merged != 0 && ready > f.Merged && ready != f.Created {
		return 0, false
	}
	return ready, true
}

// label is what a page calls it: acme/web#7.
func (f *pull) label() string {
	if f.shown == "" { // a dozen metrics ask
		f.shown = f.Repository.Value + "#" + strconv.FormatInt(f.Number, 10)
	}
	return f.shown
}

// insertSorted puts v into a sorted set.
func insertSorted[T cmp.Ordered](set []T, v T) []T {
	i, found := slices.BinarySearch(set, v)
	if found {
		return set
	}
	return slices.Insert(set, i, v)
}
