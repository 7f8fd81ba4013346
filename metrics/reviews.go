package metrics

import (
	"cmp"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// review is a submitted review, or a comment on a line of the diff.
type review struct {
	Key       string
	Submitted timeline.Millis
	State     event.ReviewState // as submitted; dismissing it later changes nothing
	By        who
}

type comment struct {
	Key string
	At  timeline.Millis
	By  who
}

// answer is the review as somebody's answer; not submitted yet, nobody but its
// author has seen it.
func (v *review) answer() answer {
	return answer{Item: v.Key, At: v.Submitted, By: &v.By, Pending: v.State == event.ReviewPending}
}

// isNote reports whether it is a comment on a line of the diff. GitHub tells of
// the review that holds it besides, so who counts reviews leaves notes out.
func (v *review) isNote() bool { return strings.HasPrefix(v.Key, notePrefix) }

const (
	reviewPrefix = "review/"
	notePrefix   = "comment/" // of the diff; these have numbers of their own
)

// reviewsInOrder appends the reviews that have been heard of, by time.
func (f *PullRequestFold) reviewsInOrder(list []*review) []*review {
	for i := range f.Reviews {
		if v := &f.Reviews[i]; v.Submitted != 0 && v.By.known() {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b *review) int {
		return cmp.Or(cmp.Compare(a.Submitted, b.Submitted), cmp.Compare(a.Key, b.Key))
	})
	return list
}

func (f *PullRequestFold) reviewed(r *event.Routed) {
	v := r.Event.Review
	if v == nil {
		return
	}
	n := review{Key: reviewPrefix + v.Key, Submitted: v.Submitted}
	switch r.Event.Kind {
	case event.ReviewSubmitted:
		n.State, n.By = v.State, whoIs(r.Event.Actor, r.Actor)
	case event.ReviewCommentedKind:
		n.Key, n.State, n.By = notePrefix+v.Key, event.ReviewCommented, whoIs(r.Event.Actor, r.Actor)
	}
	if n.Submitted == 0 && r.Event.Kind != event.ReviewDismissedKind {
		n.Submitted = r.Event.Time
	}
	i, found := slices.BinarySearchFunc(f.Reviews, n.Key, func(v review, key string) int { return cmp.Compare(v.Key, key) })
	if !found {
		f.Reviews = slices.Insert(f.Reviews, i, n)
		return
	}
	was := &f.Reviews[i]
	earliest(&was.Submitted, n.Submitted)
	was.State = max(was.State, n.State) // anything wins over pending
	was.By.see(n.By)
}

// answer is the comment as somebody's answer.
func (c *comment) answer() answer {
	return answer{Item: "conversation/" + c.Key, At: c.At, By: &c.By}
}

func (f *PullRequestFold) commented(r *event.Routed) {
	c := r.Event.Comment
	if c == nil {
		return
	}
	n := comment{Key: c.Key, At: cmp.Or(c.Created, r.Event.Time), By: whoIs(r.Event.Actor, r.Actor)}
	i, found := slices.BinarySearchFunc(f.Comments, n.Key, func(c comment, key string) int { return cmp.Compare(c.Key, key) })
	if !found {
		f.Comments = slices.Insert(f.Comments, i, n)
		return
	}
	earliest(&f.Comments[i].At, n.At)
	f.Comments[i].By.see(n.By)
}
