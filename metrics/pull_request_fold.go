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
	f.pull.see(r)
	f.first = firstReview{}
	switch e.Kind {
	case event.PullRequestCommented:
		f.commented(r)
	case event.ReviewSubmitted, event.ReviewDismissedKind, event.ReviewCommentedKind:
		f.reviewed(r)
	case event.ReviewRequested, event.ReviewRequestRemoved:
		f.requested(r)
	}
	if !r.Backfilled { // the API states the pull request as it is today
		f.headed(p.HeadSHA, e.Time)
	}
	// Not every delivery states sizes. A merge's does: there, nothing is 0.
	if p.Additions != 0 || p.Deletions != 0 || e.Kind == event.PullRequestMerged && !r.Backfilled {
		f.Size.see(size{e.Time, p.Additions, p.Deletions})
	}
}
