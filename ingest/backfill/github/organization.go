package github

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Team is a team of an organisation, as its members see it.
type Team struct {
	Name         string
	Members      []string // logins
	Repositories []string // full names of those that it may write to
}

// Teams reads the teams of an organisation, with members and repositories. Those
// that have neither are left out.
func Teams(ctx context.Context, c *Client, org string) ([]Team, error) {
	at := "orgs/" + url.PathEscape(org) + "/teams"
	list, err := c.all(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("read the teams of %s: %s", org, problem(err))
	}
	var teams []Team
	for _, data := range list {
		var t struct{ Name, Slug string }
		if err := json.Unmarshal(data, &t); err != nil || t.Slug == "" {
			continue
		}
		made := Team{Name: t.Slug}
		members, err := c.all(ctx, at+"/"+url.PathEscape(t.Slug)+"/members")
		if err != nil {
			return nil, fmt.Errorf("read the members of team %s: %s", t.Slug, problem(err))
		}
		for _, data := range members {
			var m struct{ Login string }
			if json.Unmarshal(data, &m) == nil && m.Login != "" {
				made.Members = append(made.Members, m.Login)
			}
		}
		repositories, err := c.all(ctx, at+"/"+url.PathEscape(t.Slug)+"/repos")
		if err != nil {
			return nil, fmt.Errorf("read the repositories of team %s: %s", t.Slug, problem(err))
		}
		for _, data := range repositories {
			var r struct {
				Name        string `json:"full_name"`
				Archived    bool
				Permissions struct{ Push, Admin bool }
			}
			if json.Unmarshal(data, &r) == nil && r.Name != "" && !r.Archived && (r.Permissions.Push || r.Permissions.Admin) {
				made.Repositories = append(made.Repositories, r.Name)
			}
		}
		slices.Sort(made.Members)
		slices.Sort(made.Repositories)
		if len(made.Members)+len(made.Repositories) > 0 {
			teams = append(teams, made)
		}
	}
	return teams, nil
}

// codeownersPlaces are where GitHub looks for the file, in its order.
var codeownersPlaces = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}

// CodeOwners reads who owns a repository as a whole by its CODEOWNERS file: the
// owners of its last rule for everything. Teams are "org/team", people logins;
// nobody where there is no such file or rule.
func CodeOwners(ctx context.Context, c *Client, repository string) (owners []string, err error) {
	for _, place := range codeownersPlaces {
		var file struct{ Content, Encoding string }
		_, err := c.get(ctx, "repos/"+repository+"/contents/"+place, &file)
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %s", place, repository, problem(err))
		}
		text, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(file.Content, "\n", ""))
		if file.Encoding != "base64" || err != nil {
			return nil, nil // a file so large that GitHub does not show it
		}
		return ownersOfAll(string(text)), nil
	}
	return nil, nil
}

// ownersOfAll are the owners of the last rule that matches every file.
func ownersOfAll(text string) (owners []string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 || !slices.Contains([]string{"*", "/", "/*", "**", "/**"}, words[0]) {
			continue
		}
		owners = nil
		for _, word := range words[1:] {
			if name, ok := strings.CutPrefix(word, "@"); ok { // others are addresses
				owners = append(owners, name)
			}
		}
	}
	return owners
}
