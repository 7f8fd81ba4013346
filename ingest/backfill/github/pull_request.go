package github

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// pull is a pull request with its history.
type pull struct {
	repo    *repo
	raw     object
	history history
	pullFacts
}

type pullFacts struct {
	Number         int64           `json:"number"`
	Draft          bool            `json:"draft"`
	User           json.RawMessage `json:"user"`
	CreatedAt      time.Time       `json:"created_at"`
	UpdatedAt      time.Time       `json:"updated_at"`
	ClosedAt       time.Time       `json:"closed_at"`
	MergedAt       time.Time       `json:"merged_at"`
	ReviewComments int             `json:"review_comments"`
	Commits        int             `json:"commits"`
}

// pullRequest reads one pull request and delivers its facts.
func (p *repo) pullRequest(ctx context.Context, number int64) error {
	var data json.RawMessage
	if _, err := p.client.get(ctx, fmt.Sprintf("repos/%s/pulls/%d", p.FullName, number), &data); err != nil {
		return err
	}
	pr := &pull{repo: p}
	var err error
	if pr.raw, err = parse(data); err != nil {
		return err
	}
	if err = json.Unmarshal(data, &pr.pullFacts); err != nil || pr.Number != number {
		return fmt.Errorf("GitHub's answer about a pull request of %s cannot be read", p.FullName)
	}
	if pr.history, err = p.history(ctx, number); err != nil {
		return err
	}
	for _, tell := range []func(context.Context) error{pr.life, pr.reviews, pr.lineComments, pr.comments, pr.commits} {
		if err := tell(ctx); err != nil {
			return err
		}
	}
	p.unit.Counts.PullRequests++
	return nil
}

// at is the pull request as webhooks told of it at t, as far as is known.
func (pr *pull) at(t time.Time) object {
	o := pr.raw.with("updated_at", t, "draft", pr.history.draft(t, pr.Draft))
	if pr.history.open(t) {
		o = o.with("state", "open", "closed_at", nil)
	}
	if pr.MergedAt.IsZero() || t.Before(pr.MergedAt) {
		o = o.with("merged", false, "merged_at", nil, "merged_by", nil)
	}
	return o
}

func (pr *pull) deliver(ctx context.Context, typ, action string, as object, more ...any) error {
	body := object{}.with("action", action, "pull_request", as)
	return pr.repo.deliver(ctx, typ, body.with(more...))
}

// life delivers what happened to the pull request itself.
func (pr *pull) life(ctx context.Context) error {
	if err := pr.deliver(ctx, "pull_request", "opened", pr.at(pr.CreatedAt), "sender", pr.User); err != nil {
		return err
	}
	for _, one := range pr.history {
		as, action := pr.at(one.CreatedAt), ""
		more := []any{"sender", one.Actor}
		switch one.Event {
		case "ready_for_review":
			action = "ready_for_review"
		case "convert_to_draft":
			action = "converted_to_draft"
		case "reopened":
			action = "reopened"
		case "closed":
			if !pr.MergedAt.IsZero() && !one.CreatedAt.Before(pr.MergedAt.Add(-time.Minute)) {
				continue // by the merge, which is told below
			}
			action, as = "closed", as.with("closed_at", one.CreatedAt)
		case "review_requested", "review_request_removed":
			action = one.Event
			if len(one.RequestedReviewer) > 0 {
				more = append(more, "requested_reviewer", one.RequestedReviewer)
			}
			if len(one.RequestedTeam) > 0 {
				more = append(more, "requested_team", one.RequestedTeam)
			}
		default:
			continue
		}
		if err := pr.deliver(ctx, "pull_request", action, as, more...); err != nil {
			return err
		}
	}
	if !pr.MergedAt.IsZero() { // which also tells how it is now
		return pr.deliver(ctx, "pull_request", "closed", pr.raw, "sender", pr.raw["merged_by"])
	}
	if !pr.ClosedAt.IsZero() && !pr.history.has("closed") {
		if err := pr.deliver(ctx, "pull_request", "closed", pr.raw); err != nil {
			return err
		}
	}
	return pr.deliver(ctx, "pull_request", "edited", pr.raw)
}

// commits delivers the pull request's commits with their authors' times: what
// pushes to its branch would have told, and those of a fork never do.
func (pr *pull) commits(ctx context.Context) error {
	list, err := pr.repo.client.all(ctx, fmt.Sprintf("repos/%s/pulls/%d/commits", pr.repo.FullName, pr.Number))
	if err != nil {
		return err
	}
	var commits []object
	for _, data := range list {
		c, err := parseCommit(data)
		if err != nil {
			return err
		}
		commits = append(commits, c.pushed())
	}
	if len(commits) == 0 {
		return nil
	}
	pr.repo.unit.Counts.Commits += int64(len(commits))
	return pr.deliver(ctx, "pull_request_commits", "read", pr.raw, "commits", commits)
}
