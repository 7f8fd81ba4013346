package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// listed is a pull request or an issue in a list.
type listed struct {
	Number      int64           `json:"number"`
	CreatedAt   time.Time       `json:"created_at"`
	UpdatedAt   time.Time       `json:"updated_at"`
	PullRequest json.RawMessage `json:"pull_request"`
	Head        json.RawMessage `json:"head"` // in the list of pull requests
	raw         json.RawMessage
}

func (l *listed) isPullRequest() bool { return len(l.PullRequest) > 0 || len(l.Head) > 0 }

// stablePasses is how often a list that keeps moving is read: an item is missed
// only when it moves during each of them, and then its webhooks tell of it.
const stablePasses = 4

// changed lists the pull requests and issues that have changed since then, the
// last changed first. The list is in order of change, so what is touched while it
// is read goes to its front, and everything behind it back by one: over the border
// of a page one item is seen twice, and what was touched is not seen at all. What is
// deleted or transferred pulls one item over the border the other way, anywhere in
// the list. So all of it is read again until nothing is new: a request for a hundred
// items, of each of which three are asked at least.
func (p *repo) changed(ctx context.Context) ([]item, error) {
	since := p.work.Since.Time().UTC()
	seen := map[int64]listed{}
	var order []int64
	path := fmt.Sprintf("repos/%s/issues?state=all&sort=updated&direction=desc&since=%s", p.FullName, since.Format(time.RFC3339))
	for range stablePasses {
		fresh := 0
		each := func(items []json.RawMessage) (bool, error) {
			for _, data := range items {
				var l listed
				if err := json.Unmarshal(data, &l); err != nil {
					return false, fmt.Errorf("GitHub's list of issues of %s cannot be read: %w", p.FullName, err)
				}
				if l.UpdatedAt.Before(since) {
					return false, nil
				}
				l.raw = data
				old, known := seen[l.Number]
				if !known {
					order = append(order, l.Number)
				}
				if !known || old.UpdatedAt.Before(l.UpdatedAt) {
					fresh++
					seen[l.Number] = l
				}
			}
			return true, nil
		}
		err := p.client.pages(ctx, path, each)
		if status(err) == http.StatusGone { // issues are switched off here; pull requests are not
			path = fmt.Sprintf("repos/%s/pulls?state=all&sort=updated&direction=desc", p.FullName)
			err = p.client.pages(ctx, path, each)
		}
		if err != nil {
			return nil, err
		}
		if fresh == 0 {
			break
		}
	}
	var items []item
	for _, n := range order {
		l := seen[n]
		it := item{key: fmt.Sprintf("issue/%d", n), at: l.UpdatedAt, read: func(ctx context.Context) error { return p.issue(ctx, l) }}
		if l.isPullRequest() {
			it.key, it.read = fmt.Sprintf("pr/%d", n), func(ctx context.Context) error { return p.pullRequest(ctx, n) }
		}
		items = append(items, it)
	}
	return items, nil
}
