package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// quarantine is what was set aside: deliveries that could not be read, and events
// that are dated in the future, contradict themselves, or lack what they need.
// The rows of rejects say what and why, the log has the deliveries, and control
// holds what somebody did about each. Nothing is ever taken away: what is dropped
// is marked, and what is retried is appended once more, under its natural ids.
type quarantine struct {
	log      *deliveryLog
	control  *kafka.Control
	rows     func() *storage.Reader
	decoders map[string]ingest.Decoder
	append   func(ctx context.Context, key string, d *ingest.LoggedDelivery) error
	skew     timeline.Millis // how far ahead of receipt a fact may be dated
	now      func() time.Time
}

// Keys of control that hold what was done about a delivery.
const quarantineKeys = "quarantine/"

// States of what was set aside.
const (
	quarantineOpen    = "open"
	quarantineRetried = "retried"
	quarantineDropped = "dropped"
)

// handled is the value of a key of control.
type handled struct {
	State    string          `json:"state"`
	By       string          `json:"by"`
	At       timeline.Millis `json:"at"`
	Delivery string          `json:"delivery,omitempty"` // under which it was put through again
}

// quarantined is one delivery of which something was set aside.
type quarantined struct {
	ID       string          `json:"id"` // partition-offset: its place on the log
	Source   string          `json:"source"`
	Received timeline.Millis `json:"-"`
	Since    string          `json:"since"`
	Reasons  []string        `json:"reasons"`
	Detail   string          `json:"detail,omitempty"`
	Kinds    []string        `json:"kinds,omitempty"`
	Entities []string        `json:"entities,omitempty"`
	Events   int             `json:"events"` // that were set aside; 0 where it could not be read at all
	State    string          `json:"state"`
	By       string          `json:"by,omitempty"`
	At       string          `json:"at,omitempty"`
	Delivery string          `json:"delivery,omitempty"`
}

// quarantinedDelivery is one with all that the log has of it.
type quarantinedDelivery struct {
	quarantined
	Provider string            `json:"provider"`
	Name     string            `json:"name,omitempty"`
	Type     string            `json:"type,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Sent     string            `json:"sent_as"` // the id that the sender was told
	Kept     bool              `json:"free_text_removed"`
	Body     string            `json:"body"`
}

// errQuarantine is wrapped by what whoever asked can mend.
var errQuarantine = errors.New("quarantine")

func quarantineError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errQuarantine}, args...)...)
}

func placeOf(id string) (partition int32, offset int64, err error) {
	p, o, ok := strings.Cut(id, "-")
	if ok {
		var n int64
		if n, err = strconv.ParseInt(p, 10, 32); err == nil {
			partition = int32(n)
			offset, err = strconv.ParseInt(o, 10, 64)
		}
	}
	if !ok || err != nil || partition < 0 || offset < 0 {
		return 0, 0, quarantineError("%q is no id of a delivery; `meridian quarantine list` shows them, as 0-1234", id)
	}
	return partition, offset, nil
}

func idOf(r *metrics.RejectRow) string {
	return fmt.Sprintf("%d-%d", r.Origin.Partition, r.Origin.Offset)
}

// list gives deliveries of which something was set aside, newest receipt first;
// of each only what is still open, unless all is wanted.
func (q *quarantine) list(ctx context.Context, all bool, cursor string, limit int) (items []quarantined, next string, err error) {
	rows, next, err := q.rows().Quarantined(ctx, cursor, limit)
	if err != nil {
		return nil, "", err
	}
	for i := range rows {
		r := &rows[i]
		id := idOf(r)
		if n := len(items); n == 0 || items[n-1].ID != id {
			item := quarantined{ID: id, Source: r.Source.String(), Received: r.Received, Since: r.Received.String(), State: quarantineOpen}
			q.mark(&item)
			items = append(items, item)
		}
		items[len(items)-1].add(r)
	}
	if !all {
		items = slices.DeleteFunc(items, func(i quarantined) bool { return i.State != quarantineOpen })
	}
	return items, next, nil
}

func (item *quarantined) add(r *metrics.RejectRow) {
	put := func(to *[]string, s string) {
		if s != "" && !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	put(&item.Reasons, r.Reason)
	put(&item.Entities, string(r.Entity))
	if r.Detail != "" {
		item.Detail = r.Detail
	}
	if r.Reason != event.ReasonUndecodable {
		item.Events++
		put(&item.Kinds, r.Kind.String())
	}
}

func (q *quarantine) mark(item *quarantined) {
	data, ok := q.control.Get(quarantineKeys + item.ID)
	var h handled
	if !ok || json.Unmarshal(data, &h) != nil {
		return
	}
	item.State, item.By, item.At, item.Delivery = h.State, h.By, h.At.String(), h.Delivery
}

// show gives one delivery whole, with its body.
func (q *quarantine) show(ctx context.Context, id string) (quarantinedDelivery, error) {
	_, d, err := q.find(ctx, id)
	if err != nil {
		return quarantinedDelivery{}, err
	}
	out := quarantinedDelivery{
		quarantined: quarantined{ID: id, Source: ingest.SourceOf(d.Delivery.Provider).String(), Received: d.Delivery.Received, Since: d.Delivery.Received.String(), State: quarantineOpen},
		Provider:    d.Delivery.Provider, Name: d.Delivery.Name, Type: d.Type, Headers: d.Delivery.Headers, Sent: d.ID, Kept: d.Delivery.Kept, Body: string(d.Delivery.Body),
	}
	q.mark(&out.quarantined)
	if d.Outcome == ingest.OutcomeUndecodable {
		out.Reasons, out.Detail = []string{event.ReasonUndecodable}, d.Reason
	}
	for i := range d.Events {
		if reason, detail := q.doubt(&d.Events[i], d.Delivery.Received); reason != "" {
			out.add(&metrics.RejectRow{Reason: reason, Detail: detail, Kind: d.Events[i].Kind, Entity: d.Events[i].Entity})
		}
	}
	return out, nil
}

// doubt is why an event would be set aside on receipt at a time, as far as the
// event alone tells.
func (q *quarantine) doubt(e *event.Event, received timeline.Millis) (reason, detail string) {
	switch {
	case e.Defect != "":
		return event.ReasonInvalid, e.Defect
	case e.Time > received+q.skew:
		return event.ReasonFuture, "it is dated " + e.Time.String()
	}
	return "", ""
}

func (q *quarantine) find(ctx context.Context, id string) (partition int32, d *ingest.LoggedDelivery, err error) {
	partition, offset, err := placeOf(id)
	if err != nil {
		return 0, nil, err
	}
	d, err = deliveryAt(ctx, q.log, partition, offset)
	if errors.Is(err, errNotThere) {
		return 0, nil, quarantineError("there is no delivery %s: %w", id, err)
	}
	return partition, d, err
}
