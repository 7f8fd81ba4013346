package fakeapi

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Jira is a Jira site.
type Jira struct {
	server
	Email, Token string // Email "": Data Center, with a personal access token
	Issues       []*JiraIssue
	SearchCut    int // how many changes and comments a search shows at most; 0: all
}

// JiraIssue is an issue. Key and Updated are those of Object and its fields.
type JiraIssue struct {
	Object   Object   // id, self, key, fields
	Changes  []Object // histories
	Comments []Object
}

// NewJira starts a server.
func NewJira(email, token string) *Jira {
	j := &Jira{Email: email, Token: token}
	j.start(j.answer)
	return j
}

func (j *Jira) answer(w http.ResponseWriter, r *http.Request) {
	want := "Bearer " + j.Token
	if j.Email != "" {
		want = "Basic " + base64.StdEncoding.EncodeToString([]byte(j.Email+":"+j.Token))
	}
	if r.Header.Get("Authorization") != want {
		j.denied++
		http.Error(w, "Unauthorized (401)", http.StatusUnauthorized)
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/rest/api/2/")
	p := strings.Split(path, "/")
	switch {
	case path == "search" && j.Email == "" || path == "search/jql" && j.Email != "":
		j.search(w, r)
	case path == "search" && j.Email != "":
		writeJSON(w, http.StatusGone, Object{"errorMessages": []string{"The requested API has been removed. Please migrate to the /rest/api/3/search/jql API."}})
	case path == "search/approximate-count" && j.Email != "" && r.Method == http.MethodPost:
		var ask struct {
			JQL string `json:"jql"`
		}
		if json.NewDecoder(r.Body).Decode(&ask) != nil {
			jiraError(w, http.StatusBadRequest, "Invalid request payload.")
			return
		}
		list, wrong := j.matching(ask.JQL)
		if wrong != "" {
			jiraError(w, http.StatusBadRequest, wrong)
			return
		}
		writeJSON(w, http.StatusOK, Object{"count": len(list)})
	case len(p) == 3 && p[0] == "issue" && (p[2] == "changelog" || p[2] == "comment"):
		for _, i := range j.Issues {
			if i.Object["id"] == p[1] {
				j.part(w, r, i, p[2])
				return
			}
		}
		jiraError(w, http.StatusNotFound, "Issue does not exist or you do not have permission to see it.")
	default:
		jiraError(w, http.StatusNotFound, "null for uri")
	}
}

func jiraError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, Object{"errorMessages": []string{message}, "errors": Object{}})
}

// part is one page of an issue's own changes or comments.
func (j *Jira) part(w http.ResponseWriter, r *http.Request, i *JiraIssue, what string) {
	list, name := i.Changes, "values"
	if what == "comment" {
		list, name = i.Comments, "comments"
	} else if j.Email == "" {
		jiraError(w, http.StatusNotFound, "null for uri") // Data Center has no such list: a search shows all
		return
	}
	from, size := number(r, "startAt", 0), number(r, "maxResults", 50)
	if j.PageSize > 0 {
		size = min(size, j.PageSize)
	}
	from = min(from, len(list))
	to := min(len(list), from+size)
	writeJSON(w, http.StatusOK, Object{"startAt": from, "maxResults": size, "total": len(list), "isLast": to == len(list), name: append([]Object{}, list[from:to]...)})
}

var (
	jqlProject = regexp.MustCompile(`project = "([A-Z]+)"`)
	jqlUpdated = regexp.MustCompile(`updated >= "-([0-9]+)m"`)
	jqlBelow   = regexp.MustCompile(`key < ([A-Z]+)-([0-9]+)`)
)

// matching are the issues of a query, the highest key first.
func (j *Jira) matching(jql string) (list []*JiraIssue, wrong string) {
	project := jqlProject.FindStringSubmatch(jql)
	if project == nil {
		return nil, "Error in the JQL Query."
	}
	since := time.Time{}
	if m := jqlUpdated.FindStringSubmatch(jql); m != nil {
		minutes, _ := strconv.Atoi(m[1])
		since = time.Now().Add(-time.Duration(minutes) * time.Minute)
	}
	below := -1
	if m := jqlBelow.FindStringSubmatch(jql); m != nil {
		below, _ = strconv.Atoi(m[2])
		if !slices.ContainsFunc(j.Issues, func(i *JiraIssue) bool { return i.Object["key"] == m[1]+"-"+m[2] }) {
			return nil, "The issue key '" + m[1] + "-" + m[2] + "' for field 'key' is invalid."
		}
	}
	known := false
	for _, i := range j.Issues {
		key, _ := i.Object["key"].(string)
		of, rest, _ := strings.Cut(key, "-")
		n, _ := strconv.Atoi(rest)
		if of != project[1] {
			continue
		}
		known = true
		fields, _ := i.Object["fields"].(Object)
		text, _ := fields["updated"].(string)
		updated, _ := time.Parse("2006-01-02T15:04:05.000-0700", text)
		if !updated.Before(since) && (below < 0 || n < below) {
			list = append(list, i)
		}
	}
	if !known {
		return nil, "The value '" + project[1] + "' does not exist for the field 'project'."
	}
	slices.SortFunc(list, func(a, b *JiraIssue) int { return keyNumber(b) - keyNumber(a) })
	return list, ""
}

func keyNumber(i *JiraIssue) int {
	key, _ := i.Object["key"].(string)
	_, rest, _ := strings.Cut(key, "-")
	n, _ := strconv.Atoi(rest)
	return n
}

func (j *Jira) search(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	list, wrong := j.matching(q.Get("jql"))
	if wrong != "" {
		jiraError(w, http.StatusBadRequest, wrong)
		return
	}
	total, size := len(list), number(r, "maxResults", 50)
	if j.PageSize > 0 && size > 0 {
		size = min(size, j.PageSize)
	}
	list = list[:min(len(list), size)]
	wanted := strings.Split(q.Get("fields"), ",")
	issues := []Object{}
	for _, i := range list {
		o := Object{"id": i.Object["id"], "self": i.Object["self"], "key": i.Object["key"], "expand": "operations,changelog"}
		all, _ := i.Object["fields"].(Object)
		fields := Object{}
		for _, name := range wanted {
			if v, ok := all[name]; ok {
				fields[name] = v
			}
		}
		if slices.Contains(wanted, "comment") {
			shown := j.cut(i.Comments)
			fields["comment"] = Object{"comments": shown, "maxResults": len(shown), "total": len(i.Comments), "startAt": 0}
		}
		o["fields"] = fields
		if strings.Contains(q.Get("expand"), "changelog") {
			shown := i.Changes
			if j.Email != "" {
				shown = j.cut(i.Changes)
			}
			o["changelog"] = Object{"startAt": 0, "maxResults": len(shown), "total": len(i.Changes), "histories": append([]Object{}, shown...)}
		}
		issues = append(issues, o)
	}
	if j.Email != "" {
		writeJSON(w, http.StatusOK, Object{"issues": issues, "isLast": total == len(issues)})
		return
	}
	writeJSON(w, http.StatusOK, Object{"startAt": 0, "maxResults": size, "total": total, "issues": issues})
}

// cut is what a search shows of a long list.
func (j *Jira) cut(list []Object) []Object {
	if j.SearchCut > 0 && len(list) > j.SearchCut {
		list = list[:j.SearchCut]
	}
	return append([]Object{}, list...)
}
