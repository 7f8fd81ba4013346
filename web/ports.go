package web

import (
	"context"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// Results reads what the engine has computed. storage implements it. Every
// method is right before merges, bounded in time and memory, and ends when its
// context does. Safe for concurrent use.
type Results interface {
	// AsOf returns the generation that readers see now and its clock. Look it
	// up once per request and pass it on.
	AsOf(ctx context.Context) (metrics.AsOf, error)

	// Points returns stored rows (hour, day, day30), withdrawn ones included,
	// by team, metric, service, start.
	Points(ctx context.Context, q metrics.Query) ([]*metrics.Point, error)

	// Observations returns the evidence of a query's window, newest first, at
	// most limit, from after the given cursor ("": the beginning). Service ""
	// is every service here, for the total is made of all. A cursor that it did
	// not make is an error that wraps metrics.ErrCursor.
	Observations(ctx context.Context, q metrics.Query, cursor string, limit int) (rows []metrics.ObservationRow, next string, err error)

	// Intervals returns the intervals of gauges (Metric "": of all) that overlap
	// the query's range, by team, metric and start. Service "" is every service.
	Intervals(ctx context.Context, q metrics.Query) ([]metrics.ObservationRow, error)

	// Teams returns the names of all teams that have rows, sorted.
	Teams(ctx context.Context) ([]string, error)

	// Services returns the services of a team that have rows, sorted.
	Services(ctx context.Context, team string) ([]string, error)

	// Quality returns the verdict counts of cells that start in [from, to).
	Quality(ctx context.Context, from, to timeline.Millis) ([]metrics.QualityRow, error)

	// Rejects returns events that were not accepted, newest receipt first.
	Rejects(ctx context.Context, cursor string, limit int) (rows []metrics.RejectRow, next string, err error)

	// Coverage returns since when each team's sources are covered.
	Coverage(ctx context.Context) ([]metrics.CoverageRow, error)
}

// Team is what pages show of a team beside its numbers.
type Team struct {
	Name  string
	Group string
	Zone  *timeline.Zone
}

// Directory knows teams as the catalog lists them. Teams without a catalog
// entry (a repository, a Jira project) are asked for by name.
type Directory interface {
	Teams() []Team         // in the order of the catalog's file
	Team(name string) Team // of a name that the catalog does not list: its defaults
	Zone() *timeline.Zone  // the organisation's, else the instance's

	// Target is what a team has set itself for a metric at an instant; nil: nothing.
	Target(team string, metric metrics.Name, at timeline.Millis) *Target
}

// SourceStatus is one configured source as the sources page shows it.
type SourceStatus struct {
	Provider string // github, jira, deploy, argocd, cdevents
	Name     string
	Path     string // /webhooks/github/acme
	Verify   string // hmac, bearer, url_token
	Source   event.Source

	// Secret is what the sender signs with, where this instance made it (in
	// secrets.json of its data directory): people who are signed in see it until
	// the first delivery was accepted, and after that when they ask for it.
	// Leave it empty where the configuration has it.
	Secret string

	Last       timeline.Millis // receipt of the last delivery; 0: none yet
	LastType   string
	Accepted   int64 // since the process started
	Ignored    int64
	Unread     map[string]int64 // of Ignored, by the source's name of the type
	Pings      int64
	Undecoded  int64
	Refused    map[int]int64 // by HTTP status
	PerMinute  []int64       // deliveries in each of the last 60 minutes, oldest first
	LastError  string        // of any refusal, a stranger's too: a sentence without secrets
	LastFailed timeline.Millis

	// Gaps are the times of which deliveries of the source's family may be missing,
	// as far as nothing has closed them.
	Gaps []timeline.Window

	// Anybody can have a request refused. What follows is of the source itself.
	Taken    timeline.Millis // receipt of the last delivery that was signed right and could be read
	Trouble  timeline.Millis // when one that was signed right last failed; 0: never
	Why      string          // of Trouble
	Unsigned int64           // requests without the right signature since Taken
}

// Sources knows what the receivers have seen.
type Sources interface {
	Sources() []SourceStatus
}

// Tried is what Sources can do besides: send one a test delivery, proved as its
// system's are, of which nothing is stored.
type Tried interface {
	Try(ctx context.Context, path string) (said string, ok bool)
}

// Health is one dependency's or part's state for /readyz and the status page.
type Health struct {
	Name   string // kafka, clickhouse, engine, clock, catalog
	OK     bool
	Detail string // a sentence: what it is, or what happened and what to do
}

// Status knows whether the parts work and how far the engine is.
type Status interface {
	Health(ctx context.Context) []Health
	Engine() EngineStatus
}

// EngineStatus says how far the numbers are.
type EngineStatus struct {
	Generation uint32
	History    bool // it begins with what the log held before it
	Logic      string
	Catalog    string // its hash
	Zones      string // hash of the zone data
	Clock      timeline.Millis
	Shards     []string // each described in a line
	Importing  string   // "41 of 90 days", or ""
}

// Updates tells when rows have been written, so that pages refresh.
type Updates interface {
	// Subscribe returns a channel that gets the clock after each flush that
	// wrote rows; slow readers miss some and get the latest. cancel ends it.
	Subscribe() (ch <-chan timeline.Millis, cancel func())
}
