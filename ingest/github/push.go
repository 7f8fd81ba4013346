package github

import (
	"strings"

	"meridian/ingest/event"
	"meridian/ingest/payload"
)

type pushDelivery struct {
	envelope
	Ref     string               `json:"ref,omitempty"`
	Before  string               `json:"before,omitempty"`
	After   string               `json:"after,omitempty"`
	Created bool                 `json:"created,omitempty"`
	Deleted bool                 `json:"deleted,omitempty"`
	Forced  bool                 `json:"forced,omitempty"`
	Commits payload.List[commit] `json:"commits,omitempty"` // none where a branch or tag is deleted
}

func (d *pushDelivery) strip(hash Hasher, kept bool) {
	for i := range d.Commits {
		d.Commits[i].strip(hash, kept, d.Sender)
	}
}

// read makes one event of the push, with its good commits as facts of it, and one
// of each commit that cannot be read.
func (d *pushDelivery) read(r *reading) {
	if d.Ref == "" {
		r.wrong("ref is missing")
		return
	}
	if !r.inRepository() {
		return
	}
	at := d.Repository.PushedAt
	id := event.PushedID(d.Repository.ID, d.Ref, d.Before, d.After, at.At)
	e := r.add(event.Pushed, id, at, "repository.pushed_at")
	if e == nil {
		return
	}
	e.Entity = repositoryEntity(d.Repository.ID)
	if d.Sender != nil {
		e.Actor = d.Sender.account()
	}
	e.Push = d.fact()
	push := *e // adding events moves what e points to
	for i := range d.Commits {
		c := &d.Commits[i]
		if c.Learned.Defect == "" {
			push.Push.Commits = append(push.Push.Commits, c.fact())
			continue
		}
		bad := push
		bad.ID = event.CommitDefectiveID(push.ID, i, c.ID)
		bad.Kind = event.CommitDefective
		bad.Defect = c.Learned.Defect
		bad.Actor = c.account()
		bad.Push = d.fact()
		bad.Push.Commits = []event.Commit{{SHA: c.ID, Author: c.account()}}
		r.events = append(r.events, bad)
	}
}

func (d *pushDelivery) fact() *event.Push {
	branch, isBranch := strings.CutPrefix(d.Ref, "refs/heads/")
	return &event.Push{
		Ref:     d.Ref,
		Default: isBranch && branch == d.Repository.DefaultBranch,
		Tag:     strings.HasPrefix(d.Ref, "refs/tags/"),
		Before:  d.Before,
		After:   d.After,
		Created: d.Created,
		Deleted: d.Deleted,
		Forced:  d.Forced,
	}
}
