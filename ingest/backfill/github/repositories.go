package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

var fullName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}$`)

// CheckRepository reports whether a name is one of a repository.
func CheckRepository(name string) error {
	if !fullName.MatchString(name) {
		return fmt.Errorf("%q is no repository: write owner/name, such as acme/web", name)
	}
	return nil
}

// repositories are the names of what to read, the one that was pushed to last
// first.
func (r *reader) repositories(ctx context.Context) ([]string, error) {
	if r.ask.Organization == "" {
		for _, name := range r.ask.Repositories {
			if err := CheckRepository(name); err != nil {
				return nil, err
			}
		}
		return r.ask.Repositories, nil
	}
	list, err := r.client.listRepositories(ctx, r.ask.Organization)
	if err != nil {
		return nil, fmt.Errorf("the repositories of %s cannot be listed: %s", r.ask.Organization, problem(err))
	}
	var facts []repoFacts
	for _, data := range list {
		var f repoFacts
		if json.Unmarshal(data, &f) == nil && fullName.MatchString(f.FullName) {
			facts = append(facts, f)
		}
	}
	slices.SortStableFunc(facts, func(a, b repoFacts) int { return b.PushedAt.Compare(a.PushedAt) })
	var names []string
	for _, f := range facts {
		if !slices.Contains(names, f.FullName) {
			names = append(names, f.FullName)
		}
	}
	return names, nil
}

// listRepositories lists those of an organisation, or of a user; an App sees
// those of its installation, and no others' names.
func (c *Client) listRepositories(ctx context.Context, owner string) ([]json.RawMessage, error) {
	if c.app {
		return c.installed(ctx, owner)
	}
	list, err := c.all(ctx, "orgs/"+url.PathEscape(owner)+"/repos?type=all&sort=pushed&direction=desc")
	if status(err) == 404 {
		list, err = c.all(ctx, "users/"+url.PathEscape(owner)+"/repos?sort=pushed&direction=desc")
	}
	return list, err
}

func (c *Client) installed(ctx context.Context, owner string) (list []json.RawMessage, err error) {
	for page := 1; page != 0 && page < most; {
		var answer struct {
			Repositories []json.RawMessage `json:"repositories"`
		}
		res, err := c.get(ctx, fmt.Sprintf("installation/repositories?per_page=%d&page=%d", perPage, page), &answer)
		if err != nil {
			return nil, err
		}
		for _, data := range answer.Repositories {
			var f repoFacts
			if json.Unmarshal(data, &f) == nil && strings.EqualFold(strings.SplitN(f.FullName, "/", 2)[0], owner) {
				list = append(list, data)
			}
		}
		page = res.NextPage
	}
	return list, nil
}

func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
