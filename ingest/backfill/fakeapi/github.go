package fakeapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// GitHub is a GitHub Enterprise server: its API lies under /api/v3.
type GitHub struct {
	server
	Token string // that it takes; "": the installation tokens it has given

	Repositories []*Repository
	Hooks        map[string]*Hook // by "orgs/acme/hooks/1", "repos/acme/web/hooks/2", "app/hook"

	// Limit is the primary limit; 0: none is told of. Remaining goes down with
	// each request; at 0 the answer is 403 until Reset.
	Limit, Remaining int
	Reset            time.Time

	// OnRedeliver is called when a delivery is asked for again, under the world's
	// lock; nil: it never comes.
	OnRedeliver func(h *Hook, id int64)

	installations int // tokens given
	jwt           func(token string) error
}

// Repository is one of the world. Objects are as the API gives them.
type Repository struct {
	Object       Object // id, full_name, default_branch, created_at, pushed_at
	Pulls        []*Pull
	Issues       []*Issue
	Commits      []Object // of the default branch, the newest first
	Deployments  []*Deployment
	IssuesOff    bool
	EmptyGit     bool
	Forbidden    bool
	NotThereYet  bool
	MovedAwayNow bool
}

// Pull is a pull request.
type Pull struct {
	Object   Object
	Timeline []Object
	Reviews  []Object
	Comments []Object // on lines
	Commits  []Object
}

// Issue is an issue.
type Issue struct {
	Object   Object
	Timeline []Object
}

// Deployment is a deployment with its states, the newest first.
type Deployment struct {
	Object   Object
	Statuses []Object
}

// Hook is a webhook with the deliveries that were tried, the newest first.
type Hook struct {
	Object     Object
	Deliveries []Object

	redelivered []int64
}

// NewGitHub starts a server.
func NewGitHub(token string) *GitHub {
	g := &GitHub{Token: token, Hooks: map[string]*Hook{}}
	g.start(g.answer)
	return g
}

// AcceptApp makes the server take Apps: check says whether a web token is right.
func (g *GitHub) AcceptApp(check func(token string) error) { g.jwt = check }

// Installations is how many installation tokens were given.
func (g *GitHub) Installations() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.installations
}

func (g *GitHub) answer(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/api/v3/")
	if !ok {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if path == "app" || strings.HasPrefix(path, "app/") {
		if g.jwt == nil || g.jwt(bearer) != nil {
			g.denied++
			refuse(w, http.StatusUnauthorized, "A JSON web token could not be decoded")
			return
		}
	} else if bearer == "" || bearer != g.Token {
		g.denied++
		refuse(w, http.StatusUnauthorized, "Bad credentials")
		return
	}
	if g.Limit > 0 {
		if time.Now().After(g.Reset) {
			g.Remaining = g.Limit
		}
		w.Header().Set("X-RateLimit-Limit", strconv.Itoa(g.Limit))
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(g.Reset.Unix(), 10))
		if g.Remaining == 0 {
			w.Header().Set("X-RateLimit-Remaining", "0")
			refuse(w, http.StatusForbidden, "API rate limit exceeded for installation ID 1.")
			return
		}
		g.Remaining--
		w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(g.Remaining))
	}
	g.route(w, r, strings.Split(strings.Trim(path, "/"), "/"))
}

// SecondaryLimit is how GitHub says that requests come too fast.
func SecondaryLimit(retryAfter int) *Answer {
	a := &Answer{Status: http.StatusForbidden, Header: map[string]string{}, Body: `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`}
	if retryAfter > 0 {
		a.Header["Retry-After"] = strconv.Itoa(retryAfter)
	}
	return a
}

func refuse(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, Object{"message": message, "documentation_url": "https://docs.github.com/rest"})
}

