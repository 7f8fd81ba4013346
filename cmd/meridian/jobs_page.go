package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/cmd/meridian/jobs"
	"meridian/web"
)

// jobPages shows long work to pages and API, and takes wishes for more.
type jobPages struct{ m *machine }

// List implements web.Jobs.
func (p jobPages) List() (list []web.Job) {
	for _, j := range p.m.jobs.List() {
		list = append(list, web.Job{
			ID: j.ID, Kind: string(j.Kind), What: j.What, State: string(j.State), Error: j.Error, Queued: j.Queued, Begun: j.Begun, Ended: j.Ended, Runs: j.Runs,
			Progress: web.JobProgress{
				Share: j.Progress.Share, Text: j.Progress.Text, Importing: j.Progress.Importing, Done: j.Progress.Done, Unit: j.Progress.Unit,
				Rate: j.Progress.Rate, ETA: j.Progress.ETA, At: j.Progress.At,
			},
		})
	}
	return list
}

// Imports implements web.Jobs.
func (p jobPages) Imports() []web.Import { return importsOf(p.m.config) }

func importsOf(c config.Config) []web.Import {
	github, jira := web.Import{Kind: string(backfillGitHub), Source: "github"}, web.Import{Kind: string(backfillJira), Source: "jira"}
	for _, a := range c.APIs.GitHub {
		github.APIs = append(github.APIs, a.URL)
	}
	for _, a := range c.APIs.Jira {
		jira.APIs = append(jira.APIs, a.URL)
	}
	if _, err := githubClient(c, ""); err != nil {
		github.Trouble = "History of GitHub cannot be read: " + err.Error() + "."
	}
	if _, err := jiraClient(c, ""); err != nil {
		jira.Trouble = "History of Jira cannot be read: " + err.Error() + "."
	}
	return []web.Import{github, jira}
}

// Start implements web.Jobs.
func (p jobPages) Start(ctx context.Context, ask web.ImportAsk, _ string) (string, error) {
	refuse := func(err error) (string, error) {
		return "", &web.Error{Status: http.StatusBadRequest, Title: "The import was not begun", Detail: asSentence(err)}
	}
	since, err := sinceOf(ask.Since, time.Now())
	if err != nil {
		return refuse(errors.New("how far back: write a length, such as 90d, or a date, such as 2026-01-31"))
	}
	spec := backfillSpec{URL: ask.API, Organization: ask.Organization, Repositories: ask.Repositories, Projects: ask.Projects, Since: since}
	data, err := json.Marshal(spec)
	if err != nil {
		return "", err
	}
	kind := jobs.Kind(ask.Kind)
	if kind != backfillGitHub && kind != backfillJira {
		return refuse(errors.New("the form names no import that there is"))
	}
	read, what, err := p.m.readSpec(kind, data)
	if err != nil {
		return refuse(err)
	}
	j, err := p.m.jobs.Start(ctx, kind, what, read)
	if err != nil {
		return "", &web.Error{Status: http.StatusServiceUnavailable, Title: "The import was not begun", Detail: "It could not be written down; try again.", Cause: err}
	}
	if j.State == jobs.Running {
		return "This import runs already: " + j.What + ".", nil
	}
	return "The import is asked for, and begins when those before it are over: " + j.What + ".", nil
}

// Cancel implements web.Jobs.
func (p jobPages) Cancel(ctx context.Context, id, _ string) (string, error) {
	switch err := p.m.jobs.Cancel(ctx, id); {
	case errors.Is(err, jobs.ErrNoJob), errors.Is(err, jobs.ErrOver):
		return "", &web.Error{Status: http.StatusConflict, Title: "Nothing was cancelled", Detail: asSentence(err)}
	case err != nil:
		return "", &web.Error{Status: http.StatusServiceUnavailable, Title: "Nothing was cancelled", Detail: "It could not be written down; try again.", Cause: err}
	}
	return "It is cancelled. What it has read stays on the log.", nil
}

// asSentence is an error as a page says it.
func asSentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// importing is how far the import is that runs, wherever it does; "": none. Every
// page asks, and jobs are JSON in a topic.
func (m *machine) importing() string {
	return m.imports.recent(importsAge, func() string {
		for _, j := range m.jobs.List() {
			if j.State == jobs.Running && j.Progress.Importing != "" {
				return j.Progress.Importing
			}
		}
		return ""
	})
}

// importsAge is how old an answer to every page may be: an import says how far it is
// about once a second.
const importsAge = time.Second

// recentText is one that many ask for, and that costs something to find.
type recentText struct {
	mu    sync.Mutex
	text  string
	until time.Time
}

// recent returns the last text while it is not older than age; find is asked by one
// at a time, and the others wait for it.
func (t *recentText) recent(age time.Duration, find func() string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); !now.Before(t.until) {
		t.text, t.until = find(), now.Add(age)
	}
	return t.text
}
