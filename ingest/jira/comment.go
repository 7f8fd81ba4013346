package jira

import (
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

type comment struct {
	ID      ident        `json:"id,omitempty"`
	Self    string       `json:"self,omitempty"`
	Author  *user        `json:"author,omitempty"`
	Created payload.Time `json:"created,omitzero"`
	Updated payload.Time `json:"updated,omitzero"`
}

// isNew reports whether a jira:issue_updated that holds c tells of its creation.
func (c *comment) isNew() bool {
	return c != nil && c.ID != "" && c.Created.Known() && (!c.Updated.Known() || c.Updated.At == c.Created.At)
}

// commentCreated reads comment_created. A Server's does not name the issue, so
// nobody could say whose work it was; the same comment comes in jira:issue_updated,
// some milliseconds apart, with its issue.
func (r *reading) commentCreated() {
	c := r.webhook.Comment
	switch {
	case c == nil || c.ID == "":
		r.wrong("comment.id is missing")
	case r.webhook.Issue == nil:
		r.ignore("this comment does not name its issue; jira:issue_updated tells of it too, and does")
	default:
		if i, ok := r.known(); ok {
			r.comment(i, c)
		}
	}
}

func (r *reading) comment(i *issue, c *comment) {
	id := event.IssueCommentedID(r.siteName(), string(c.ID), c.Created.At)
	if e := r.add(event.IssueCommented, id, c.Created, "comment.created", i); e != nil {
		e.Actor, e.Local = c.Author.account(), r.local(c.Author, c.Created)
		e.Comment = &event.Comment{Key: string(c.ID), Created: c.Created.At}
	}
}
