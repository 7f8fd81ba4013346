package github

import (
	"strings"

	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// issuesDelivery is about an issue, which is never a pull request here: those
// have deliveries of their own.
type issuesDelivery struct {
	envelope
	Issue *issue `json:"issue,omitempty"`
	Label *label `json:"label,omitempty"`
}

// issue is an issue, or a pull request as one. Of the latter it says little:
// neither branches nor sizes.
type issue struct {
	Number      int64        `json:"number"`
	State       string       `json:"state,omitempty"`
	Draft       bool         `json:"draft,omitempty"`
	User        *user        `json:"user,omitempty"`
	CreatedAt   payload.Time `json:"created_at,omitzero"`
	UpdatedAt   payload.Time `json:"updated_at,omitzero"`
	ClosedAt    payload.Time `json:"closed_at,omitzero"`
	Labels      []label      `json:"labels,omitempty"`
	Type        *issueType   `json:"type,omitempty"`
	URL         string       `json:"html_url,omitempty"`
	PullRequest *asPull      `json:"pull_request,omitempty"`

	Title   string          `json:"title,omitempty"`
	Body    string          `json:"body,omitempty"`
	Learned payload.Learned `json:"meridian,omitzero"`
}

type issueType struct {
	Name string `json:"name,omitempty"`
}

type asPull struct {
	MergedAt payload.Time `json:"merged_at,omitzero"`
}

func (i *issue) strip(kept bool) {
	if i == nil {
		return
	}
	if !kept {
		i.Learned = payload.Learned{}
		if i.PullRequest == nil {
			i.Learned.CausedBy = payload.LearnCauses(labelNames(i.Labels), i.Title, i.Body)
		}
	}
	i.Title, i.Body, i.URL = "", "", payload.WebURL(i.URL)
}

func (d *issuesDelivery) strip(_ Hasher, kept bool) { d.Issue.strip(kept) }

// What GitHub's two states are called, and what they mean.
var (
	openIssue   = event.Status{Name: "open", Category: event.CategoryToDo}
	closedIssue = event.Status{Name: "closed", Category: event.CategoryDone}
)

func (d *issuesDelivery) read(r *reading) {
	i := d.Issue
	switch {
	case d.Action == "":
		r.wrong("action is missing")
		return
	case i == nil || i.Number <= 0:
		r.wrong("issue.number is missing")
		return
	case !r.inRepository():
		return
	case i.PullRequest != nil:
		r.ignore("a pull request's own deliveries tell of it")
		return
	}
	repo, updated := d.Repository.ID, i.UpdatedAt
	fact := func(name string, at payload.Time) event.ID {
		return event.GitHubIssueFactID(repo, i.Number, name, at.At)
	}
	switch d.Action {
	case "opened":
		if e := r.addIssue(event.IssueCreated, fact("opened", i.CreatedAt), i.CreatedAt, "issue.created_at", i); e != nil {
			e.Actor, e.Issue.Current = i.User.account(), openIssue
		}
	case "closed":
		at := i.ClosedAt.Or(updated)
		d.transition(r, fact("closed", at), at, "issue.closed_at", openIssue, closedIssue)
	case "reopened":
		d.transition(r, fact("reopened", updated), updated, "issue.updated_at", closedIssue, openIssue)
	case "deleted", "transferred": // a transferred one is opened anew where it goes to
		if e := r.addIssue(event.IssueDeleted, event.GitHubIssueFactID(repo, i.Number, "deleted", 0), updated, "issue.updated_at", i); e != nil {
			e.Actor = d.Sender.account()
		}
	case "labeled", "unlabeled", "edited", "typed", "untyped", "assigned", "unassigned", "milestoned", "demilestoned",
		"locked", "unlocked", "pinned", "unpinned":
		name := "updated/" + d.Action
		if d.Label != nil {
			name += "/" + d.Label.Name
		}
		if e := r.addIssue(event.IssueUpdated, fact(name, updated), updated, "issue.updated_at", i); e != nil {
			e.Actor = d.Sender.account()
		}
	default:
		r.ignore("Meridian does not read this action of an issue")
	}
}

func (d *issuesDelivery) transition(r *reading, id event.ID, at payload.Time, timeName string, from, to event.Status) {
	if e := r.addIssue(event.IssueTransitioned, id, at, timeName, d.Issue); e != nil {
		e.Actor = d.Sender.account()
		e.Issue.From, e.Issue.To, e.Issue.Current = from, to, to
	}
}

// addIssue begins an event about i and adds it; see [reading.add].
func (r *reading) addIssue(kind event.Kind, id event.ID, at payload.Time, timeName string, i *issue) *event.Event {
	e := r.add(kind, id, at, timeName)
	if e == nil {
		return nil
	}
	e.Entity = issueEntity(r.env.Repository.ID, i.Number)
	e.Created = i.CreatedAt.At
	e.Scope.Labels = labelNames(i.Labels)
	e.Issue = &event.Issue{
		Key:      r.env.Repository.FullName + "#" + number(i.Number),
		Created:  i.CreatedAt.At,
		Reporter: i.User.account(),
		Current:  openIssue,
		Labels:   labelNames(i.Labels),
		Resolved: i.ClosedAt.At,
		URL:      i.URL,
		CausedBy: i.Learned.CausedBy,
	}
	if i.Type != nil {
		e.Issue.Type = i.Type.Name
	}
	if strings.EqualFold(i.State, "closed") {
		e.Issue.Current = closedIssue
	}
	return e
}
