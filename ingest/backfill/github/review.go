package github

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// reviews delivers the reviews that were submitted, and that some were dismissed.
func (pr *pull) reviews(ctx context.Context) error {
	if !pr.history.has("reviewed", "review_dismissed") {
		return nil
	}
	list, err := pr.repo.client.all(ctx, fmt.Sprintf("repos/%s/pulls/%d/reviews", pr.repo.FullName, pr.Number))
	if err != nil {
		return err
	}
	byID := map[int64]object{}
	for _, data := range list {
		var facts struct {
			ID          int64           `json:"id"`
			State       string          `json:"state"`
			SubmittedAt time.Time       `json:"submitted_at"`
			User        json.RawMessage `json:"user"`
		}
		review, err := parse(data)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &facts); err != nil || facts.ID == 0 {
			return fmt.Errorf("GitHub's answer about the reviews of a pull request of %s cannot be read", pr.repo.FullName)
		}
		if facts.SubmittedAt.IsZero() {
			continue // pending: its author alone sees it
		}
		byID[facts.ID] = review
		if before := pr.history.before(facts.ID); before != "" {
			review = review.with("state", before)
		}
		if err := pr.deliver(ctx, "pull_request_review", "submitted", pr.at(facts.SubmittedAt), "review", review, "sender", facts.User); err != nil {
			return err
		}
		pr.repo.unit.Counts.Reviews++
	}
	for _, one := range pr.history {
		if one.Event != "review_dismissed" || one.Dismissed == nil || byID[one.Dismissed.ReviewID] == nil {
			continue
		}
		err := pr.deliver(ctx, "pull_request_review", "dismissed", pr.at(one.CreatedAt),
			"review", byID[one.Dismissed.ReviewID].with("state", "DISMISSED"), "sender", one.Actor)
		if err != nil {
			return err
		}
	}
	return nil
}

// lineComments delivers the comments on lines of the diff.
func (pr *pull) lineComments(ctx context.Context) error {
	if pr.ReviewComments == 0 {
		return nil
	}
	list, err := pr.repo.client.all(ctx, fmt.Sprintf("repos/%s/pulls/%d/comments", pr.repo.FullName, pr.Number))
	if err != nil {
		return err
	}
	for _, data := range list {
		at, user := stampOf(data)
		if err := pr.deliver(ctx, "pull_request_review_comment", "created", pr.at(at), "comment", data, "sender", user); err != nil {
			return err
		}
		pr.repo.unit.Counts.Comments++
	}
	return nil
}

// comments delivers the conversation, which the timeline holds.
func (pr *pull) comments(ctx context.Context) error {
	for _, one := range pr.history {
		if one.Event != "commented" {
			continue
		}
		now := pr.at(one.CreatedAt)
		of := object{}.with("merged_at", now["merged_at"])
		issue := object{}.with("pull_request", of)
		for _, field := range []string{"number", "state", "draft", "user", "created_at", "closed_at", "labels", "html_url"} {
			issue = issue.with(field, now[field])
		}
		if err := pr.repo.comment(ctx, issue, one); err != nil {
			return err
		}
	}
	return nil
}

// comment delivers a comment of a timeline.
func (p *repo) comment(ctx context.Context, issue object, one happening) error {
	_, user := stampOf(one.raw)
	if err := p.deliver(ctx, "issue_comment", object{}.with("action", "created", "issue", issue, "comment", one.raw, "sender", user)); err != nil {
		return err
	}
	p.unit.Counts.Comments++
	return nil
}

func stampOf(data json.RawMessage) (at time.Time, user json.RawMessage) {
	var facts struct {
		CreatedAt time.Time       `json:"created_at"`
		User      json.RawMessage `json:"user"`
	}
	_ = json.Unmarshal(data, &facts) // what cannot be read has no time, and its decoder says so
	return facts.CreatedAt, facts.User
}
