package metrics

import (
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// A delivery that could not be read is a row of rejects and nothing else: no
// count, no coverage, no point, and no team that readers would see.
func TestEngineAside(t *testing.T) {
	g := newRig(t, testConfig(t, "UTC"))
	g.send("", "github/acme", event.KindUnknown, "2026-03-02T09:00:00Z", func(r *event.Routed) {
		r.Copy, r.Verdict, r.Reason, r.Event.Defect, r.Event.ID = event.Aside, event.Quarantined, event.ReasonUndecodable, "no time", event.ID{7}
		r.Received = instant(t, "2026-03-02T09:00:00Z")
	})
	g.tick("2026-03-02T09:20:00Z")
	if len(g.rows) != 1 {
		t.Fatalf("%d rows, want 1: %+v", len(g.rows), g.rows)
	}
	r, ok := g.rows[0].(*RejectRow)
	if !ok || r.Team != "" || r.Reason != event.ReasonUndecodable || r.Detail != "no time" || r.ID != (event.ID{7}) || r.Entity != "github/acme" ||
		r.Received != instant(t, "2026-03-02T09:00:00Z") || r.Time != timeline.Millis(r.Received) {
		t.Errorf("got %+v", g.rows[0])
	}
	if g.tick("2026-05-02T09:20:00Z"); len(g.rows) != 0 {
		t.Errorf("later it gives %+v", g.rows)
	}
}
