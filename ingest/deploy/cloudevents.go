package deploy

import (
	"encoding/json"
	"regexp"
	"strconv"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/ingest/payload"
)

// cdEvents are the events of one delivery. The CloudEvents SDK is not used: it
// reads requests, and a decoder reads what the log has kept of one; of the three
// modes of the HTTP binding it needs no more than to find the data.
type cdEvents struct {
	List    []*cdEvent
	batched bool
}

const maxEvents = 1000 // of a batch

// UnmarshalJSON reads one event or a batch of them.
func (b *cdEvents) UnmarshalJSON(data []byte) error {
	*b = cdEvents{batched: data[0] == '['}
	if !b.batched {
		b.List = []*cdEvent{new(cdEvent)}
		return b.List[0].unwrap(data)
	}
	var list payload.List[json.RawMessage]
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, one := range list {
		e := new(cdEvent)
		if reason, err := payload.Read(one, (*wrapped)(e)); err != nil || reason != "" {
			*e = cdEvent{Bad: true}
		}
		b.List = append(b.List, e)
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (b *cdEvents) MarshalJSON() ([]byte, error) {
	if b.batched {
		return json.Marshal(append([]*cdEvent{}, b.List...))
	}
	return json.Marshal(b.List[0])
}

// wrapped is a CDEvent that may stand inside a CloudEvent.
type wrapped cdEvent

func (w *wrapped) UnmarshalJSON(data []byte) error { return (*cdEvent)(w).unwrap(data) }

// unwrap reads a CDEvent, looking inside a CloudEvent, where it is the data.
func (e *cdEvent) unwrap(data []byte) error {
	var outer struct {
		SpecVersion json.RawMessage `json:"specversion"`
		Data        json.RawMessage `json:"data"`
		Base64      []byte          `json:"data_base64"`
	}
	if json.Unmarshal(data, &outer) == nil && outer.SpecVersion != nil {
		switch {
		case len(outer.Data) > 0 && outer.Data[0] == '{':
			data = outer.Data
		case json.Valid(outer.Base64):
			data = outer.Base64
		}
	}
	return json.Unmarshal(data, e)
}

func (b *cdEvents) strip(hash Hasher, kept bool) {
	for _, e := range b.List {
		e.strip(hash, kept)
	}
}

var batchType = regexp.MustCompile(`^[a-z]+\.[a-z]+$`)

func (b *cdEvents) typeName() string {
	if !b.batched {
		return b.List[0].typeName()
	}
	name := ""
	for _, e := range b.List {
		switch t := e.typeName(); {
		case name == "":
			name = t
		case name != t:
			return "batch"
		}
	}
	if !batchType.MatchString(name) {
		return "batch"
	}
	return name
}

// read makes events of those that can be read. In a batch one that cannot be
// read is set aside, at the time of the one before it, and does not take the
// others along.
func (b *cdEvents) read(r *reading) {
	switch {
	case !b.batched:
		b.List[0].read(r)
		return
	case len(b.List) == 0:
		r.ignore("the batch is empty")
		return
	case len(b.List) > maxEvents:
		r.wrong("the batch has too many events")
		return
	}
	var bad []string
	var last event.Event
	ignored := ""
	seen := map[event.ID]bool{}
	for _, e := range b.List {
		one := reading{provider: r.provider, source: r.source, outcome: ingest.OutcomeAccepted}
		if e.Bad {
			one.wrong("it has another shape than a CDEvent")
		} else {
			e.read(&one)
		}
		switch one.outcome {
		case ingest.OutcomeIgnored:
			ignored = one.reason
		case ingest.OutcomeUndecodable:
			bad = append(bad, one.reason)
		default:
			for _, ev := range one.events {
				if last = ev; !seen[ev.ID] {
					seen[ev.ID] = true
					r.events = append(r.events, ev)
				}
			}
		}
	}
	switch {
	case len(r.events) > 0:
		for n, why := range bad {
			r.events = append(r.events, defective(last, n, why))
		}
	case len(bad) > 0:
		r.wrong(bad[0])
	default:
		r.ignore(ignored)
		r.redacted = true
	}
}

// defective stands for an event of a batch that cannot be read, beside one that
// can.
func defective(beside event.Event, n int, why string) event.Event {
	return event.Event{
		ID: event.NewID("cdevents", "defective", string(beside.ID[:]), strconv.Itoa(n), why), Source: event.Deploy, Kind: beside.Kind,
		Time: beside.Time, Entity: beside.Entity, Scope: event.Scope{Provider: beside.Scope.Provider, Name: beside.Scope.Name, Service: beside.Scope.Service},
		Defect: "an event of the batch cannot be read: " + why,
	}
}
