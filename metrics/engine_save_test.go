package metrics

import (
	"bytes"
	"maps"
	"testing"

	"meridian/ingest/event"
)

// A row that stays as it is remembers what its window held; so the section
// changes although nothing is said.
func TestEngineSavesWhatIsFrozen(t *testing.T) {
	config := testConfig(t, "UTC")
	config.Definitions = ofMetric("t_wait")
	config.Definitions[0].Refire = Freeze
	g := newRig(t, config)
	g.send("web", "pr/1", event.PullRequestOpened, "2026-03-02T09:00:00Z")
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T09:10:00Z")
	g.tick("2026-03-04T00:20:00Z")
	sections(g.engine) // keeps them
	g.send("web", "pr/1", event.ReviewSubmitted, "2026-03-02T09:05:00Z")
	g.tick("2026-03-04T00:21:00Z")
	if n := g.engine.Counters().Frozen; n != 4 {
		t.Fatalf("%d windows stay as they are, want an hour, a day and twice 30 days", n)
	}
	got := sections(g.engine)
	wholly(g.engine)
	if want := sections(g.engine); !maps.EqualFunc(got, want, bytes.Equal) {
		t.Error("a section that has changed is kept")
	}
}
