package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// commit is one of the API: the author's account beside what Git says.
type commit struct {
	SHA    string `json:"sha"`
	Author *struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
		Type  string `json:"type"`
	} `json:"author"`
	Commit struct {
		Message string `json:"message"`
		Author  struct {
			Name  string `json:"name"`
			Email string `json:"email"`
			Date  string `json:"date"`
		} `json:"author"`
		Committer struct {
			Date string `json:"date"`
		} `json:"committer"`
	} `json:"commit"`
	Parents []struct {
		SHA string `json:"sha"`
	} `json:"parents"`
}

func parseCommit(data json.RawMessage) (*commit, error) {
	var c commit
	if err := json.Unmarshal(data, &c); err != nil || c.SHA == "" {
		return nil, fmt.Errorf("GitHub's answer about a commit cannot be read")
	}
	return &c, nil
}

// pushed is the commit in the shape of a push, with the author's number besides,
// which pushes do not tell.
func (c *commit) pushed() object {
	author := object{}.with("name", c.Commit.Author.Name, "email", c.Commit.Author.Email, "date", c.Commit.Author.Date)
	if a := c.Author; a != nil && a.Login != "" {
		author = author.with("username", a.Login)
		if a.ID != 0 {
			author = author.with("id", a.ID)
		}
	}
	parents := []object{}
	for _, p := range c.Parents {
		parents = append(parents, object{}.with("sha", p.SHA))
	}
	return object{}.with("id", c.SHA, "timestamp", c.Commit.Author.Date, "message", c.Commit.Message, "author", author, "parents", parents)
}

// mostCommits bounds what is held of a branch: a commit takes half a kilobyte.
const mostCommits = 200_000

// branch delivers the commits of the default branch: a push for each step along
// its first parents, with the commits that the step brought along, the newest
// step first.
func (p *repo) branch(ctx context.Context) error {
	if p.DefaultBranch == "" || p.unit.Items["branch"] != "" {
		return nil
	}
	commits := map[string]*commit{}
	tip := ""
	// Pages are of the commit that was the tip at the first: the branch may move.
	path := fmt.Sprintf("repos/%s/commits?since=%s&sha=", p.FullName, p.work.Since.Time().UTC().Format(time.RFC3339))
	each := func(list []json.RawMessage) (bool, error) {
		for _, data := range list {
			c, err := parseCommit(data)
			if err != nil {
				return false, err
			}
			if tip == "" {
				tip = c.SHA
			}
			commits[c.SHA] = c
		}
		return len(commits) < mostCommits, nil
	}
	var newest []json.RawMessage
	res, err := p.client.get(ctx, path+url.QueryEscape(p.DefaultBranch)+"&per_page="+strconv.Itoa(perPage), &newest)
	if err == nil {
		_, err = each(newest)
	}
	if err == nil && res.NextPage != 0 {
		err = p.client.pages(ctx, path+tip, each)
	}
	if status(err) == http.StatusConflict || status(err) == http.StatusNotFound {
		return nil // an empty repository
	}
	if err != nil {
		return err
	}
	for _, s := range steps(commits, tip) {
		var list []object
		for _, c := range s.brought {
			list = append(list, c.pushed())
		}
		before := "0000000000000000000000000000000000000000"
		if len(s.commit.Parents) > 0 {
			before = s.commit.Parents[0].SHA
		}
		body := object{}.with("ref", "refs/heads/"+p.DefaultBranch, "before", before, "after", s.commit.SHA, "commits", list,
			"repository", object{}.with("pushed_at", parseTime(s.commit.Commit.Committer.Date)))
		if err := p.deliver(ctx, "push", body); err != nil {
			return err
		}
		p.unit.Counts.Commits += int64(len(list))
	}
	p.unit.Items["branch"] = tip
	if tip == "" {
		p.unit.Items["branch"] = "none"
	}
	return nil
}

// step is one move of a branch: a commit on its line of first parents, and what
// came with it, the oldest first, itself last.
type step struct {
	commit  *commit
	brought []*commit
}

// steps walks the first parents from the tip. What a merge brings along is what
// its other parents reach and no older step does, so the oldest step takes its
// share first.
func steps(commits map[string]*commit, tip string) []step {
	var line []*commit
	taken := map[string]bool{}
	for c := commits[tip]; c != nil && !taken[c.SHA]; {
		line = append(line, c)
		taken[c.SHA] = true
		if len(c.Parents) == 0 {
			break
		}
		c = commits[c.Parents[0].SHA]
	}
	out := make([]step, len(line))
	for i := len(line) - 1; i >= 0; i-- {
		c := line[i]
		var brought []*commit
		stack := []string{}
		for _, parent := range c.Parents[min(1, len(c.Parents)):] {
			stack = append(stack, parent.SHA)
		}
		for len(stack) > 0 {
			sha := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			side := commits[sha]
			if side == nil || taken[sha] {
				continue
			}
			taken[sha] = true
			brought = append(brought, side)
			for _, parent := range side.Parents {
				stack = append(stack, parent.SHA)
			}
		}
		slices.Reverse(brought)
		out[i] = step{c, append(brought, c)}
	}
	return out
}
