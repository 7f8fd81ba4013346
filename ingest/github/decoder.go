package github

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/google/go-github/v62/github"

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

// wire is one type of delivery, as far as it is read.
type wire interface {
	common() *envelope
	// strip learns from the free text and drops it. Of a kept body it believes
	// what an earlier strip has learned.
	strip(hash Hasher, kept bool)
	read(r *reading)
}

// wireOf returns what to unmarshal a delivery of this X-GitHub-Event into.
func wireOf(name string) wire {
	switch name {
	case "pull_request":
		return new(pullRequestDelivery)
	case "pull_request_review":
		return new(reviewDelivery)
	case "pull_request_review_comment":
		return new(reviewCommentDelivery)
	case "issue_comment":
		return new(issueCommentDelivery)
	case "push":
		return new(pushDelivery)
	case "create":
		return new(refDelivery)
	case "delete":
		return &refDelivery{deleted: true}
	case "issues":
		return new(issuesDelivery)
	case "repository":
		return new(repositoryDelivery)
	case "workflow_run":
		return new(workflowRunDelivery)
	case "release":
		return new(releaseDelivery)
	case "pull_request_commits":
		return new(commitsDelivery)
	case "deployment":
		return new(deploymentDelivery)
	case "deployment_status":
		return new(deploymentStatusDelivery)
	case "ping":
		return new(ping)
	}
	if hints[name] {
		return new(hint)
	}
	return new(unread)
}

// Version implements [ingest.Versioned].
func (*Decoder) Version() int32 { return Version }

// Decode implements [ingest.Decoder].
func (d *Decoder) Decode(delivery ingest.Delivery) (ingest.Decoded, error) {
	name := delivery.Header(github.EventTypeHeader)
	out := ingest.Decoded{
		Outcome: ingest.OutcomeUndecodable,
		Type:    typeName(name, ""),
		Scope:   new(envelope).scope(delivery.Name),
		Version: Version,
	}
	text, err := payload.Text(delivery)
	if err != nil {
		out.Reason = err.Error()
		return out, err
	}
	w := wireOf(name)
	out.Reason, err = payload.Read(text, w)
	if err != nil {
		out.Reason = err.Error()
		return out, err
	}
	out.Scope = w.common().scope(delivery.Name)
	out.Type = typeName(name, w.common().Action)
	if name == "" {
		out.Reason = "the delivery has no header " + github.EventTypeHeader
	}
	if out.Reason != "" {
		out.Body = payload.Redact(text)
		return out, nil
	}

	w.strip(d.hash, delivery.Kept)
	r := reading{source: delivery.Name, viaAPI: delivery.ViaAPI, env: w.common(), outcome: ingest.OutcomeAccepted}
	w.read(&r)
	out.Outcome, out.Reason, out.Events = r.outcome, r.reason, r.events
	if out.Outcome != ingest.OutcomeAccepted && out.Outcome != ingest.OutcomePing {
		out.Events = nil
		out.Body = payload.Redact(text)
		return out, nil
	}
	if out.Body, err = json.Marshal(w); err != nil {
		return out, fmt.Errorf("github: cannot write the kept body of a %s: %w", out.Type, err)
	}
	return out, nil
}

var plainName = regexp.MustCompile(`^[a-z0-9_]{1,60}$`)

// typeName is pull_request.opened. What is no name is not repeated: types stand
// on pages and in labels of metrics.
func typeName(name, action string) string {
	if !plainName.MatchString(name) {
		name = "unknown"
	}
	if action == "" {
		return name
	}
	if !plainName.MatchString(action) {
		action = "unknown"
	}
	return name + "." + action
}

// reading is what becomes of one delivery.
type reading struct {
	source  string
	viaAPI  bool
	env     *envelope
	outcome ingest.Outcome
	reason  string
	events  []event.Event
}

// ignore says that the delivery is of no kind that Meridian reads.
func (r *reading) ignore(reason string) { r.outcome, r.reason = ingest.OutcomeIgnored, reason }

// wrong says that the delivery cannot be read.
func (r *reading) wrong(reason string) { r.outcome, r.reason = ingest.OutcomeUndecodable, reason }

// inRepository reports whether the delivery says in which repository it happened,
// or finds it wrong.
func (r *reading) inRepository() bool {
	if r.env.Repository == nil || r.env.Repository.ID <= 0 {
		r.wrong("repository.id is missing")
		return false
	}
	return true
}

// add begins an event of this delivery's repository and adds it. Without a usable
// time it finds the delivery wrong and returns nil.
func (r *reading) add(kind event.Kind, id event.ID, at payload.Time, timeName string) *event.Event {
	if !at.Known() {
		r.wrong(timeName + " is no usable time")
		return nil
	}
	r.events = append(r.events, event.Event{
		ID:     id,
		Source: event.GitHub,
		Kind:   kind,
		Time:   at.At,
		Scope: event.Scope{
			Provider:   provider,
			Name:       r.source,
			Repository: r.env.Repository.FullName,
			DefaultTip: r.env.Repository.DefaultBranch,
		},
	})
	return &r.events[len(r.events)-1]
}
