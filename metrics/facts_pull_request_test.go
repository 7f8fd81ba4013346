package metrics_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meridian/ingest/event"
)

func (w *world) pullRequest(f *fact) event.Event {
	repository, digits, _ := strings.Cut(f.words[2], "#")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		f.fail("a pull request is named acme/web#7")
	}
	repo := w.repository(repository)
	p := w.snapshot(f)
	p.Number, p.URL = n, fmt.Sprintf("https://github.example/%s/pull/%d", repository, n)
	e := event.Event{
		Source: event.GitHub, Entity: event.EntityID(fmt.Sprintf("github/repo/%d/pr/%d", repo, n)), Created: p.Created,
		Scope: event.Scope{Provider: "github", Repository: repository}, Actor: github(f.login("by")), PullRequest: p,
	}
	number := int64(f.line)
	if digits, ok := f.option("review"); ok {
		number, _ = strconv.ParseInt(digits, 10, 64)
	}
	key := strconv.FormatInt(number, 10)
	switch f.words[1] {
	case "opened":
		e.Kind, e.ID = event.PullRequestOpened, event.PullRequestOpenedID(repo, n)
	case "ready":
		e.Kind, e.ID = event.PullRequestReady, event.PullRequestReadyID(repo, n, f.at)
	case "drafted":
		e.Kind, e.ID = event.PullRequestDrafted, event.PullRequestDraftedID(repo, n, f.at)
	case "closed":
		e.Kind, e.ID = event.PullRequestClosed, event.PullRequestClosedID(repo, n, f.at)
	case "reopened":
		e.Kind, e.ID = event.PullRequestReopened, event.PullRequestReopenedID(repo, n, f.at)
	case "updated", "pushed":
		e.Kind, e.ID = event.PullRequestUpdated, event.PullRequestUpdatedID(repo, n, f.at, key)
	case "asked", "unasked":
		e.Kind = event.ReviewRequested
		if f.words[1] == "unasked" {
			e.Kind = event.ReviewRequestRemoved
		}
		e.ID = event.NewID(e.Kind.String(), string(e.Entity), f.get("of"), f.at.String())
		if team, ok := strings.CutPrefix(f.get("of"), "team "); ok {
			p.RequestedTeam = team
		} else {
			p.RequestedReviewer = github(f.get("of"))
		}
	case "merged":
		e.Kind, e.ID = event.PullRequestMerged, event.PullRequestMergedID(repo, n)
		p.MergedBy, p.AutoMerge = e.Actor, f.has("automatically")
		p.MergeSHA = f.login("commit")
		p.Commits, _ = strconv.ParseInt(f.login("commits"), 10, 64)
	case "reviewed":
		e.Kind, e.ID = event.ReviewSubmitted, event.ReviewSubmittedID(repo, n, number)
		e.Review = &event.Review{Key: key, State: event.ReviewCommented, Submitted: f.at}
		if f.has("approving") {
			e.Review.State = event.ReviewApproved
		}
		if f.has("demanding") {
			e.Review.State = event.ReviewChangesRequested
		}
		if f.has("pending") {
			e.Review.State = event.ReviewPending
		}
	case "dismissed":
		e.Kind, e.ID = event.ReviewDismissedKind, event.ReviewDismissedID(repo, n, number)
		e.Review = &event.Review{Key: key, State: event.ReviewDismissed}
	case "noted":
		e.Kind, e.ID = event.ReviewCommentedKind, event.ReviewCommentedID(repo, n, number)
		e.Review = &event.Review{Key: key, State: event.ReviewCommented, Submitted: f.at}
	case "commented":
		e.Kind, e.ID = event.PullRequestCommented, event.PullRequestCommentedID(repo, n, number)
		e.Comment = &event.Comment{Key: key, Created: f.at}
	default:
		f.fail("a pull request cannot be %s", f.words[1])
	}
	return e
}

// snapshot is a pull request as it is at one of its facts. Deliveries about
// reviews and comments do not say whether it is a draft, nor how large it is;
// those about comments in the conversation do not know its head.
func (w *world) snapshot(f *fact) *event.PullRequest {
	history := slices.Clone(w.pulls[f.words[2]])
	slices.SortStableFunc(history, func(a, b *fact) int { return cmp.Compare(a.at, b.at) })
	p := &event.PullRequest{State: "open"}
	for _, h := range history {
		switch {
		case h.is("pr", "opened"):
			p.Created, p.Author = h.at, github(h.login("by"))
		case p.Created == 0 && h.get("created") != "":
			// Its opening is no line of the script.
			p.Created = h.at - h.length("created")
			p.Author = github(h.get("author"))
		}
	}
	for _, h := range history {
		switch {
		case h.at > f.at:
		case h.is("pr", "closed"):
			p.State, p.Closed = "closed", h.at
		case h.is("pr", "reopened"):
			p.State, p.Closed = "open", 0
		case h.is("pr", "merged"):
			p.State, p.Closed, p.Merged = "closed", h.at, h.at
		}
	}
	if pushes := 0; !f.is("pr", "commented") {
		p.BaseRef, p.IntoMain = "main", true
		for _, h := range history {
			if base := h.login("into"); base != "" {
				p.BaseRef, p.IntoMain = base, false
			}
		}
		p.HeadRef = strings.ReplaceAll(f.words[2], "/", "-")
		for _, h := range history {
			if branch := h.get("from"); branch == "fork" {
				p.FromFork = true
			} else if branch != "" {
				p.HeadRef = branch
			}
		}
		for _, h := range history {
			if h.at <= f.at && h.is("pr", "pushed") {
				pushes++
			}
		}
		p.HeadSHA = fmt.Sprintf("%s after %d pushes", f.words[2], pushes)
	}
	if !f.is("pr", "reviewed", "noted", "commented", "dismissed") {
		for _, h := range history {
			if h.at > f.at {
				break
			}
			switch {
			case h.is("pr", "opened"):
				p.Draft = h.get("as") == "draft"
			case h.is("pr", "ready"), h.get("as") == "ready":
				p.Draft = false
			case h.is("pr", "drafted"):
				p.Draft = true
			}
			if lines, ok := h.option("adding"); ok {
				p.Additions, _ = strconv.ParseInt(lines, 10, 64)
				p.Deletions, _ = strconv.ParseInt(h.get("removing"), 10, 64)
			}
		}
	}
	return p
}
