package github

import (
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

type comment struct {
	ID        int64        `json:"id"`
	User      *user        `json:"user,omitempty"`
	CreatedAt payload.Time `json:"created_at,omitzero"`
}

// reviewCommentDelivery is about a comment on a line of a diff. It is a review
// by whoever wrote it, in a submitted review or outside one.
type reviewCommentDelivery struct {
	envelope
	PullRequest *pullRequest `json:"pull_request,omitempty"`
	Comment     *comment     `json:"comment,omitempty"`
}

func (d *reviewCommentDelivery) strip(_ Hasher, kept bool) { d.PullRequest.strip(kept) }

func (d *reviewCommentDelivery) read(r *reading) {
	c, p := d.Comment, d.PullRequest
	if !r.newComment(c) || !r.aboutPullRequest(p) {
		return
	}
	id := event.ReviewCommentedID(d.Repository.ID, p.Number, c.ID)
	e := r.addPullRequest(event.ReviewCommentedKind, id, c.CreatedAt, "comment.created_at", p)
	if e == nil {
		return
	}
	e.Actor = c.User.account()
	e.Review = &event.Review{Key: number(c.ID), State: event.ReviewCommented, Submitted: c.CreatedAt.At, Author: e.Actor}
	e.Comment = &event.Comment{Key: number(c.ID), Created: c.CreatedAt.At}
}

// issueCommentDelivery is about a comment in the conversation of an issue, which
// may be a pull request.
type issueCommentDelivery struct {
	envelope
	Issue   *issue   `json:"issue,omitempty"`
	Comment *comment `json:"comment,omitempty"`
}

func (d *issueCommentDelivery) strip(_ Hasher, kept bool) { d.Issue.strip(kept) }

func (d *issueCommentDelivery) read(r *reading) {
	i, c := d.Issue, d.Comment
	switch {
	case i == nil:
		r.wrong("issue is missing")
		return
	case !r.newComment(c):
		return
	case i.PullRequest == nil:
		d.onIssue(r)
		return
	}
	p := &pullRequest{
		Number: i.Number, State: i.State, Draft: i.Draft, User: i.User, CreatedAt: i.CreatedAt, ClosedAt: i.ClosedAt,
		MergedAt: i.PullRequest.MergedAt, Labels: i.Labels, URL: i.URL,
	}
	if !r.aboutPullRequest(p) {
		return
	}
	id := event.PullRequestCommentedID(d.Repository.ID, i.Number, c.ID)
	e := r.addPullRequest(event.PullRequestCommented, id, c.CreatedAt, "comment.created_at", p)
	if e == nil {
		return
	}
	e.Actor = c.User.account()
	e.Comment = &event.Comment{Key: number(c.ID), Created: c.CreatedAt.At}
}

// onIssue reads a comment on an issue that is no pull request. Both kinds of
// issues number their comments together.
func (d *issueCommentDelivery) onIssue(r *reading) {
	i, c := d.Issue, d.Comment
	if i.Number <= 0 {
		r.wrong("issue.number is missing")
		return
	}
	if !r.inRepository() {
		return
	}
	id := event.PullRequestCommentedID(d.Repository.ID, i.Number, c.ID)
	e := r.addIssue(event.IssueCommented, id, c.CreatedAt, "comment.created_at", i)
	if e == nil {
		return
	}
	e.Actor = c.User.account()
	e.Comment = &event.Comment{Key: number(c.ID), Created: c.CreatedAt.At}
}

// newComment reports whether the delivery tells of a comment being made.
func (r *reading) newComment(c *comment) bool {
	switch r.env.Action {
	case "created":
		if c == nil || c.ID <= 0 {
			r.wrong("comment.id is missing")
			return false
		}
		return true
	case "":
		r.wrong("action is missing")
	default:
		r.ignore("editing or deleting a comment is no activity")
	}
	return false
}
