package ingest

import (
	"encoding/hex"

	"meridian/ingest/event"
	"meridian/streaming"
)

// setAside makes the copy that tells of a delivery of which no event could be
// made, so that what was set aside stands in one list, wherever it failed. It is
// nobody's team's: nothing is known of it but where it came in. Its id is the one
// that the sender was told.
func setAside(c streaming.Clock, d *LoggedDelivery) event.Routed {
	e := event.Event{
		Source: SourceOf(d.Delivery.Provider),
		Time:   d.Delivery.Received,
		Entity: event.EntityID(sourceLabel(d.Delivery.Provider, d.Delivery.Name)),
		Defect: d.Reason,
	}
	if id, err := hex.DecodeString(d.ID); err == nil {
		copy(e.ID[:], id)
	}
	return event.Routed{
		Copy: event.Aside, Verdict: event.Quarantined, Reason: event.ReasonUndecodable,
		Received: d.Delivery.Received, Backfilled: d.Delivery.ViaAPI, Clock: c, Event: e,
	}
}
