package backfill

import (
	"context"

	"meridian/ingest"
	"meridian/streaming/timeline"
)

// Log is where what is read goes. Both methods return nil when the record is
// durable, and only then; what they have been given twice counts once.
type Log interface {
	// Deliver decodes a delivery and appends it. Its receipt and ViaAPI are set
	// by the log. It blocks as long as the log wants to be left alone.
	Deliver(ctx context.Context, d ingest.Delivery) error

	// Cover says that all of a scope is on the log, behind what was delivered.
	Cover(ctx context.Context, key string, c ingest.Coverage) error
}

// Work is what a reader is given.
type Work struct {
	Since timeline.Millis // facts of things that changed since then are read
	Now   timeline.Millis // when the job began: the end of what is covered at least
	Log   Log

	// State is what an earlier run of the same job has left, or nil. Save keeps
	// it; a reader calls it often, and whoever implements it may leave some out.
	State *State
	Save  func(ctx context.Context, s *State, must bool) error

	// Report shows how far it is; nil: nobody looks.
	Report func(Progress)
}

// State is how far a job is, so that it can go on after a crash. Units are
// repositories or projects, by name.
type State struct {
	Units map[string]*Unit `json:"units"`
}

// Unit is how far one is.
type Unit struct {
	Done    bool              `json:"done,omitempty"`
	Items   map[string]string `json:"items,omitempty"` // read already: how it was known then (when it was changed)
	Counts  Counts            `json:"counts"`
	Problem string            `json:"problem,omitempty"` // why it could not be read
}

// Unit returns a unit, making it when it is new.
func (s *State) Unit(name string) *Unit {
	if s.Units == nil {
		s.Units = map[string]*Unit{}
	}
	u := s.Units[name]
	if u == nil {
		u = &Unit{}
		s.Units[name] = u
	}
	if u.Items == nil {
		u.Items = map[string]string{}
	}
	return u
}

// Finish marks a unit as complete. What was read of it in detail is forgotten.
func (u *Unit) Finish() { u.Done, u.Items, u.Problem = true, nil, "" }

// Counts is what was read.
type Counts struct {
	PullRequests int64 `json:"pull_requests,omitempty"`
	Reviews      int64 `json:"reviews,omitempty"`
	Comments     int64 `json:"comments,omitempty"`
	Commits      int64 `json:"commits,omitempty"`
	Deployments  int64 `json:"deployments,omitempty"`
	Issues       int64 `json:"issues,omitempty"`
	Transitions  int64 `json:"transitions,omitempty"`
	Gone         int64 `json:"gone,omitempty"` // was listed, and not there any more when it was read
	Deliveries   int64 `json:"deliveries"`
}

// Add adds another's counts.
func (c *Counts) Add(o Counts) {
	c.PullRequests += o.PullRequests
	c.Reviews += o.Reviews
	c.Comments += o.Comments
	c.Commits += o.Commits
	c.Deployments += o.Deployments
	c.Issues += o.Issues
	c.Transitions += o.Transitions
	c.Gone += o.Gone
	c.Deliveries += o.Deliveries
}
