package jira

import (
	"encoding/json"
	"fmt"
	"regexp"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// Decoder implements [ingest.Decoder].
type Decoder struct {
	hash Hasher
}

var _ ingest.Versioned = (*Decoder)(nil)

// New returns a decoder that replaces e-mail addresses by hash.
func New(hash Hasher) *Decoder { return &Decoder{hash} }

// Version implements [ingest.Versioned].
func (*Decoder) Version() int32 { return Version }

// Decode implements [ingest.Decoder].
func (d *Decoder) Decode(delivery ingest.Delivery) (ingest.Decoded, error) {
	out := ingest.Decoded{
		Outcome: ingest.OutcomeUndecodable,
		Type:    "unknown",
		Scope:   provider + "/source/" + delivery.Name,
		Version: Version,
	}
	var w webhook
	reason, err := payload.Read(delivery.Body, &w)
	if err != nil {
		out.Reason = err.Error()
		return out, err
	}
	w.unwrap()
	r := reading{delivery: &delivery, webhook: &w, site: siteOf(&w), seen: map[event.ID]bool{}, outcome: ingest.OutcomeAccepted}
	out.Type, out.Scope = typeName(&w), r.scope()
	if reason != "" {
		out.Reason = reason
		out.Body = payload.Redact(delivery.Body)
		return out, nil
	}

	w.strip(d.hash, delivery.Kept)
	r.read()
	out.Outcome, out.Reason, out.Events = r.outcome, r.reason, r.events
	if out.Outcome != ingest.OutcomeAccepted {
		out.Events = nil
		out.Body = payload.Redact(delivery.Body)
		return out, nil
	}
	if out.Body, err = json.Marshal(&w); err != nil {
		return out, fmt.Errorf("jira: cannot write the kept body of a %s: %w", out.Type, err)
	}
	return out, nil
}

var plainName = regexp.MustCompile(`^[a-z:_]{1,60}$`)

// typeName is jira:issue_updated, or issue for one without a webhook around it.
// What is no name is not repeated: types stand on pages and in labels of metrics.
func typeName(w *webhook) string {
	switch {
	case w.Event == "" && w.Issue != nil:
		return "issue"
	case !plainName.MatchString(w.Event):
		return "unknown"
	}
	return w.Event
}

// reading is what becomes of one delivery.
type reading struct {
	delivery *ingest.Delivery
	webhook  *webhook
	site     site
	outcome  ingest.Outcome
	reason   string
	events   []event.Event
	seen     map[event.ID]bool // transitions
}

// ignore says that the delivery is of no kind that Meridian reads.
func (r *reading) ignore(reason string) { r.outcome, r.reason = ingest.OutcomeIgnored, reason }

// wrong says that the delivery cannot be read.
func (r *reading) wrong(reason string) { r.outcome, r.reason = ingest.OutcomeUndecodable, reason }

// scope is the key of the log: the issue, else the site.
func (r *reading) scope() string {
	switch i := r.webhook.Issue; {
	case r.site.name == "":
		return provider + "/source/" + r.delivery.Name
	case i == nil || i.ID == "":
		return provider + "/" + r.site.name
	default:
		return provider + "/" + r.site.name + "/" + string(i.ID)
	}
}

func (r *reading) read() {
	switch r.webhook.Event {
	case "jira:issue_created":
		r.created()
	case "jira:issue_updated":
		r.updated()
	case "jira:issue_deleted":
		r.deleted()
	case "comment_created":
		r.commentCreated()
	case "comment_updated", "comment_deleted":
		r.ignore("editing or deleting a comment is no activity")
	case "":
		r.bare()
	default:
		r.ignore("Meridian does not read this type of event")
	}
}
