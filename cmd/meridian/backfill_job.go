package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/cmd/meridian/jobs"
	"meridian/ingest/backfill"
	backfillgithub "meridian/ingest/backfill/github"
	backfilljira "meridian/ingest/backfill/jira"
	"meridian/streaming/timeline"
)

// Kinds of jobs.
const (
	backfillGitHub  jobs.Kind = "backfill github"
	backfillJira    jobs.Kind = "backfill jira"
	redeliverGitHub jobs.Kind = "redeliver github"
)

// backfillSpec is what a backfill was asked for. Since is fixed when it is asked,
// so that going on after a crash reads the same.
type backfillSpec struct {
	URL          string          `json:"url,omitempty"` // which of the configured APIs; "": the first
	Organization string          `json:"org,omitempty"`
	Repositories []string        `json:"repositories,omitempty"`
	Projects     []string        `json:"projects,omitempty"`
	Since        timeline.Millis `json:"since"`
}

func (s backfillSpec) String() string {
	var what []string
	if s.Organization != "" {
		what = append(what, s.Organization)
	}
	what = append(append(what, s.Repositories...), s.Projects...)
	return fmt.Sprintf("%s since %s", strings.Join(what, ", "), s.Since.Time().UTC().Format(time.DateOnly))
}

// check says what of a spec cannot be meant.
func (s backfillSpec) check(kind jobs.Kind) error {
	if s.Since <= 0 || s.Since >= timeline.FromTime(time.Now()) {
		return errors.New("since is no time in the past")
	}
	switch {
	case kind == backfillJira:
		if len(s.Projects) == 0 {
			return errors.New("no project is named; name one with --project OPS")
		}
		for _, p := range s.Projects {
			if err := backfilljira.CheckProject(p); err != nil {
				return err
			}
		}
	case (s.Organization == "") == (len(s.Repositories) == 0):
		return errors.New("name either an organisation (--org acme) or repositories (--repo acme/web)")
	default:
		for _, r := range s.Repositories {
			if err := backfillgithub.CheckRepository(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func githubClient(c config.Config, want string) (*backfillgithub.Client, error) {
	for _, api := range c.APIs.GitHub {
		if want != "" && api.URL != want {
			continue
		}
		how := backfillgithub.Config{URL: api.URL, Token: api.Token}
		if api.App.ID != 0 {
			how.App = &backfillgithub.App{ID: api.App.ID, Installation: api.App.Installation, PrivateKey: api.App.PrivateKey}
		}
		return backfillgithub.NewClient(how)
	}
	if want != "" && len(c.APIs.GitHub) > 0 {
		return nil, fmt.Errorf("none of apis.github has the url %s; give --api one that has been configured", want)
	}
	return nil, errors.New("no API of GitHub is configured; set apis.github: [{token: ...}], with read access to contents, pull requests, issues, deployments and metadata; redelivery needs write access to webhooks")
}

func jiraClient(c config.Config, want string) (*backfilljira.Client, error) {
	for _, api := range c.APIs.Jira {
		if want == "" || api.URL == want {
			return backfilljira.NewClient(backfilljira.Config{URL: api.URL, Email: api.Email, Token: api.Token})
		}
	}
	if want != "" && len(c.APIs.Jira) > 0 {
		return nil, fmt.Errorf("none of apis.jira has the url %s; give --api one that has been configured", want)
	}
	return nil, errors.New("no API of Jira is configured; set apis.jira: [{url: https://acme.atlassian.net, email: ..., token: ...}]")
}

func (m *machine) backfillGitHub(ctx context.Context, t *jobs.Task) (any, error) {
	return m.backfill(ctx, t, m.readGitHub)
}

func (m *machine) readGitHub(ctx context.Context, spec backfillSpec, w backfill.Work) (backfill.Report, error) {
	client, err := githubClient(m.config, spec.URL)
	if err != nil {
		return backfill.Report{}, err
	}
	return backfillgithub.Read(ctx, client, backfillgithub.Ask{Organization: spec.Organization, Repositories: spec.Repositories, Source: oneSource(m.config.Sources.GitHub)}, w)
}

func (m *machine) backfillJira(ctx context.Context, t *jobs.Task) (any, error) {
	return m.backfill(ctx, t, m.readJira)
}

func (m *machine) readJira(ctx context.Context, spec backfillSpec, w backfill.Work) (backfill.Report, error) {
	client, err := jiraClient(m.config, spec.URL)
	if err != nil {
		return backfill.Report{}, err
	}
	return backfilljira.Read(ctx, client, backfilljira.Ask{Projects: spec.Projects, Source: oneSource(m.config.Sources.Jira)}, w)
}

// oneSource is the name of the only source of a provider: ids of facts that no
// address places depend on it.
func oneSource(sources []config.Source) string {
	if len(sources) == 1 {
		return sources[0].Name
	}
	return ""
}

// backfill reads, puts what it reads on the log, and at the end asks for a new
// generation where facts lie beyond the horizon.
func (m *machine) backfill(ctx context.Context, t *jobs.Task, read func(context.Context, backfillSpec, backfill.Work) (backfill.Report, error)) (any, error) {
	var spec backfillSpec
	if err := t.Spec(&spec); err != nil {
		return nil, err
	}
	saved := savedBackfill{State: &backfill.State{}}
	if data := t.Saved(); data != nil {
		if err := json.Unmarshal(data, &saved); err != nil {
			return nil, fmt.Errorf("what this job had saved cannot be read; begin another: %w", err)
		}
	}
	report, oldest, err := m.readHistory(ctx, t, spec, &saved, t.Job().Begun, func(w backfill.Work) (backfill.Report, error) { return read(ctx, spec, w) })
	if err != nil {
		return report, err
	}
	if beyond := timeline.FromTime(time.Now()) - m.config.Time.Horizon.Millis(); oldest != 0 && oldest < beyond {
		if err := m.coordinator.Begin(ctx, "a backfill of "+spec.String()+" has read facts older than the horizon"); err != nil {
			return report, err
		}
	}
	if n := report.Failed(); n > 0 {
		return report, fmt.Errorf("%d of %d could not be read: %w", n, len(report.Rows), jobs.ErrPartly)
	}
	return report, nil
}

// readHistory reads with its progress shown, as a part of a job. oldest is the time
// of the oldest fact; 0: there is none.
func (m *machine) readHistory(ctx context.Context, t *jobs.Task, spec backfillSpec, saved *savedBackfill, now timeline.Millis, read func(backfill.Work) (backfill.Report, error)) (report backfill.Report, oldest timeline.Millis, err error) {
	log := m.newAPILog()
	log.oldest = saved.Oldest
	report, err = read(backfill.Work{
		Since: spec.Since, Now: now, Log: log, State: saved.State,
		Save: func(ctx context.Context, s *backfill.State, must bool) error {
			return t.Save(ctx, must, func() ([]byte, error) { return json.Marshal(savedBackfill{s, log.oldest}) })
		},
		Report: func(p backfill.Progress) {
			m.status.set(func(parts *parts) { parts.importing = p.Importing() })
			detail, _ := json.Marshal(p)
			t.Report(ctx, jobs.Progress{Share: p.Share, Text: p.String(), Importing: p.Importing(), Done: p.Appended, Unit: "deliveries", Detail: detail})
		},
	})
	m.status.set(func(parts *parts) { parts.importing = "" })
	return report, log.oldest, err
}

// savedBackfill is what a backfill goes on from.
type savedBackfill struct {
	State  *backfill.State `json:"state"`
	Oldest timeline.Millis `json:"oldest,omitempty"`
}
