package github

import (
	"meridian/ingest/event"
)

// refDelivery is a branch or tag that was made or deleted. The push that comes
// with it tells the same and more; this one comes also where the push does not,
// as for a branch made on the web.
type refDelivery struct {
	envelope
	Ref     string `json:"ref,omitempty"`
	RefType string `json:"ref_type,omitempty"` // branch or tag
	deleted bool
}

func (*refDelivery) strip(Hasher, bool) {}

func (d *refDelivery) read(r *reading) {
	prefix := "refs/heads/"
	switch {
	case d.Ref == "":
		r.wrong("ref is missing")
		return
	case !r.inRepository():
		return
	case d.RefType == "tag":
		prefix = "refs/tags/"
	case d.RefType != "branch":
		r.ignore("Meridian reads branches and tags, and no other refs")
		return
	}
	kind, at := event.RefCreated, d.Repository.PushedAt
	if d.deleted {
		kind = event.RefDeleted
	}
	ref := prefix + d.Ref
	e := r.add(kind, event.RefID(d.Repository.ID, ref, d.deleted, at.At), at, "repository.pushed_at")
	if e == nil {
		return
	}
	e.Entity = repositoryEntity(d.Repository.ID)
	if d.Sender != nil {
		e.Actor = d.Sender.account()
	}
	e.Push = &event.Push{
		Ref: ref, Default: d.RefType == "branch" && d.Ref == d.Repository.DefaultBranch, Tag: d.RefType == "tag",
		Created: !d.deleted, Deleted: d.deleted,
	}
}
