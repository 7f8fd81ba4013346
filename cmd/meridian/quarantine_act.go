package main

import (
	"context"
	"encoding/json"
	"fmt"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// retry puts a delivery through once more, as it lies on the log and by the
// decoder of this version: the same facts have the same ids, so that what was
// accepted of it then is a duplicate now, and only the rest can count. What could
// not pass now either is not appended; the error says what it still lacks.
func (q *quarantine) retry(ctx context.Context, id, by string) (said string, err error) {
	_, old, err := q.find(ctx, id)
	if err != nil {
		return "", err
	}
	if err := q.mustBeOpen(id); err != nil {
		return "", err
	}
	decoder := q.decoders[old.Delivery.Provider]
	if decoder == nil {
		return "", quarantineError("%s came from %s, which this version cannot read", id, old.Delivery.Provider)
	}
	again := old.Delivery
	again.Received = timeline.FromTime(q.now())
	key, d, err := ingest.DecodeDelivery(decoder, again)
	if err != nil {
		return "", quarantineError("%s still cannot be read: %w", id, err)
	}
	passing, why := q.passing(old, d)
	if passing == 0 {
		return "", quarantineError("%s would be set aside again: %s", id, why)
	}
	if err := q.append(ctx, key, d); err != nil {
		return "", fmt.Errorf("%s could not be put on the log again; it is as it was: %w", id, err)
	}
	if err := q.handle(ctx, id, handled{State: quarantineRetried, By: by, At: again.Received, Delivery: d.ID}); err != nil {
		return "", fmt.Errorf("%s was put through again, and it could not be noted; another retry does no harm: %w", id, err)
	}
	return fmt.Sprintf("%s was put through again as %s; what of it had been counted before is a duplicate now", id, d.ID), nil
}

// passing counts what could be accepted now and could not then, and says what is
// wrong where that is nothing. A contradiction between two copies shows only on
// the log, so a delivery in which nothing else is in doubt may pass.
func (q *quarantine) passing(old, again *ingest.LoggedDelivery) (n int, why string) {
	switch {
	case again.Outcome == ingest.OutcomeUndecodable:
		return 0, "it still cannot be read: " + again.Reason
	case old.Outcome == ingest.OutcomeUndecodable:
		return 1, "" // readable, even if it says nothing that counts
	}
	clean := map[event.ID]bool{}
	doubtful := 0
	for i := range old.Events {
		if reason, _ := q.doubt(&old.Events[i], old.Delivery.Received); reason == "" {
			clean[old.Events[i].ID] = true
		} else {
			doubtful++
		}
	}
	if doubtful == 0 {
		return len(again.Events), "nothing in it is in doubt"
	}
	for i := range again.Events {
		e := &again.Events[i]
		if reason, detail := q.doubt(e, again.Delivery.Received); reason != "" {
			why = reason + ", " + detail
		} else if !clean[e.ID] {
			n++
		}
	}
	return n, why
}

// drop marks a delivery as done with. It stays on the log and in the list of all.
func (q *quarantine) drop(ctx context.Context, id, by string) (said string, err error) {
	if _, _, err := q.find(ctx, id); err != nil {
		return "", err
	}
	if err := q.mustBeOpen(id); err != nil {
		return "", err
	}
	if err := q.handle(ctx, id, handled{State: quarantineDropped, By: by, At: timeline.FromTime(q.now())}); err != nil {
		return "", err
	}
	return id + " is dropped; it stays on the log, and in the list of all", nil
}

func (q *quarantine) mustBeOpen(id string) error {
	item := quarantined{ID: id, State: quarantineOpen}
	q.mark(&item)
	if item.State == quarantineOpen {
		return nil
	}
	return quarantineError("%s was %s by %s at %s", id, item.State, item.By, item.At)
}

func (q *quarantine) handle(ctx context.Context, id string, h handled) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return q.control.Put(ctx, quarantineKeys+id, data)
}
