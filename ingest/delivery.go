package ingest

import (
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Delivery is one webhook, or one API read, as it was accepted: the decoder's
// whole input.
type Delivery struct {
	Provider string // github, jira, deploy, argocd, cdevents: the last path segment of its endpoint
	Name     string // the configured source's name
	ViaAPI   bool   // a backfill read it
	Received timeline.Millis
	Headers  map[string]string // canonical names (http.CanonicalHeaderKey); only those that matter
	Body     []byte

	// Kept says that Body is an earlier Decoded.Body, read back from the log or
	// an export. Only then may a decoder believe what a decoder added to it (marks,
	// issue keys, e-mail hashes); a request never sets it.
	Kept bool
}

// Header returns the value of a header, by any case of its name.
func (d Delivery) Header(name string) string {
	if v, ok := d.Headers[name]; ok {
		return v
	}
	for k, v := range d.Headers {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// Outcome says what a decoder made of a delivery.
type Outcome uint8

// Outcomes.
const (
	OutcomeAccepted    Outcome = iota + 1 // has events, or is a valid delivery with none
	OutcomePing                           // the source says hello
	OutcomeIgnored                        // a type or action that Meridian does not read
	OutcomeUndecodable                    // cannot be read, or has no usable time; kept with its reason
)

// String returns the outcome's name in metrics.
func (o Outcome) String() string {
	return [...]string{"none", "accepted", "ping", "ignored", "undecodable"}[o%5]
}

// answer is what the sender is told. That a delivery could not be decoded is no
// business of its sender: it is on the log, with the reason.
func (o Outcome) answer() string {
	if o == OutcomeUndecodable {
		o = OutcomeAccepted
	}
	return o.String()
}

// Decoded is what a decoder made of a delivery.
type Decoded struct {
	Outcome Outcome
	Reason  string // of OutcomeIgnored and OutcomeUndecodable, a sentence without payload text
	Type    string // what the source calls it: pull_request.opened, jira:issue_updated
	Events  []event.Event
	Scope   string // the log's key: provider and immutable scope, such as github/42
	Body    []byte // the delivery's body with free text removed
	Version int32  // the decoder's own, raised when it would decode a kept body otherwise
}

// Decoder turns deliveries of one provider into events. It is pure: it reads no
// clock and keeps nothing. One bad event does not spoil the others (it gets a
// Defect). An error is [ErrMalformed]: the body is not what its content type
// says, or breaks a format that Meridian itself defines; it names the field.
// Everything else that cannot be read is OutcomeUndecodable and no error.
//
// Decoding Decoded.Body again, with the same headers and Kept set, gives the
// same events.
type Decoder interface {
	Decode(d Delivery) (Decoded, error)
}
