package metrics

import (
	"cmp"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// PullRequestFold holds one pull request: what happened to it, each fact with
// its own time.
type PullRequestFold struct {
	pull
	Reviews  []review // by key
	Size     size
	Comments []comment // of the conversation; by key
	Requests []request // of reviews; sorted
	Heads    []head    // of its branch; by commit

	first firstReview // derived
	aspects

	// To describe what is observed, made once for all metrics; derived.
	tell func(Observation)
	to   func(Observation)
}

// The aspects of a pull request: what every metric of it reads, and the rest.
const (
	aspectPull Aspects = 1 << iota
	aspectReviews
	aspectComments
	aspectRequests
	aspectHeads
	aspectSize
)

// changed notes that an aspect may have.
func (f *PullRequestFold) changed(a Aspects) {
	f.of |= a
	if a&(aspectPull|aspectReviews|aspectRequests) != 0 {
		f.first = firstReview{}
	}
}

// size is what the newest payload that states sizes says.
type size struct {
	At      timeline.Millis
	Added   int64
	Removed int64
}

func (s *size) see(o size) {
	if cmp.Or(cmp.Compare(o.At, s.At), cmp.Compare(o.Added, s.Added), cmp.Compare(o.Removed, s.Removed)) > 0 {
		*s = o
	}
}

func pullRequestKind() FoldKind {
	return FoldKind{
		Subject: SubjectPullRequest,
		New:     func() Fold { return new(PullRequestFold) },
		Returns: true,
		Entity: func(r *event.Routed) event.EntityID {
			if r.Copy != event.Home || r.Event.PullRequest == nil {
				return ""
			}
			return r.Event.Entity
		},
	}
}

// Apply implements Fold.
func (f *PullRequestFold) Apply(r *event.Routed) {
	e, p := &r.Event, r.Event.PullRequest
	if f.pull.see(r) {
		f.changed(aspectPull)
	}
	switch e.Kind {
	case event.PullRequestCommented:
		f.commented(r)
		f.changed(aspectComments)
	case event.ReviewSubmitted, event.ReviewDismissedKind, event.ReviewCommentedKind:
		f.reviewed(r)
		f.changed(aspectReviews)
	case event.ReviewRequested, event.ReviewRequestRemoved:
		f.requested(r)
		f.changed(aspectRequests)
	}
	if !r.Backfilled && f.headed(p.HeadSHA, e.Time) { // the API states the pull request as it is today
		f.changed(aspectHeads)
	}
	// Not every delivery states sizes. A merge's does: there, nothing is 0.
	if p.Additions != 0 || p.Deletions != 0 || e.Kind == event.PullRequestMerged && !r.Backfilled {
		f.Size.see(size{e.Time, p.Additions, p.Deletions})
		f.changed(aspectSize)
	}
}
