package deploy

import (
	"encoding/json"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// deployment is one deployment of the format, as it is kept.
type deployment struct {
	ID          string       `json:"id"`
	Services    []string     `json:"services"`
	Environment string       `json:"environment"`
	Status      string       `json:"status"`
	Revision    []string     `json:"revision,omitempty"`
	Repository  string       `json:"repository,omitempty"`
	StartedAt   payload.Time `json:"started_at,omitzero"`
	FinishedAt  payload.Time `json:"finished_at,omitzero"`
	Actor       string       `json:"actor,omitempty"`
	Labels      []string     `json:"labels,omitempty"`
	Incident    string       `json:"incident,omitempty"`
	URL         string       `json:"url,omitempty"`

	Learned learned `json:"meridian,omitzero"`
}

// learned is what stands in a kept body instead of an address.
type learned struct {
	ActorEmail string `json:"actor_email,omitempty"` // HMAC
}

// state is what Status says; unknown where it is no word of the format.
func (d *deployment) state() event.DeploymentState {
	switch d.Status {
	case "pending":
		return event.DeploymentPending
	case "running":
		return event.DeploymentRunning
	case "success":
		return event.DeploymentSuccess
	case "failure":
		return event.DeploymentFailure
	case "rolled_back":
		return event.DeploymentRolledBack
	case "cancelled":
		return event.DeploymentCancelled
	}
	return event.DeploymentUnknown
}

// read reads and checks one deployment. Of a kept body it believes what strip has
// learned.
func read(prefix string, body json.RawMessage, kept bool) (*deployment, error) {
	o := newObject(prefix, body)
	if o.err != nil {
		return nil, o.err
	}
	d := &deployment{
		ID:          o.name("id"),
		Services:    o.services(),
		Environment: o.name("environment"),
		Status:      o.name("status"),
		Revision:    o.revisions(),
		Repository:  o.text("repository", maxText),
		StartedAt:   o.time("started_at"),
		FinishedAt:  o.time("finished_at"),
		Actor:       o.text("actor", maxText),
		Labels:      o.names("labels"),
		Incident:    o.text("incident", maxText),
		URL:         o.text("url", maxURL),
	}
	if d.state() == event.DeploymentUnknown {
		o.fail("status", "must be one of pending, running, success, failure, rolled_back, cancelled")
	}
	if d.finished() {
		o.need("finished_at")
	} else {
		o.need("started_at")
	}
	if o.err == nil && !d.at().Known() {
		o.fail("started_at or finished_at", "is empty")
	}
	if raw, ok := o.raw("meridian"); ok && kept && o.err == nil {
		// Written by strip; what is not is nothing.
		_ = json.Unmarshal(raw, &d.Learned)
	}
	return d, o.err
}

// services are those of "service" or of "services", each once.
func (o *object) services() []string {
	one, many := o.text("service", maxText), o.names("services")
	if one != "" {
		many = append([]string{one}, many...)
	}
	if len(many) == 0 {
		o.fail("service", "is missing")
	}
	slices.Sort(many)
	return slices.Compact(many)
}

// revisions are one commit or a list of them.
func (o *object) revisions() []string {
	raw, ok := o.raw("revision")
	if !ok {
		return nil
	}
	switch raw[0] {
	case '[':
		return o.names("revision")
	case '"':
		if s := o.text("revision", maxText); s != "" {
			return []string{s}
		}
	default:
		o.fail("revision", "must be a string or a list of strings")
	}
	return nil
}

// finished reports whether the deployment has come to an end of some kind.
func (d *deployment) finished() bool {
	return d.state() != event.DeploymentPending && d.state() != event.DeploymentRunning
}

// at is when the deployment came to be in its state.
func (d *deployment) at() payload.Time {
	if d.finished() {
		return d.FinishedAt
	}
	return d.StartedAt
}

// strip drops what is not needed: the address of an actor, words around the key of
// an incident, what a URL carries besides its place.
func (d *deployment) strip(hash Hasher) {
	d.Actor = strings.TrimSpace(d.Actor)
	if strings.Contains(d.Actor, "@") {
		d.Learned.ActorEmail, d.Actor = hash(d.Actor), ""
	}
	if strings.ContainsFunc(d.Incident, func(r rune) bool { return r <= ' ' }) {
		keys := payload.Learn(d.Incident, "", "").IssueKeys
		d.Incident = ""
		if len(keys) > 0 {
			d.Incident = keys[0]
		}
	}
	d.URL = payload.WebURL(d.URL)
}

// events are one for each service.
func (d *deployment) events(source string) []event.Event {
	state, at := d.state(), d.at()
	actor := event.Account{Login: d.Actor, Email: d.Learned.ActorEmail}
	if !actor.IsZero() {
		actor.Provider = provider
	}
	var events []event.Event
	for _, service := range d.Services {
		e := event.Event{
			ID:      event.DeployStateID(source, d.ID, service, d.Environment, state, at.At),
			Source:  event.Deploy,
			Kind:    event.DeploymentStatus,
			Time:    at.At,
			Entity:  entity(source, d.ID, service),
			Created: d.StartedAt.At,
			Scope: event.Scope{
				Provider:    provider,
				Name:        source,
				Repository:  d.Repository,
				Service:     service,
				Environment: d.Environment,
			},
			Actor: actor,
			Local: d.StartedAt.Or(d.FinishedAt).Local(),
			Deployment: &event.Deployment{
				Key:             d.ID,
				State:           state,
				Started:         d.StartedAt.At,
				Finished:        d.FinishedAt.At,
				Revisions:       d.Revision,
				Creator:         actor,
				Labels:          d.Labels,
				Marks:           event.Marks{Hotfix: d.labelled("hotfix"), Revert: d.labelled("rollback")},
				FixesIncident:   d.Incident,
				URL:             d.URL,
				OriginalService: service,
			},
		}
		if !d.finished() {
			e.Deployment.Finished = 0 // not over yet, whatever it says
		}
		events = append(events, e)
	}
	return events
}

// entity names a deployment. Ids and services are the sender's, and may hold a
// slash.
func entity(source, id, service string) event.EntityID {
	return entityOf(provider, source, id, service)
}

func (d *deployment) labelled(label string) bool {
	return slices.ContainsFunc(d.Labels, func(l string) bool { return strings.EqualFold(l, label) })
}
