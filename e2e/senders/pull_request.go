package senders

import (
	"fmt"
	"time"
)

// A PullRequest is one that does not change behind the test's back.
type PullRequest struct {
	Repository Repository
	Number     int
	Author     User
	Created    time.Time
	Draft      bool // when it was opened
}

// A state is what a delivery tells of a pull request beside its fact.
type state struct {
	updated, closed, merged time.Time
	mergedBy                *User
	draft                   bool
	review                  bool // deliveries about reviews say less
}

func (p PullRequest) json(s state) object {
	at := "open"
	if !s.closed.IsZero() {
		at = "closed"
	}
	branch := fmt.Sprintf("change-%d", p.Number)
	o := object{
		"number": p.Number, "state": at, "title": "zebra", "body": "zebra, see zebra@acme.example", "user": p.Author.json(),
		"created_at": instant(p.Created), "updated_at": instant(s.updated), "closed_at": instant(s.closed), "merged_at": instant(s.merged),
		"draft": s.draft, "labels": []object{}, "auto_merge": nil,
		"html_url": fmt.Sprintf("https://github.example/%s/pull/%d", p.Repository.Name, p.Number),
		"head":     object{"ref": branch, "sha": fmt.Sprintf("%040d", p.Number), "repo": p.Repository.json(time.Time{})},
		"base":     object{"ref": "main", "sha": fmt.Sprintf("%040d", 0), "repo": p.Repository.json(time.Time{})},
	}
	if s.review {
		return o
	}
	o["merged"], o["commits"], o["additions"], o["deletions"], o["changed_files"] = !s.merged.IsZero(), 2, 30, 4, 3
	o["merged_by"] = nil
	if s.mergedBy != nil {
		o["merged_by"] = s.mergedBy.json()
	}
	return o
}

func (p PullRequest) delivery(action string, sender User, s state) Delivery {
	return p.Repository.delivery("pull_request", sender, time.Time{}, object{"action": action, "number": p.Number, "pull_request": p.json(s)})
}

// Opened is its beginning.
func (p PullRequest) Opened() Delivery {
	return p.delivery("opened", p.Author, state{updated: p.Created, draft: p.Draft})
}

// Ready is the end of a draft.
func (p PullRequest) Ready(at time.Time) Delivery {
	return p.delivery("ready_for_review", p.Author, state{updated: at})
}

// Reviewed is a submitted review.
func (p PullRequest) Reviewed(id int, by User, at time.Time) Delivery {
	return p.Repository.delivery("pull_request_review", by, time.Time{}, object{
		"action": "submitted", "pull_request": p.json(state{updated: at, review: true}),
		"review": object{
			"id": id, "user": by.json(), "body": "zebra?", "submitted_at": instant(at), "state": "approved",
			"html_url": fmt.Sprintf("https://github.example/%s/pull/%d#pullrequestreview-%d", p.Repository.Name, p.Number, id),
		},
	})
}

// Merged is its end, by hand.
func (p PullRequest) Merged(by User, at time.Time) Delivery {
	return p.delivery("closed", by, state{updated: at, closed: at, merged: at, mergedBy: &by})
}

// Closed is its end without a merge.
func (p PullRequest) Closed(by User, at time.Time) Delivery {
	return p.delivery("closed", by, state{updated: at, closed: at})
}
