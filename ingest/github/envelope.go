package github

import (
	"strconv"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

const provider = "github"

// envelope is what all deliveries have in common.
type envelope struct {
	Action       string      `json:"action,omitempty"`
	Repository   *repository `json:"repository,omitempty"`
	Organization *numbered   `json:"organization,omitempty"`
	Installation *numbered   `json:"installation,omitempty"`
	Sender       *user       `json:"sender,omitempty"`
}

type numbered struct {
	ID int64 `json:"id"`
}

type repository struct {
	ID            int64        `json:"id"`
	FullName      string       `json:"full_name,omitempty"`
	DefaultBranch string       `json:"default_branch,omitempty"`
	PushedAt      payload.Time `json:"pushed_at,omitzero"`
}

func (e *envelope) common() *envelope { return e }

// scope is the key of the log: the repository, else whoever owns the hook. Never
// a name, which can change.
func (e *envelope) scope(source string) string {
	switch {
	case e.Repository != nil && e.Repository.ID != 0:
		return provider + "/" + number(e.Repository.ID)
	case e.Organization != nil && e.Organization.ID != 0:
		return provider + "/org/" + number(e.Organization.ID)
	case e.Installation != nil && e.Installation.ID != 0:
		return provider + "/installation/" + number(e.Installation.ID)
	}
	return provider + "/source/" + source
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// user is an account. GitHub sends null for one that has been deleted.
type user struct {
	ID    int64  `json:"id,omitempty"`
	Login string `json:"login,omitempty"`
	Type  string `json:"type,omitempty"`
}

// ghost stands for deleted accounts where GitHub does not send null.
const ghost = 10137

func (u *user) account() event.Account {
	if u == nil || u.ID == ghost || (u.ID == 0 && u.Login == "") {
		return event.Account{Provider: provider, Deleted: true}
	}
	a := event.Account{Provider: provider, Login: u.Login, Bot: u.Type == "Bot"}
	if u.ID != 0 {
		a.Key = number(u.ID)
	}
	return a
}

// ping is GitHub's hello when a hook is made.
type ping struct{ envelope }

func (*ping) strip(Hasher, bool) {}

func (*ping) read(r *reading) { r.outcome = ingest.OutcomePing }

// unread is any type that this package does not read.
type unread struct{ envelope }

func (*unread) strip(Hasher, bool) {}

func (*unread) read(r *reading) { r.ignore("Meridian does not read this type of event") }
