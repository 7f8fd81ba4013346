package ingest

import (
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// A delivery that cannot be read has one copy of its own, which is no event:
// nothing is counted as decoded, and nothing else comes of it.
func TestWhatCannotBeReadIsSetAside(t *testing.T) {
	const received = 20_000 * timeline.Day
	r := testRoute(t, nil)
	unread := &LoggedDelivery{
		ID:       "000102030405060708090a0b0c0d0e0f",
		Delivery: Delivery{Provider: "github", Name: "acme", Received: received},
		Outcome:  OutcomeUndecodable, Reason: "action is no text",
	}
	ignored := &LoggedDelivery{ID: "00", Delivery: Delivery{Provider: "github", Received: received}, Outcome: OutcomeIgnored}
	var copies []Copy
	drive(r, []step{{delivery: unread}, {delivery: ignored}, {tick: received + 500}}, func(c Copy) {
		if !c.Message.IsTick {
			copies = append(copies, c)
		}
	}, nil)
	if len(copies) != 1 {
		t.Fatalf("%d copies, want 1: %+v", len(copies), copies)
	}
	c := copies[0].Message
	v := c.Value
	if copies[0].Partition != TeamPartition("", 4) || c.Origin.Offset != 0 || v.Copy != event.Aside || v.Team != "" || v.Verdict != event.Quarantined ||
		v.Reason != event.ReasonUndecodable || v.Received != received || v.Event.Time != received || v.Event.Source != event.GitHub ||
		v.Event.Entity != "github/acme" || v.Event.Defect != "action is no text" || v.Event.ID.String() != unread.ID {
		t.Errorf("got %+v", v)
	}
	if n := r.Counts(); n.Deliveries != 2 || n.Undecodable != 1 || n.Decoded != 0 || n.Quarantined != 0 {
		t.Errorf("counted as %+v", n)
	}
}
