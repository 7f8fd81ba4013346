package jira

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"meridian/ingest"
	"meridian/ingest/backfill"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Ask says what to read.
type Ask struct {
	Projects []string // keys
	Source   string   // the configured webhook source that deliveries are given the name of; may be ""
}

var projectKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,254}$`)

// CheckProject reports whether a text is a project's key.
func CheckProject(key string) error {
	if !projectKey.MatchString(key) {
		return fmt.Errorf("%q is no key of a project: write it as in OPS-7 before the dash", key)
	}
	return nil
}

// Read reads the projects, the newest issues first, and returns what it has read;
// see the reader of GitHub for what its error means.
func Read(ctx context.Context, c *Client, ask Ask, w backfill.Work) (backfill.Report, error) {
	if w.State == nil {
		w.State = &backfill.State{}
	}
	r := &reader{client: c, ask: ask, work: w, state: w.State, track: backfill.NewTracker(w, c.Budget)}
	err := r.read(ctx)
	return backfill.NewReport(w, r.state), err
}

type reader struct {
	client *Client
	ask    Ask
	work   backfill.Work
	state  *backfill.State
	track  *backfill.Tracker
	sent   int64
}

func (r *reader) read(ctx context.Context) error {
	for _, key := range r.ask.Projects {
		if err := CheckProject(key); err != nil {
			return err
		}
	}
	return r.work.Each(ctx, r.track, r.ask.Projects, r.project, error.Error)
}

// fields are those that the decoder reads.
const fields = "issuetype,project,status,components,labels,created,updated,resolutiondate,reporter,creator,priority,comment"

// found is one answer of a search.
type found struct {
	Issues []json.RawMessage `json:"issues"`
	Total  int               `json:"total"` // Data Center
}

// listed is an issue as far as reading needs it.
type listed struct {
	ID        string `json:"id"`
	Key       string `json:"key"`
	Self      string `json:"self"`
	Changelog struct {
		Total     int               `json:"total"`
		Histories []json.RawMessage `json:"histories"`
	} `json:"changelog"`
	Fields struct {
		Updated string `json:"updated"`
		Comment struct {
			Total    int               `json:"total"`
			Comments []json.RawMessage `json:"comments"`
		} `json:"comment"`
	} `json:"fields"`
}

func (r *reader) project(ctx context.Context, key string, unit *backfill.Unit) error {
	query := fmt.Sprintf(`project = "%s" AND updated >= "-%dm"`, key, (r.work.Now-r.work.Since)/timeline.Minute+1)
	r.track.Begin(key, r.count(ctx, query))
	borders := []string{""}
	for {
		list, err := r.below(ctx, query, borders)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		borders = nil
		for _, data := range list {
			var l listed
			if err := json.Unmarshal(data, &l); err != nil || l.ID == "" {
				return fmt.Errorf("an answer of Jira's about the issues of %s cannot be read", key)
			}
			borders = append(borders, l.Key)
			if known := unit.Items[l.ID]; known == "" || known != l.Fields.Updated {
				if err := r.issue(ctx, data, l, unit); err != nil {
					if statusOf(err) != http.StatusNotFound {
						return err
					}
					unit.Counts.Gone++
				}
				unit.Items[l.ID] = l.Fields.Updated
			}
			r.track.Item(time.Time{}) // by key: how far back it has come, its dates do not say
			if err := r.work.Read(ctx); err != nil {
				return err
			}
		}
	}
	err := r.work.Log.Cover(ctx, "jira/"+r.client.site, ingest.Coverage{Source: event.Jira, Scope: strings.ToUpper(key), From: r.work.Since, To: r.work.Now})
	return backfill.Lost(err)
}

// below reads the issues below the last of the borders, or of the one before it
// where Jira does not know that any more. A border of "" is none.
func (r *reader) below(ctx context.Context, query string, borders []string) ([]json.RawMessage, error) {
	var last error
	for i := len(borders) - 1; i >= 0; i-- {
		jql := query
		if borders[i] != "" {
			jql += " AND key < " + borders[i]
		}
		var f found
		path := "rest/api/2/search"
		if r.client.cloud {
			path = "rest/api/2/search/jql"
		}
		err := r.client.get(ctx, path, url.Values{
			"jql": {jql + " ORDER BY key DESC"}, "maxResults": {fmt.Sprint(perPage)}, "fields": {fields}, "expand": {"changelog"},
		}, &f)
		if err == nil {
			return f.Issues, nil
		}
		if last = err; statusOf(err) != http.StatusBadRequest {
			break
		}
	}
	return nil, last
}

// count is how many issues there are, for showing how far it is; 0: unknown.
func (r *reader) count(ctx context.Context, query string) int {
	if r.client.cloud {
		var answer struct {
			Count int `json:"count"`
		}
		if r.client.ask(backfill.Repeatable(ctx), http.MethodPost, "rest/api/2/search/approximate-count", map[string]string{"jql": query}, &answer) != nil {
			return 0
		}
		return answer.Count
	}
	var f found
	if r.client.get(ctx, "rest/api/2/search", url.Values{"jql": {query}, "maxResults": {"0"}}, &f) != nil {
		return 0
	}
	return f.Total
}
