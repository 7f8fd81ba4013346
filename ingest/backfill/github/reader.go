package github

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"meridian/ingest"
	"meridian/ingest/backfill"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Ask says what to read. Exactly one is set.
type Ask struct {
	Organization string   // all repositories of an organisation, or of a user
	Repositories []string // acme/web
	Source       string   // the configured webhook source that deliveries are given the name of; may be ""
}

// Read reads what is asked for, newest first, and returns what it has read. A
// repository that cannot be read stands in the report with its reason and does not
// end the job; the error is of what ends it, such as ctx. What it has saved goes on
// from there when it is called with it again.
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
	names, err := r.repositories(ctx)
	if err != nil {
		return err
	}
	return r.work.Each(ctx, r.track, names, r.repository, problem)
}

// repo is the repository that is being read.
type repo struct {
	*reader
	name string
	unit *backfill.Unit
	raw  object // for the deliveries: what webhooks say of a repository
	repoFacts
}

type repoFacts struct {
	ID            int64     `json:"id"`
	FullName      string    `json:"full_name"`
	DefaultBranch string    `json:"default_branch"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
	PushedAt      time.Time `json:"pushed_at"`
}

// kept are the fields of a repository that deliveries carry; the rest are some
// ninety addresses.
var kept = []string{"id", "node_id", "full_name", "name", "owner", "default_branch", "pushed_at", "created_at", "private", "fork"}

func (r *reader) repository(ctx context.Context, name string, unit *backfill.Unit) error {
	began := time.UnixMilli(int64(r.work.Now)).UTC()
	var data json.RawMessage
	if _, err := r.client.get(ctx, "repos/"+name, &data); err != nil {
		return err
	}
	full, err := parse(data)
	if err != nil {
		return err
	}
	p := &repo{reader: r, name: name, unit: unit, raw: object{}}
	if err := json.Unmarshal(data, &p.repoFacts); err != nil || p.ID == 0 {
		return fmt.Errorf("GitHub's answer about %s is no repository", name)
	}
	for _, field := range kept {
		if v, ok := full[field]; ok {
			p.raw[field] = v
		}
	}
	items, err := p.changed(ctx)
	if err != nil {
		return err
	}
	deployments, err := p.deployments(ctx)
	if err != nil {
		return err
	}
	r.track.Begin(p.FullName, len(items)+len(deployments))
	// By date, so that pages fill from today backwards whatever a thing is.
	todo := slices.Concat(items, deployments)
	slices.SortStableFunc(todo, func(a, b item) int { return b.at.Compare(a.at) })
	if err := p.branch(ctx); err != nil {
		return err
	}
	for _, it := range todo {
		if known := unit.Items[it.key]; known == "" || known != it.version() {
			if err := it.read(ctx); err != nil {
				if !gone(err) {
					return err
				}
				unit.Counts.Gone++
			}
			unit.Items[it.key] = it.version()
		}
		r.track.Item(it.at)
		if err := r.work.Read(ctx); err != nil {
			return err
		}
	}
	return p.cover(ctx, began)
}

// item is something of a repository that is read on its own.
type item struct {
	key  string // pr/7
	at   time.Time
	read func(context.Context) error
}

func (i item) version() string { return i.at.UTC().Format(time.RFC3339) }

// cover says that the repository is complete. One that is younger than what was
// asked for is so since ever: nothing happened in it before.
func (p *repo) cover(ctx context.Context, began time.Time) error {
	c := ingest.Coverage{Source: event.GitHub, Scope: p.FullName, From: p.work.Since, To: timeline.FromTime(began)}
	if !p.CreatedAt.IsZero() && timeline.FromTime(p.CreatedAt) >= p.work.Since {
		c.From = beginning
	}
	return backfill.Lost(p.work.Log.Cover(ctx, p.key(), c))
}

// beginning is before anything that is on GitHub.
const beginning timeline.Millis = 1

// key is the log's key of the repository's deliveries.
func (p *repo) key() string { return fmt.Sprintf("github/%d", p.ID) }

// deliver appends a delivery of a type; body's repository is added.
func (p *repo) deliver(ctx context.Context, typ string, body object) error {
	data, err := json.Marshal(body.with("repository", p.repositoryOf(body)))
	if err != nil {
		return fmt.Errorf("cannot write a delivery: %w", err)
	}
	err = p.work.Log.Deliver(ctx, ingest.Delivery{
		Provider: "github", Name: p.ask.Source, Body: data,
		Headers: map[string]string{"X-Github-Event": typ, "Content-Type": "application/json"},
	})
	if err != nil {
		return backfill.Lost(err)
	}
	p.sent++
	p.unit.Counts.Deliveries++
	p.track.Appended(p.sent)
	return nil
}

// repositoryOf is what a body says of its repository itself (a push's pushed_at),
// on top of what all say.
func (p *repo) repositoryOf(body object) object {
	own, ok := body["repository"]
	if !ok {
		return p.raw
	}
	var fields object
	if json.Unmarshal(own, &fields) != nil {
		return p.raw
	}
	out := p.raw.with()
	for k, v := range fields {
		out[k] = v
	}
	return out
}
