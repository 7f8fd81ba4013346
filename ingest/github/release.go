package github

import (
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// releaseDelivery is a release. It is a deployment where the catalog names
// `release` or `release/TAG` among the `deploys` of a service, and else nothing.
type releaseDelivery struct {
	envelope
	Release *release `json:"release,omitempty"`
}

type release struct {
	ID          int64        `json:"id"`
	Tag         string       `json:"tag_name,omitempty"`
	Target      string       `json:"target_commitish,omitempty"`
	Prerelease  bool         `json:"prerelease,omitempty"`
	Draft       bool         `json:"draft,omitempty"`
	Author      *user        `json:"author,omitempty"`
	CreatedAt   payload.Time `json:"created_at,omitzero"`
	PublishedAt payload.Time `json:"published_at,omitzero"`
	URL         string       `json:"html_url,omitempty"`

	Body    string          `json:"body,omitempty"`
	Name    string          `json:"name,omitempty"`
	Learned payload.Learned `json:"meridian,omitzero"`
}

func (d *releaseDelivery) strip(_ Hasher, kept bool) {
	v := d.Release
	if v == nil {
		return
	}
	if !kept {
		v.Learned = payload.Learn(v.Name, v.Body, v.Tag)
		v.Learned.IssueKeys = nil
	}
	v.Body, v.Name, v.URL = "", "", payload.WebURL(v.URL)
}

// A release is out when it is published; GitHub says `released` of the same
// moment once more, where it is no pre-release.
func (d *releaseDelivery) read(r *reading) {
	v := d.Release
	switch {
	case v == nil || v.ID <= 0:
		r.wrong("release.id is missing")
		return
	case !r.inRepository():
		return
	case d.Action == "":
		r.wrong("action is missing")
		return
	case d.Action != "published" && d.Action != "released" && d.Action != "prereleased":
		r.ignore("only the publishing of a release is read")
		return
	}
	e := r.add(event.DeploymentStatus, event.ReleasePublishedID(d.Repository.ID, v.ID), v.PublishedAt, "release.published_at")
	if e == nil {
		return
	}
	e.Entity, e.Created, e.Actor = releaseEntity(d.Repository.ID, v.ID), v.PublishedAt.At, v.Author.account()
	e.Deployment = &event.Deployment{
		Key: v.Tag, State: event.DeploymentSuccess, Created: v.PublishedAt.At, Finished: v.PublishedAt.At, Ref: v.Tag,
		Task: "release/" + v.Tag, Creator: v.Author.account(), Marks: v.Learned.Marks(), URL: v.URL, OnlyIfNamed: true,
	}
	if v.Prerelease {
		e.Deployment.Labels = []string{"prerelease"}
	}
	if shaLike(v.Target) { // mostly the name of a branch
		e.Deployment.Revisions = []string{v.Target}
	}
}

func shaLike(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
