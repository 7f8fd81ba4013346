package github

import (
	"strings"

	"meridian/ingest/event"
	"meridian/ingest/payload"
)

type reviewDelivery struct {
	envelope
	PullRequest *pullRequest `json:"pull_request,omitempty"`
	Review      *review      `json:"review,omitempty"`
}

type review struct {
	ID          int64        `json:"id"`
	User        *user        `json:"user,omitempty"`
	State       string       `json:"state,omitempty"`
	SubmittedAt payload.Time `json:"submitted_at,omitzero"`
}

func (d *reviewDelivery) strip(_ Hasher, kept bool) { d.PullRequest.strip(kept) }

// Webhooks write states in small letters, the API in capitals.
func (v *review) state() event.ReviewState {
	switch strings.ToLower(v.State) {
	case "approved":
		return event.ReviewApproved
	case "changes_requested":
		return event.ReviewChangesRequested
	case "commented":
		return event.ReviewCommented
	case "dismissed":
		return event.ReviewDismissed
	case "pending":
		return event.ReviewPending
	}
	return event.ReviewUnknown
}

func (d *reviewDelivery) read(r *reading) {
	v, p := d.Review, d.PullRequest
	switch {
	case !r.aboutPullRequest(p):
		return
	case v == nil || v.ID <= 0:
		r.wrong("review.id is missing")
		return
	case v.state() == event.ReviewUnknown:
		r.wrong("review.state is none that Meridian knows")
		return
	}
	repo, n := d.Repository.ID, p.Number
	switch d.Action {
	case "submitted":
		d.add(r, event.ReviewSubmitted, event.ReviewSubmittedID(repo, n, v.ID), v.SubmittedAt, "review.submitted_at", v.User)
	case "dismissed":
		// The sender dismissed it; who had submitted it, and when, is in Review and
		// in the delivery of its submission.
		d.add(r, event.ReviewDismissedKind, event.ReviewDismissedID(repo, n, v.ID), p.UpdatedAt, "pull_request.updated_at", d.Sender)
	case "edited":
		// The words changed, and the review is what it was. What the delivery tells
		// of its pull request is still news.
		id := event.PullRequestUpdatedID(repo, n, p.UpdatedAt.At, "review_edited", number(v.ID))
		if e := r.addPullRequest(event.PullRequestUpdated, id, p.UpdatedAt, "pull_request.updated_at", p); e != nil {
			e.Actor = d.Sender.account()
		}
	case "":
		r.wrong("action is missing")
	default:
		r.ignore("Meridian does not read this action of a review")
	}
}

func (d *reviewDelivery) add(r *reading, kind event.Kind, id event.ID, at payload.Time, timeName string, actor *user) {
	e := r.addPullRequest(kind, id, at, timeName, d.PullRequest)
	if e == nil {
		return
	}
	e.Actor = actor.account()
	e.Review = &event.Review{
		Key: number(d.Review.ID), State: d.Review.state(), Submitted: d.Review.SubmittedAt.At, Author: d.Review.User.account(),
	}
}
