package deploy

import (
	"regexp"
	"strings"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// CDEvents decodes CDEvents of services and incidents, in any version, by
// themselves (CloudEvents' binary mode), inside a CloudEvent (its structured mode)
// or inside several (its batched mode).
type CDEvents struct {
	hash Hasher
}

var _ ingest.Versioned = (*CDEvents)(nil)

// NewCDEvents returns a decoder. CDEvents name no people, so hash has nothing to do
// yet; it stands here for what their custom data may bring.
func NewCDEvents(hash Hasher) *CDEvents { return &CDEvents{hash} }

// Version implements [ingest.Versioned].
func (*CDEvents) Version() int32 { return Version }

// Decode implements [ingest.Decoder].
func (d *CDEvents) Decode(delivery ingest.Delivery) (ingest.Decoded, error) {
	return decodeNotice("cdevents", new(cdEvents), d.hash, delivery)
}

type cdEvent struct {
	Bad bool `json:"meridian_bad,omitempty"` // one of a batch that has another shape

	Context struct {
		ID        string       `json:"id,omitempty"`
		Source    string       `json:"source,omitempty"`
		Type      string       `json:"type,omitempty"`
		Timestamp payload.Time `json:"timestamp,omitzero"`
	} `json:"context,omitzero"`
	Subject struct {
		ID      string `json:"id,omitempty"`
		Source  string `json:"source,omitempty"`
		Content struct {
			Service struct {
				ID string `json:"id,omitempty"`
			} `json:"service,omitzero"`
			Environment struct {
				ID string `json:"id,omitempty"`
			} `json:"environment,omitzero"`
			Artifact string `json:"artifactId,omitempty"`
		} `json:"content,omitzero"`
	} `json:"subject,omitzero"`
}

func (e *cdEvent) strip(Hasher, bool) {}

var cdType = regexp.MustCompile(`^dev\.cdevents\.([a-z]{1,40})\.([a-z]{1,40})\.[0-9A-Za-z.+-]{1,40}$`)

// typeName is service.deployed: the type without its vendor and version.
func (e *cdEvent) typeName() string {
	m := cdType.FindStringSubmatch(e.Context.Type)
	if m == nil {
		return "unknown"
	}
	return m[1] + "." + m[2]
}

func (e *cdEvent) read(r *reading) {
	kind := e.typeName()
	switch kind {
	case "service.deployed", "service.upgraded", "service.rolledback", "incident.detected", "incident.reported", "incident.resolved":
	case "unknown":
		r.wrong("context.type is no type of CDEvents")
		return
	default:
		r.ignore("Meridian does not read this type of event")
		r.redacted = true
		return
	}
	c, s := e.Context, e.Subject
	switch {
	case c.ID == "" || c.Source == "":
		r.wrong("context.id or context.source is missing")
	case tooLong(nil, c.ID, c.Source, s.ID, s.Source, s.Content.Service.ID, s.Content.Environment.ID, s.Content.Artifact):
		r.wrong("context.id, context.source or a name of the subject is too long")
	case s.ID == "":
		r.wrong("subject.id is missing")
	case !c.Timestamp.Known():
		r.wrong("context.timestamp is no usable time")
	case strings.HasPrefix(kind, "incident."):
		r.events = append(r.events, e.incident(r))
	default:
		r.events = append(r.events, e.deployment(r))
	}
}

// event is what all facts of CDEvents have in common.
func (e *cdEvent) event(r *reading, kind event.Kind, service string) event.Event {
	c := e.Context
	return event.Event{
		ID:     event.CDEventID(r.source, c.Source, c.ID, e.Subject.ID),
		Source: event.Deploy,
		Kind:   kind,
		Time:   c.Timestamp.At,
		Scope:  event.Scope{Provider: r.provider, Name: r.source, Service: service, Environment: e.Subject.Content.Environment.ID},
	}
}

// deployment is a service that was deployed, upgraded, or rolled back: the last
// is a failure of the deployment before it, which the event does not name.
func (e *cdEvent) deployment(r *reading) event.Event {
	c, s := e.Context, e.Subject
	ev := e.event(r, event.DeploymentStatus, s.ID)
	ev.Entity, ev.Created = entityOf(r.provider, r.source, c.Source, c.ID, s.ID), c.Timestamp.At
	ev.Deployment = &event.Deployment{Key: c.ID, State: event.DeploymentSuccess, Finished: c.Timestamp.At, OriginalService: s.ID}
	if e.typeName() == "service.rolledback" {
		ev.Deployment.State, ev.Deployment.OfPrevious = event.DeploymentRolledBack, true
	}
	if a := s.Content.Artifact; a != "" {
		ev.Deployment.Revisions = []string{a}
	}
	return ev
}
