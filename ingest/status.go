package ingest

import (
	"maps"
	"net/http"
	"sync"
	"time"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// statusMinutes is how far back a source's rate is shown.
const statusMinutes = 60

// SourceStatus is what a receiver has seen of one source since it was made.
type SourceStatus struct {
	Provider string
	Name     string
	Path     string // /webhooks/github/acme
	Verify   Verify
	Source   event.Source

	Last       timeline.Millis // receipt of the last delivery; 0: none yet
	LastType   string
	Accepted   int64
	Ignored    int64
	Pings      int64
	Undecoded  int64
	Refused    map[int]int64 // by HTTP status
	PerMinute  []int64       // deliveries in each of the last 60 minutes, oldest first
	LastError  string        // a sentence without secrets
	LastFailed timeline.Millis

	// What follows tells a source that fails from one that strangers knock at.
	Taken    timeline.Millis // receipt of the last delivery that was signed right and could be read
	Trouble  timeline.Millis // when one that was signed right last failed; 0: never
	Why      string          // of Trouble
	Unsigned int64           // requests without the right signature since Taken

	// Unread are the types that were ignored, by name, each with its count: an event
	// or action that this version does not know stands among them. At most mostUnread,
	// and OtherUnread for all that came when these were taken.
	Unread map[string]int64
}

const (
	mostUnread  = 50
	OtherUnread = "others"
)

// tally is the living form of a SourceStatus.
type tally struct {
	mu     sync.Mutex
	status SourceStatus
	minute int64 // since 1970, of the last element of PerMinute
}

func newTally(c SourceConfig) *tally {
	return &tally{status: SourceStatus{
		Provider: c.Provider, Name: c.Name, Path: c.path(), Verify: c.Verify, Source: SourceOf(c.Provider),
		Refused: map[int]int64{}, PerMinute: make([]int64, statusMinutes),
	}}
}

func (t *tally) took(d *LoggedDelivery, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn(now)
	t.status.PerMinute[statusMinutes-1]++
	t.status.Last, t.status.LastType = d.Delivery.Received, d.Type
	if d.Outcome != OutcomeUndecodable {
		t.status.Taken, t.status.Unsigned = d.Delivery.Received, 0
	}
	switch d.Outcome {
	case OutcomeAccepted:
		t.status.Accepted++
	case OutcomePing:
		t.status.Pings++
	case OutcomeIgnored:
		t.status.Ignored++
		t.unread(d.Type)
	case OutcomeUndecodable:
		t.status.Undecoded++
		t.status.LastError, t.status.LastFailed = "it could not be decoded: "+d.Reason, d.Delivery.Received
		t.status.Why, t.status.Trouble = t.status.LastError, t.status.LastFailed
	}
}

// unread counts an ignored delivery by its type. Senders choose names.
func (t *tally) unread(name string) {
	if t.status.Unread == nil {
		t.status.Unread = map[string]int64{}
	}
	if _, known := t.status.Unread[name]; !known && len(t.status.Unread) >= mostUnread {
		name = OtherUnread
	}
	t.status.Unread[name]++
}

func (t *tally) refused(f *refusal, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status.Refused[f.status]++
	t.status.LastError, t.status.LastFailed = f.detail, timeline.FromTime(now)
	switch {
	case f.signed:
		t.status.Why, t.status.Trouble = t.status.LastError, t.status.LastFailed
	case f.status == http.StatusUnauthorized || f.status == http.StatusTooManyRequests:
		t.status.Unsigned++
	}
}

func (t *tally) snapshot(now time.Time) SourceStatus {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn(now)
	s := t.status
	s.Refused, s.Unread = maps.Clone(s.Refused), maps.Clone(s.Unread)
	s.PerMinute = append([]int64(nil), s.PerMinute...)
	return s
}

// turn moves the minutes on. A clock that goes back moves nothing.
func (t *tally) turn(now time.Time) {
	minute := now.Unix() / 60
	if t.minute == 0 {
		t.minute = minute
	}
	if steps := min(minute-t.minute, statusMinutes); steps > 0 {
		copy(t.status.PerMinute, t.status.PerMinute[steps:])
		clear(t.status.PerMinute[statusMinutes-steps:])
		t.minute = minute
	}
}
