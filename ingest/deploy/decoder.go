package deploy

import (
	"encoding/json"
	"fmt"

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
		Type:    "deployment",
		Scope:   provider + "/" + delivery.Name,
		Version: Version,
	}
	bodies, isList, err := split(delivery.Body)
	if err != nil {
		out.Reason = err.Error()
		return out, err
	}
	deployments := make([]*deployment, 0, len(bodies))
	seen := map[event.ID]bool{}
	items := 0
	for n, body := range bodies {
		prefix := ""
		if isList {
			prefix = fmt.Sprintf("[%d].", n)
		}
		dep, err := read(prefix, body, delivery.Kept)
		if err == nil {
			dep.strip(d.hash)
			if items += len(dep.Services) * (1 + len(dep.Revision) + len(dep.Labels)); items > maxItems {
				err = malformed("the body deploys too much at once: send several")
			}
		}
		if err != nil {
			out.Reason, out.Events = err.Error(), nil
			return out, err
		}
		deployments = append(deployments, dep)
		for _, e := range dep.events(delivery.Name) {
			if !seen[e.ID] {
				seen[e.ID] = true
				out.Events = append(out.Events, e)
			}
		}
	}
	out.Outcome = ingest.OutcomeAccepted
	if isList {
		out.Body, err = json.Marshal(deployments)
	} else {
		out.Body, err = json.Marshal(deployments[0])
	}
	if err != nil {
		return out, fmt.Errorf("deploy: cannot write the kept body: %w", err)
	}
	return out, nil
}

// split returns the deployments of a body, which is one or a list of them.
func split(body []byte) (bodies []json.RawMessage, isList bool, err error) {
	var whole json.RawMessage
	if _, err := payload.Read(body, &whole); err != nil {
		return nil, false, err
	}
	if whole[0] != '[' {
		return []json.RawMessage{whole}, false, nil
	}
	var list payload.List[json.RawMessage]
	if reason, err := payload.Read(whole, &list); err != nil || reason != "" || len(list) > maxDeployments {
		return nil, true, malformed(fmt.Sprintf("the body lists more than %d deployments: send several bodies", maxDeployments))
	}
	return list, true, nil
}

func malformed(what string) error { return fmt.Errorf("%w: %s", ingest.ErrMalformed, what) }
