package metrics_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meridian/ingest/event"
)

// status reads In Progress, or Shipped/done for one that says its category.
func (f *fact) status(name string) event.Status {
	name, category, _ := strings.Cut(name, "/")
	s := event.Status{Name: name}
	switch category {
	case "":
	case "todo":
		s.Category = event.CategoryToDo
	case "progress":
		s.Category = event.CategoryInProgress
	case "done":
		s.Category = event.CategoryDone
	default:
		f.fail("a category is todo, progress or done")
	}
	return s
}

func (w *world) issue(f *fact) event.Event {
	const site = "acme.atlassian.example"
	key := f.words[2]
	project, _, _ := strings.Cut(key, "-")
	e := event.Event{
		Source: event.Jira, Entity: event.EntityID("jira/" + site + "/issue/" + key), Scope: event.Scope{Provider: "jira", Project: project},
		Created: w.issues[key], Issue: &event.Issue{Key: key, Type: "Story", Created: w.issues[key]},
	}
	if by := f.get("by"); by != "" {
		e.Actor = event.Account{Provider: "jira", Key: by, Login: by}
	}
	w.described(f, e.Issue)
	e.Scope.Components, e.Scope.Labels = e.Issue.Components, e.Issue.Labels
	if repository, number, ok := strings.Cut(key, "#"); ok {
		return w.githubIssue(f, e, repository, number)
	}
	switch f.words[1] {
	case "updated":
		e.Kind, e.ID = event.IssueUpdated, event.IssueUpdatedID(site, key, strconv.Itoa(f.line), f.at)
	case "created":
		e.Kind, e.ID = event.IssueCreated, event.IssueCreatedID(site, key)
		e.Issue.Current = f.status(f.get("in"))
	case "moved":
		from, to := f.get("from"), f.get("to")
		e.Kind, e.ID = event.IssueTransitioned, event.IssueTransitionedID(site, key, strconv.Itoa(f.line), from, to, f.at)
		e.Issue.From, e.Issue.To = f.status(from), f.status(to)
		e.Issue.Current = e.Issue.To
	case "deleted":
		e.Kind, e.ID = event.IssueDeleted, event.IssueDeletedID(site, key)
	case "commented":
		e.Kind, e.ID = event.IssueCommented, event.IssueCommentedID(site, strconv.Itoa(f.line), f.at)
		e.Comment = &event.Comment{Key: strconv.Itoa(f.line), Created: f.at}
	default:
		f.fail("an issue cannot be %s", f.words[1])
	}
	return e
}

// described says of an issue what it was told to be up to one of its facts.
func (w *world) described(f *fact, i *event.Issue) {
	history := slices.Clone(w.tickets[f.words[2]])
	slices.SortStableFunc(history, func(a, b *fact) int { return cmp.Compare(a.at, b.at) })
	for _, h := range history {
		if h.at > f.at {
			break
		}
		if h.has("as") {
			i.Type = h.get("as")
		}
		if h.has("labelled") {
			i.Labels = strings.Fields(h.get("labelled"))
		}
		if h.has("component") {
			i.Components = []string{h.get("component")}
		}
		if h.has("causedby") {
			i.CausedBy = []string{h.get("causedby")}
		}
	}
}

func (w *world) githubIssue(f *fact, e event.Event, repository, digits string) event.Event {
	repo := w.repository(repository)
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		f.fail("an issue of GitHub is named acme/web#9")
	}
	e.Source, e.Entity, e.Issue.Type = event.GitHub, event.EntityID(fmt.Sprintf("github/repo/%d/issue/%d", repo, n)), ""
	e.Scope.Provider, e.Scope.Repository, e.Scope.Project = "github", repository, ""
	open, closed := event.Status{Name: "open", Category: event.CategoryToDo}, event.Status{Name: "closed", Category: event.CategoryDone}
	e.ID = event.GitHubIssueFactID(repo, n, f.words[1], f.at)
	e.Kind, e.Issue.Current = event.IssueTransitioned, open
	switch f.words[1] {
	case "created":
		e.Kind = event.IssueCreated
	case "closed":
		e.Issue.From, e.Issue.To, e.Issue.Current = open, closed, closed
	case "reopened":
		e.Issue.From, e.Issue.To = closed, open
	case "updated":
		e.Kind = event.IssueUpdated
	case "deleted":
		e.Kind = event.IssueDeleted
	default:
		f.fail("an issue of GitHub cannot be %s", f.words[1])
	}
	return e
}
