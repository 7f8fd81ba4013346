package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"meridian/streaming/timeline"
)

// Kind names what a job does.
type Kind string

// State is where a job stands.
type State string

// States.
const (
	Queued    State = "queued"
	Running   State = "running" // or was when its process ended: it goes on at the next start
	Done      State = "done"
	Partly    State = "partly" // done, and some of it could not be
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Over reports whether nothing more will happen.
func (s State) Over() bool { return s != Queued && s != Running }

// Job is one, as it is stored and shown.
type Job struct {
	ID       string          `json:"id"`
	Kind     Kind            `json:"kind"`
	What     string          `json:"what"` // in words: github, acme since 2026-01-01
	Spec     json.RawMessage `json:"spec"`
	State    State           `json:"state"`
	Queued   timeline.Millis `json:"queued"`
	Begun    timeline.Millis `json:"begun,omitempty"`
	Ended    timeline.Millis `json:"ended,omitempty"`
	Runs     int             `json:"runs"` // 1 more than how often it was interrupted
	Progress Progress        `json:"progress"`
	Error    string          `json:"error,omitempty"`
	Result   json.RawMessage `json:"result,omitempty"`
}

// Progress is how far a job is. Rate and ETA are worked out by whoever runs it.
type Progress struct {
	Share     float64         `json:"share"`               // between 0 and 1
	Text      string          `json:"text,omitempty"`      // a line
	Importing string          `json:"importing,omitempty"` // what pages say: 41 of 90 days
	Done      int64           `json:"done"`                // of whatever the job counts, for the rate
	Unit      string          `json:"unit,omitempty"`      // what it counts: deliveries
	Rate      float64         `json:"rate"`                // of Done, a second
	ETA       int64           `json:"eta,omitempty"`       // seconds; 0: nobody knows
	At        timeline.Millis `json:"at,omitempty"`
	Detail    json.RawMessage `json:"detail,omitempty"` // the job's own
}

// String is a line for a terminal or a page.
func (p Progress) String() string {
	s := p.Text
	if p.Unit != "" && p.Rate > 0 {
		s += fmt.Sprintf("; %.1f %s a second", p.Rate, p.Unit)
	}
	if p.ETA > 0 {
		s += "; about " + span(time.Duration(p.ETA)*time.Second) + " left"
	}
	return s
}

func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// ErrPartly is wrapped by the error of a job that did what it could.
var ErrPartly = errors.New("some of it could not be done")

// ErrNoJob says that there is no such job.
var ErrNoJob = errors.New("there is no such job")

// ErrOver says that a job cannot be cancelled any more.
var ErrOver = errors.New("the job is over")
