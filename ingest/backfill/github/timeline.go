package github

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// happening is one entry of a pull request's or issue's timeline.
type happening struct {
	Event             string          `json:"event"`
	ID                int64           `json:"id"`
	CreatedAt         time.Time       `json:"created_at"`
	SubmittedAt       time.Time       `json:"submitted_at"` // of reviews
	Actor             json.RawMessage `json:"actor"`        // who did it; null where the account is gone
	RequestedReviewer json.RawMessage `json:"requested_reviewer"`
	RequestedTeam     json.RawMessage `json:"requested_team"`
	Label             json.RawMessage `json:"label"`
	Dismissed         *struct {
		ReviewID int64  `json:"review_id"`
		State    string `json:"state"` // what it had said
	} `json:"dismissed_review"`
	raw json.RawMessage
}

// history is a timeline in the order of time.
type history []happening

func (p *repo) history(ctx context.Context, number int64) (history, error) {
	list, err := p.client.all(ctx, fmt.Sprintf("repos/%s/issues/%d/timeline", p.FullName, number))
	if err != nil {
		return nil, err
	}
	var h history
	for _, data := range list {
		var one happening
		if err := json.Unmarshal(data, &one); err != nil {
			continue // an event of a shape of its own, which is none that is read
		}
		one.raw = data
		h = append(h, one)
	}
	slices.SortStableFunc(h, func(a, b happening) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return h, nil
}

// has reports whether there is an event of any of these names.
func (h history) has(events ...string) bool {
	return slices.ContainsFunc(h, func(one happening) bool { return slices.Contains(events, one.Event) })
}

// draft reports whether a pull request that is a draft now or not was one at t.
func (h history) draft(at time.Time, now bool) bool {
	draft, told := false, false
	for _, one := range h {
		if one.Event != "ready_for_review" && one.Event != "convert_to_draft" {
			continue
		}
		was := one.Event == "ready_for_review" // it was a draft before it became ready
		if one.CreatedAt.After(at) {
			if !told {
				return was
			}
			return draft
		}
		draft, told = !was, true
	}
	if !told {
		return now
	}
	return draft
}

// open reports whether it was open at t.
func (h history) open(at time.Time) bool {
	open := true
	for _, one := range h {
		if one.CreatedAt.After(at) {
			break
		}
		switch one.Event {
		case "closed", "merged":
			open = false
		case "reopened":
			open = true
		}
	}
	return open
}

// before is what a dismissed review had said, in the API's words.
func (h history) before(review int64) string {
	for _, one := range h {
		if one.Event == "review_dismissed" && one.Dismissed != nil && one.Dismissed.ReviewID == review {
			return strings.ToUpper(one.Dismissed.State)
		}
	}
	return ""
}
