package jira

import (
	"net/url"
	"strings"

	"github.com/andygrunwald/go-jira"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

type issue struct {
	ID        ident      `json:"id,omitempty"`
	Self      string     `json:"self,omitempty"`
	Key       string     `json:"key,omitempty"`
	Fields    *fields    `json:"fields,omitempty"`
	Changelog *changelog `json:"changelog,omitempty"` // of a bare issue

	Learned issueLearned `json:"meridian,omitzero"`
}

type fields struct {
	Type       *named               `json:"issuetype,omitempty"`
	Project    *project             `json:"project,omitempty"`
	Status     *status              `json:"status,omitempty"`
	Components payload.List[named]  `json:"components,omitempty"`
	Labels     payload.List[string] `json:"labels,omitempty"`
	Created    payload.Time         `json:"created,omitzero"`
	Updated    payload.Time         `json:"updated,omitzero"`
	Resolved   payload.Time         `json:"resolutiondate,omitzero"`
	Reporter   *user                `json:"reporter,omitempty"`
	Creator    *user                `json:"creator,omitempty"`

	Summary     freeText `json:"summary,omitempty"`
	Description freeText `json:"description,omitempty"`
}

type named struct {
	Name string `json:"name"`
}

type project struct {
	Key string `json:"key"`
}

type status struct {
	ID       ident  `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	Category *struct {
		Key string `json:"key,omitempty"`
	} `json:"statusCategory,omitempty"`
}

func (s *status) fact() event.Status {
	if s == nil {
		return event.Status{}
	}
	f := event.Status{Name: s.Name}
	if s.Category != nil {
		switch s.Category.Key {
		case jira.StatusCategoryToDo:
			f.Category = event.CategoryToDo
		case jira.StatusCategoryInProgress:
			f.Category = event.CategoryInProgress
		case jira.StatusCategoryComplete:
			f.Category = event.CategoryDone
		}
	}
	return f
}

// known returns the issue, with fields that are not nil, or finds the delivery wrong.
func (r *reading) known() (*issue, bool) {
	i := r.webhook.Issue
	if i == nil || i.ID == "" {
		r.wrong("issue.id is missing")
		return nil, false
	}
	if i.Fields == nil {
		i.Fields = new(fields)
	}
	return i, true
}

// siteName is the site for ids; the configured source stands for one that no
// address names.
func (r *reading) siteName() string {
	if r.site.name == "" {
		return "source:" + r.delivery.Name
	}
	return r.site.name
}

// add begins an event about i and adds it. Without a usable time it finds the
// delivery wrong and returns nil.
func (r *reading) add(kind event.Kind, id event.ID, at payload.Time, timeName string, i *issue) *event.Event {
	if !at.Known() {
		r.wrong(timeName + " is no usable time")
		return nil
	}
	f := i.Fields
	fact := r.fact(i)
	e := event.Event{
		ID:      id,
		Source:  event.Jira,
		Kind:    kind,
		Time:    at.At,
		Entity:  event.EntityID(provider + "/" + r.siteName() + "/issue/" + string(i.ID)),
		Created: f.Created.At,
		Scope: event.Scope{
			Provider:   provider,
			Name:       r.delivery.Name,
			Project:    projectKey(i),
			Components: fact.Components,
			Labels:     fact.Labels,
		},
		Issue: fact,
	}
	r.events = append(r.events, e)
	return &r.events[len(r.events)-1]
}

// fact is i in canonical language.
func (r *reading) fact(i *issue) *event.Issue {
	f := i.Fields
	fact := &event.Issue{
		Key:      i.Key,
		Created:  f.Created.At,
		Reporter: f.Reporter.account(),
		Current:  f.Status.fact(),
		Labels:   f.Labels,
		Resolved: f.Resolved.At,

		FormerKeys: i.Learned.FormerKeys,
		CausedBy:   i.Learned.CausedBy,
	}
	if f.Type != nil {
		fact.Type = f.Type.Name
	}
	for _, c := range f.Components {
		fact.Components = append(fact.Components, c.Name)
	}
	if r.site.base != "" && i.Key != "" {
		fact.URL = payload.WebURL(r.site.base + "/browse/" + url.PathEscape(i.Key))
	}
	return fact
}

func projectKey(i *issue) string {
	if i.Fields.Project != nil && i.Fields.Project.Key != "" {
		return i.Fields.Project.Key
	}
	key, _, _ := strings.Cut(i.Key, "-")
	return key
}

// created: the status that it starts with is in the issue itself.
func (r *reading) created() {
	i, ok := r.known()
	if !ok {
		return
	}
	w := r.webhook
	if e := r.add(event.IssueCreated, event.IssueCreatedID(r.siteName(), string(i.ID)),
		i.Fields.Created.Or(w.Timestamp), "issue.fields.created", i); e != nil {
		who := w.User
		if who == nil {
			who = i.Fields.Creator
		}
		e.Actor, e.Local = who.account(), r.local(who, i.Fields.Created)
	}
}

func (r *reading) deleted() {
	i, ok := r.known()
	if !ok {
		return
	}
	w := r.webhook
	if e := r.add(event.IssueDeleted, event.IssueDeletedID(r.siteName(), string(i.ID)), w.Timestamp, "timestamp", i); e != nil {
		e.Actor, e.Local = w.User.account(), r.local(w.User, payload.Time{})
	}
}

// updated adds every transition and a new comment. Where there is neither, what
// changed are facts of the issue: labels, components, type, key.
func (r *reading) updated() {
	i, ok := r.known()
	if !ok {
		return
	}
	w := r.webhook
	var c change
	if w.Changelog != nil {
		c = change{id: w.Changelog.ID, items: w.Changelog.Items, at: w.Timestamp, who: w.User, written: i.Fields.Updated}
	}
	if r.tooMuch(i, []change{c}) {
		return
	}
	r.transitions(i, c)
	if w.Comment.isNew() {
		r.comment(i, w.Comment)
	}
	if len(r.events) == 0 && r.outcome == ingest.OutcomeAccepted {
		r.facts(i, string(c.id), w.Timestamp, "timestamp")
	}
}

func (r *reading) facts(i *issue, change string, at payload.Time, timeName string) {
	fact := r.fact(i)
	content := append([]string{fact.Key, fact.Type, fact.Current.Name}, fact.Labels...)
	id := event.IssueUpdatedID(r.siteName(), string(i.ID), change, at.At, append(content, fact.Components...)...)
	if e := r.add(event.IssueUpdated, id, at, timeName, i); e != nil {
		e.Actor, e.Local = r.webhook.User.account(), r.local(r.webhook.User, i.Fields.Updated)
	}
}
