package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"
)

// Hooks says whose webhooks are meant.
type Hooks struct {
	Organization string
	Repositories []string
	App          bool // the App's own

	// Found says that the repositories are those that deliveries have come of,
	// whoever's hook sent them: their own, their owners' and the App's are looked
	// at, as far as they can be.
	Found bool
}

// Redelivered is what became of it.
type Redelivered struct {
	Hooks int `json:"hooks"`
	Seen  int `json:"seen"`  // deliveries looked at
	Asked int `json:"asked"` // asked for again
	Gone  int `json:"gone"`  // that GitHub does not keep any more

	// Whole says that the hooks of every repository were looked at.
	Whole bool `json:"whole"`
}

// Redeliver looks through the deliveries of hooks between two times and asks for
// those again that failed, unless a later attempt of the same has worked. Asking
// twice is harmless: what they tell has natural ids.
func Redeliver(ctx context.Context, c *Client, of Hooks, from, to time.Time, report func(Redelivered)) (r Redelivered, err error) {
	paths, whole, err := c.hookPaths(ctx, of)
	r.Whole = whole
	if err != nil {
		return r, err
	}
	for _, path := range paths {
		r.Hooks++
		failed, err := c.failed(ctx, path, from, to, &r)
		if err != nil {
			return r, fmt.Errorf("the deliveries of a hook cannot be listed: %s", problem(err))
		}
		for i := len(failed) - 1; i >= 0; i-- { // the oldest first, as they came
			switch err := c.again(ctx, fmt.Sprintf("%s/deliveries/%d/attempts", path, failed[i])); {
			case gone(err):
				r.Gone++
			case err != nil:
				return r, fmt.Errorf("a delivery cannot be asked for again: %s", problem(err))
			default:
				r.Asked++
			}
			report(r)
		}
		report(r)
	}
	return r, nil
}

// Failing counts the deliveries that failed and of which no later attempt has
// worked, so far.
func Failing(ctx context.Context, c *Client, of Hooks, from, to time.Time) (n int, err error) {
	paths, _, err := c.hookPaths(ctx, of)
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		var looked Redelivered
		failed, err := c.failed(ctx, path, from, to, &looked)
		if err != nil {
			return n, fmt.Errorf("the deliveries of a hook cannot be listed: %s", problem(err))
		}
		n += len(failed)
	}
	return n, nil
}

// hookPaths are the hooks that are meant. whole says that none can be missing.
func (c *Client) hookPaths(ctx context.Context, of Hooks) (paths []string, whole bool, err error) {
	if of.Found {
		return c.foundPaths(ctx, of.Repositories)
	}
	if of.App {
		return []string{"app/hook"}, true, nil
	}
	var owners []string
	if of.Organization != "" {
		owners = append(owners, "orgs/"+url.PathEscape(of.Organization)+"/hooks")
	}
	for _, name := range of.Repositories {
		if err := CheckRepository(name); err != nil {
			return nil, false, err
		}
		owners = append(owners, "repos/"+name+"/hooks")
	}
	for _, owner := range owners {
		found, err := c.hooksOf(ctx, owner)
		if err != nil {
			return nil, false, fmt.Errorf("the hooks of %s cannot be listed: %s", owner, problem(err))
		}
		paths = append(paths, found...)
	}
	return paths, true, nil
}

// foundPaths are the hooks that can have sent what came of some repositories. An
// owner's hook sends of all of its repositories; who has none, or may not show
// it, has hooks of each.
func (c *Client) foundPaths(ctx context.Context, repositories []string) (paths []string, whole bool, err error) {
	if c.app {
		return []string{"app/hook"}, true, nil
	}
	ofOwner := map[string]bool{}
	whole = true
	for _, name := range repositories {
		if CheckRepository(name) != nil {
			continue
		}
		owner, _, _ := strings.Cut(name, "/")
		covered, known := ofOwner[owner]
		if !known {
			found, err := c.hooksOf(ctx, "orgs/"+url.PathEscape(owner)+"/hooks")
			if err != nil && !hidden(err) {
				return nil, false, fmt.Errorf("the hooks of %s cannot be listed: %s", owner, problem(err))
			}
			covered = len(found) > 0
			ofOwner[owner], paths = covered, append(paths, found...)
		}
		found, err := c.hooksOf(ctx, "repos/"+name+"/hooks")
		if err != nil && !hidden(err) {
			return nil, false, fmt.Errorf("the hooks of %s cannot be listed: %s", name, problem(err))
		}
		paths = append(paths, found...)
		whole = whole && (covered || len(found) > 0)
	}
	return paths, whole && len(paths) > 0, nil
}

// hidden says that something is not there, or not for this token to see.
func hidden(err error) bool { return gone(err) || status(err) == http.StatusForbidden }

func (c *Client) hooksOf(ctx context.Context, owner string) (paths []string, err error) {
	list, err := c.all(ctx, owner)
	if err != nil {
		return nil, err
	}
	for _, data := range list {
		var hook struct {
			ID int64 `json:"id"`
		}
		if json.Unmarshal(data, &hook) == nil && hook.ID != 0 {
			paths = append(paths, fmt.Sprintf("%s/%d", owner, hook.ID))
		}
	}
	return paths, nil
}

// failed are the deliveries that failed for good, the newest first. All attempts
// of one have its GUID.
func (c *Client) failed(ctx context.Context, path string, from, to time.Time, r *Redelivered) ([]int64, error) {
	worked, last := map[string]bool{}, map[string]bool{}
	var ids []int64
	for cursor := ""; ; {
		var list []*github.HookDelivery
		res, err := c.get(ctx, fmt.Sprintf("%s/deliveries?per_page=%d&cursor=%s", path, perPage, url.QueryEscape(cursor)), &list)
		if err != nil {
			return nil, err
		}
		past := false
		for _, d := range list { // the newest first
			at := d.GetDeliveredAt().Time
			if at.Before(from) {
				past = true
				continue
			}
			r.Seen++
			guid, ok := d.GetGUID(), d.GetStatusCode()/100 == 2
			if ok {
				worked[guid] = true
			} else if !worked[guid] && !last[guid] && !at.After(to) {
				last[guid] = true
				ids = append(ids, d.GetID())
			}
		}
		if cursor = res.Cursor; cursor == "" || past || len(list) == 0 {
			return ids, nil
		}
	}
}

func (c *Client) again(ctx context.Context, path string) error {
	r, err := c.NewRequest(http.MethodPost, path, nil)
	if err != nil {
		return err
	}
	_, err = c.Do(ctx, r, nil)
	if _, accepted := err.(*github.AcceptedError); accepted {
		return nil
	}
	return err
}
