package ingest

import (
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Entry is one record of meridian.deliveries: exactly one of the pointers is
// set, or none and it is a tick.
type Entry struct {
	Delivery *LoggedDelivery
	Tick     timeline.Millis
	Coverage *Coverage
	Gap      *Gap
	Erase    *Erase
}

// IsTick reports whether e is a tick. Tick alone does not say so: an archive may
// begin in 1970, at 0.
func (e Entry) IsTick() bool {
	return e.Delivery == nil && e.Coverage == nil && e.Gap == nil && e.Erase == nil
}

// LoggedDelivery is a delivery as the log keeps it: headers that matter, body
// without free text, events as decoded.
type LoggedDelivery struct {
	ID       string // what the sender was told: 32 hex digits, of the delivery's content and receipt
	Delivery Delivery
	Outcome  Outcome
	Reason   string
	Type     string
	Events   []event.Event
	Decoder  int32 // version
}

// Coverage says that everything of a scope between two times is on the log.
type Coverage struct {
	Source   event.Source
	Scope    string
	From, To timeline.Millis
}

// Gap says that deliveries may be missing.
type Gap struct {
	Source   event.Source
	Scope    string
	From, To timeline.Millis
}

// Erase names a person whose records have been redacted from here on.
type Erase struct {
	Person event.PersonID
}
