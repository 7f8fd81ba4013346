package deploy

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// notice is a delivery in a format that others define, as far as it is read.
type notice interface {
	// strip drops what is not needed; see the decoders of other packages.
	strip(hash Hasher, kept bool)
	// typeName is what its system calls it.
	typeName() string
	read(r *reading)
}

// reading is what becomes of one notice.
type reading struct {
	provider, source string
	outcome          ingest.Outcome
	reason           string
	redacted         bool // keep the notice as redacted, not what was read of it
	events           []event.Event
}

// ignore says that the notice tells of no deployment.
func (r *reading) ignore(reason string) { r.outcome, r.reason = ingest.OutcomeIgnored, reason }

// wrong says that the notice cannot be read.
func (r *reading) wrong(reason string) { r.outcome, r.reason = ingest.OutcomeUndecodable, reason }

// decodeNotice decodes a delivery into n. What does not have n's shape is
// undecodable, and no fault of the sender: the format is not ours.
func decodeNotice(provider string, n notice, hash Hasher, delivery ingest.Delivery) (ingest.Decoded, error) {
	out := ingest.Decoded{
		Outcome: ingest.OutcomeUndecodable,
		Type:    "unknown",
		Scope:   provider + "/" + delivery.Name,
		Version: Version,
	}
	reason, err := payload.Read(delivery.Body, n)
	if err != nil {
		out.Reason = err.Error()
		return out, err
	}
	out.Type = n.typeName()
	if reason != "" {
		out.Reason, out.Body = reason, payload.Redact(delivery.Body)
		return out, nil
	}
	n.strip(hash, delivery.Kept)
	r := reading{provider: provider, source: delivery.Name, outcome: ingest.OutcomeAccepted}
	n.read(&r)
	out.Outcome, out.Reason = r.outcome, r.reason
	if r.outcome == ingest.OutcomeAccepted {
		out.Events = r.events
	}
	if r.redacted {
		out.Body = payload.Redact(delivery.Body)
		return out, nil
	}
	if out.Body, err = json.Marshal(n); err != nil {
		return out, fmt.Errorf("%s: cannot write the kept body: %w", provider, err)
	}
	return out, nil
}

// tooLong reports whether a name or a list is longer than anybody's: they become
// parts of ids.
func tooLong(list []string, names ...string) bool {
	long := func(s string) bool { return len(s) > maxURL }
	return len(list) > maxSources || slices.ContainsFunc(list, long) || slices.ContainsFunc(names, long)
}

const maxSources = 100 // of an application

// entityOf names a deployment of a provider by parts that may hold a slash.
func entityOf(provider string, parts ...string) event.EntityID {
	var b strings.Builder
	b.WriteString(provider)
	for _, p := range parts {
		b.WriteString("/" + url.PathEscape(p))
	}
	return event.EntityID(b.String())
}
