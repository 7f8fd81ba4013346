package jira

import (
	"cmp"
	"slices"
	"strings"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// changelog is one change (id, items) in a webhook and all of them (histories) in
// a bare issue.
type changelog struct {
	ID        ident                 `json:"id,omitempty"`
	Items     payload.List[item]    `json:"items,omitempty"`
	Histories payload.List[history] `json:"histories,omitempty"`
}

type history struct {
	ID      ident              `json:"id,omitempty"`
	Author  *user              `json:"author,omitempty"`
	Created payload.Time       `json:"created,omitzero"`
	Items   payload.List[item] `json:"items,omitempty"`
}

// item is one field that changed. Its texts may be anything, a description too;
// only those of statuses are kept.
type item struct {
	Field    string `json:"field,omitempty"`
	Type     string `json:"fieldtype,omitempty"`
	From     ident  `json:"from,omitempty"`
	FromName string `json:"fromString,omitempty"`
	To       ident  `json:"to,omitempty"`
	ToName   string `json:"toString,omitempty"`
}

// isTransition: somebody may name a field of their own "Status".
func (i item) isTransition() bool {
	return strings.EqualFold(i.Field, "status") && !strings.EqualFold(i.Type, "custom")
}

func (c *changelog) strip(hash Hasher, kept bool) {
	if c == nil {
		return
	}
	other := func(i item) bool { return !i.isTransition() }
	c.Items = slices.DeleteFunc(c.Items, other)
	for n := range c.Histories {
		c.Histories[n].Author.strip(hash, kept)
		c.Histories[n].Items = slices.DeleteFunc(c.Histories[n].Items, other)
	}
}

// change is one entry of a changelog: who did what, and when.
type change struct {
	id      ident
	items   []item
	at      payload.Time
	who     *user
	written payload.Time // a time that Jira wrote for who, with an offset
	defect  string
}

// transitions adds an event for each of the items.
func (r *reading) transitions(i *issue, c change) {
	for _, it := range c.items {
		from, to := i.status(it.From, it.FromName), i.status(it.To, it.ToName)
		id := event.IssueTransitionedID(r.siteName(), string(i.ID), string(c.id),
			statusKey(it.From, it.FromName), statusKey(it.To, it.ToName), c.at.At)
		if r.seen[id] {
			continue // there, back and there again within one change: one fact
		}
		e := r.add(event.IssueTransitioned, id, c.at, "timestamp", i)
		if e == nil {
			return
		}
		r.seen[id] = true
		e.Actor, e.Local, e.Defect = c.who.account(), r.local(c.who, c.written), c.defect
		e.Issue.From, e.Issue.To, e.Issue.Current, e.Issue.Change = from, to, to, string(c.id)
	}
}

// status is a status that a changelog names. Changelogs do not tell categories;
// the issue tells that of the status it is in.
func (i *issue) status(id ident, name string) event.Status {
	s := i.Fields.Status
	if s != nil && ((id != "" && id == s.ID) || (name != "" && strings.EqualFold(name, s.Name))) {
		return event.Status{Name: cmp.Or(name, s.Name), Category: s.fact().Category}
	}
	return event.Status{Name: name}
}

// statusKey is a status in an id of a fact: its number, for names can be changed.
func statusKey(id ident, name string) string { return cmp.Or(string(id), name) }

// bare reads an issue without a webhook around it: its creation, and every
// transition that its changelog lists, each at its own time.
func (r *reading) bare() {
	i, ok := r.known()
	if !ok {
		return
	}
	f := i.Fields
	changes := i.changes()
	if r.tooMuch(i, changes) {
		return
	}
	if f.Created.Known() {
		e := r.add(event.IssueCreated, event.IssueCreatedID(r.siteName(), string(i.ID)), f.Created, "", i)
		e.Actor, e.Local = f.Creator.account(), r.local(f.Creator, f.Created)
		e.Issue.Current = i.first(changes)
	}
	for _, c := range changes {
		r.transitions(i, c)
		if r.outcome != ingest.OutcomeAccepted {
			return
		}
	}
	if len(changes) == 0 {
		r.facts(i, "", f.Updated, "fields.updated")
	}
}

// changes are the transitions of a bare issue, oldest first. One whose time cannot
// be read does not take the others along: it is set aside, at the last time that
// the issue knows.
func (i *issue) changes() []change {
	if i.Changelog == nil {
		return nil
	}
	var changes []change
	for _, h := range i.Changelog.Histories {
		c := change{id: h.ID, items: h.Items, at: h.Created, who: h.Author, written: h.Created}
		if !c.at.Known() {
			c.at = i.Fields.Updated.Or(i.Fields.Created)
			c.defect = "the change of status has no usable time"
		}
		if len(c.items) > 0 {
			changes = append(changes, c)
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at.At, b.at.At) })
	return changes
}

// first is the status that the issue was created in; unknown where a change has
// no time, for it may have been the first.
func (i *issue) first(sorted []change) event.Status {
	if slices.ContainsFunc(sorted, func(c change) bool { return c.defect != "" }) {
		return event.Status{}
	}
	if len(sorted) == 0 {
		return i.Fields.Status.fact()
	}
	return i.status(sorted[0].items[0].From, sorted[0].items[0].FromName)
}

// Each transition repeats the issue's labels and components: without a bound, a
// delivery of 10 MB could become events of gigabytes.
const (
	maxTransitions = 10_000
	maxFacts       = 16 << 20 // bytes
)

func (r *reading) tooMuch(i *issue, changes []change) bool {
	each, n := i.Learned.size(), 1
	for _, l := range i.Fields.Labels {
		each += len(l)
	}
	for _, c := range i.Fields.Components {
		each += len(c.Name)
	}
	for _, c := range changes {
		n += len(c.items)
	}
	if n > maxTransitions || each*n > maxFacts {
		r.wrong("the changelog is too long")
		return true
	}
	return false
}