func (g *GitHub) route(w http.ResponseWriter, r *http.Request, p []string) {
	switch {
	case p[0] == "app" && len(p) >= 2 && p[1] == "installations":
		if len(p) == 4 && r.Method == http.MethodPost {
			g.installations++
			g.Token = fmt.Sprintf("ghs_installation_%d", g.installations)
			writeJSON(w, http.StatusCreated, Object{"token": g.Token, "expires_at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)})
			return
		}
		writeJSON(w, http.StatusOK, []Object{{"id": 1, "account": Object{"login": "acme"}}})
	case p[0] == "installation" && len(p) == 2:
		var list []Object
		for _, repo := range g.Repositories {
			list = append(list, repo.Object)
		}
		writeJSON(w, http.StatusOK, Object{"total_count": len(list), "repositories": g.page(w, r, list)})
	case p[0] == "app" && len(p) >= 2 && p[1] == "hook":
		g.hook(w, r, "app/hook", p[2:])
	case len(p) >= 3 && p[2] == "hooks" && p[0] == "orgs":
		g.hooks(w, r, p[:3], p[3:])
	case len(p) >= 4 && p[3] == "hooks" && p[0] == "repos":
		g.hooks(w, r, p[:4], p[4:])
	case (p[0] == "orgs" || p[0] == "users") && len(p) == 3 && p[2] == "repos":
		var list []Object
		for _, repo := range g.Repositories {
			if name, _ := repo.Object["full_name"].(string); strings.HasPrefix(name, p[1]+"/") && !repo.NotThereYet {
				list = append(list, repo.Object)
			}
		}
		if p[0] == "orgs" && len(list) == 0 {
			refuse(w, http.StatusNotFound, "Not Found")
			return
		}
		slices.SortStableFunc(list, func(a, b Object) int { return stamp(b, "pushed_at").Compare(stamp(a, "pushed_at")) })
		writeJSON(w, http.StatusOK, g.page(w, r, list))
	case p[0] == "repos" && len(p) >= 3:
		for _, repo := range g.Repositories {
			if repo.Object["full_name"] == p[1]+"/"+p[2] && !repo.NotThereYet {
				g.repository(w, r, repo, p[3:])
				return
			}
		}
		refuse(w, http.StatusNotFound, "Not Found")
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

func (g *GitHub) repository(w http.ResponseWriter, r *http.Request, repo *Repository, p []string) {
	at := func(i int) string {
		if i < len(p) {
			return p[i]
		}
		return ""
	}
	number, _ := strconv.ParseInt(at(1), 10, 64)
	list := func(items []Object) { writeJSON(w, http.StatusOK, g.page(w, r, items)) }
	switch {
	case repo.Forbidden && len(p) > 0:
		refuse(w, http.StatusForbidden, "Resource not accessible by integration")
	case len(p) == 0:
		writeJSON(w, http.StatusOK, repo.Object)
	case at(0) == "commits":
		if repo.EmptyGit {
			refuse(w, http.StatusConflict, "Git Repository is empty.")
			return
		}
		list(repo.commits(r.URL.Query()))
	case at(0) == "issues" && len(p) == 1:
		if repo.IssuesOff {
			refuse(w, http.StatusGone, "Issues are disabled for this repo")
			return
		}
		list(repo.issues(r.URL.Query()))
	case at(0) == "pulls" && len(p) == 1:
		list(repo.pulls())
	case at(0) == "issues" && at(2) == "timeline":
		if pull := repo.pull(number); pull != nil {
			list(pull.Timeline)
			return
		}
		for _, issue := range repo.Issues {
			if asInt(issue.Object["number"]) == number {
				list(issue.Timeline)
				return
			}
		}
		refuse(w, http.StatusNotFound, "Not Found")
	case at(0) == "pulls" && repo.pull(number) != nil:
		pull := repo.pull(number)
		switch at(2) {
		case "":
			writeJSON(w, http.StatusOK, pull.Object)
		case "reviews":
			list(pull.Reviews)
		case "comments":
			list(pull.Comments)
		case "commits":
			list(pull.Commits)
		default:
			refuse(w, http.StatusNotFound, "Not Found")
		}
	case at(0) == "deployments" && len(p) == 1:
		var items []Object
		for _, d := range repo.Deployments {
			items = append(items, d.Object)
		}
		slices.SortStableFunc(items, func(a, b Object) int { return int(asInt(b["id"]) - asInt(a["id"])) })
		list(items)
	case at(0) == "deployments" && at(2) == "statuses":
		for _, d := range repo.Deployments {
			if asInt(d.Object["id"]) == number {
				list(d.Statuses)
				return
			}
		}
		refuse(w, http.StatusNotFound, "Not Found")
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

func (repo *Repository) pull(number int64) *Pull {
	for _, p := range repo.Pulls {
		if asInt(p.Object["number"]) == number {
			return p
		}
	}
	return nil
}

// issues lists issues and pull requests, as GitHub does, the last changed first.
func (repo *Repository) issues(q url.Values) []Object {
	since, _ := time.Parse(time.RFC3339, q.Get("since"))
	var all []Object
	for _, i := range repo.Issues {
		all = append(all, i.Object)
	}
	for _, p := range repo.Pulls {
		o := Object{"pull_request": Object{"url": "https://github.example/api", "merged_at": p.Object["merged_at"]}}
		for _, field := range []string{"number", "state", "user", "created_at", "updated_at", "closed_at", "labels", "html_url", "title"} {
			o[field] = p.Object[field]
		}
		all = append(all, o)
	}
	all = slices.DeleteFunc(all, func(o Object) bool { return stamp(o, "updated_at").Before(since) })
	slices.SortStableFunc(all, func(a, b Object) int { return stamp(b, "updated_at").Compare(stamp(a, "updated_at")) })
	return all
}

func (repo *Repository) pulls() []Object {
	var all []Object
	for _, p := range repo.Pulls {
		all = append(all, p.Object)
	}
	slices.SortStableFunc(all, func(a, b Object) int { return stamp(b, "updated_at").Compare(stamp(a, "updated_at")) })
	return all
}

// commits lists those behind sha, which may be a branch's name.
func (repo *Repository) commits(q url.Values) []Object {
	since, _ := time.Parse(time.RFC3339, q.Get("since"))
	list := slices.Clone(repo.Commits)
	for i, c := range list {
		if c["sha"] == q.Get("sha") {
			list = list[i:]
			break
		}
	}
	return slices.DeleteFunc(list, func(o Object) bool {
		commit, _ := o["commit"].(Object)
		committer, _ := commit["committer"].(Object)
		return stamp(committer, "date").Before(since)
	})
}

// page cuts a list into the page that was asked for, with GitHub's links.
func (g *GitHub) page(w http.ResponseWriter, r *http.Request, list []Object) []Object {
	size, page := number(r, "per_page", 30), max(1, number(r, "page", 1))
	if g.PageSize > 0 {
		size = min(size, g.PageSize)
	}
	last := max(1, (len(list)+size-1)/size)
	var links []string
	link := func(to int, rel string) {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(to))
		links = append(links, fmt.Sprintf(`<http://%s%s?%s>; rel="%s"`, r.Host, r.URL.Path, q.Encode(), rel))
	}
	if page > 1 {
		link(page-1, "prev")
		link(1, "first")
	}
	if page < last {
		link(page+1, "next")
		link(last, "last")
	}
	if len(links) > 0 {
		w.Header().Set("Link", strings.Join(links, ", "))
	}
	from := min(len(list), (page-1)*size)
	return append([]Object{}, list[from:min(len(list), from+size)]...)
}

func asInt(v any) int64 {
	switch v := v.(type) {
	case int:
		return int64(v)
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return 0
}
