package github

import (
	"cmp"
	"strings"

	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// repositoryDelivery tells what became of a repository. Everything about it is
// filed under its number, which survives a new name and a new owner; the
// delivery says what it was called before.
type repositoryDelivery struct {
	envelope
	Repository *datedRepository   `json:"repository,omitempty"` // in place of the envelope's
	Changes    *repositoryChanges `json:"changes,omitempty"`
}

// datedRepository says when it was changed last, which no other delivery needs.
type datedRepository struct {
	repository
	UpdatedAt payload.Time `json:"updated_at,omitzero"`
}

func (d *repositoryDelivery) common() *envelope {
	if d.Repository != nil {
		d.envelope.Repository = &d.Repository.repository
	}
	return &d.envelope
}

type repositoryChanges struct {
	Repository *struct {
		Name struct {
			From string `json:"from,omitempty"`
		} `json:"name,omitzero"`
	} `json:"repository,omitempty"`
	Owner *struct {
		From struct {
			User         *user `json:"user,omitempty"`
			Organization *user `json:"organization,omitempty"`
		} `json:"from,omitzero"`
	} `json:"owner,omitempty"`
}

func (*repositoryDelivery) strip(Hasher, bool) {}

func (d *repositoryDelivery) read(r *reading) {
	if !r.inRepository() {
		return
	}
	switch d.Action {
	case "created", "renamed", "transferred", "archived", "unarchived", "deleted", "publicized", "privatized", "edited":
	case "":
		r.wrong("action is missing")
		return
	default:
		r.ignore("Meridian does not read this action of a repository")
		return
	}
	at := d.Repository.UpdatedAt
	e := r.add(event.RepositoryChanged, event.RepositoryChangedID(d.Repository.ID, d.Action, at.At), at, "repository.updated_at")
	if e == nil {
		return
	}
	e.Entity, e.Actor = repositoryEntity(d.Repository.ID), d.Sender.account()
	e.Repository = &event.Repository{Key: number(d.Repository.ID), Change: d.Action, Former: d.former()}
}

// former is the full name that the repository had, where it has another one now.
func (d *repositoryDelivery) former() string {
	if d.Changes == nil {
		return ""
	}
	owner, name, _ := strings.Cut(d.Repository.FullName, "/")
	was, wasOwner := "", ""
	if c := d.Changes.Repository; c != nil {
		was = c.Name.From
	}
	if c := d.Changes.Owner; c != nil {
		switch from := c.From; {
		case from.Organization != nil:
			wasOwner = from.Organization.Login
		case from.User != nil:
			wasOwner = from.User.Login
		}
	}
	if was == "" && wasOwner == "" {
		return ""
	}
	return cmp.Or(wasOwner, owner) + "/" + cmp.Or(was, name)
}
