package metrics

import (
	"slices"
	"testing"

	"meridian/ingest/event"
)

// givenOf are the hours' points of the last tick with what they said when they were final.
func givenOf(g *rig) (given []*Given) {
	for _, row := range g.rows {
		if p, ok := row.(*Point); ok && p.Grain == Hour {
			given = append(given, p.Given)
		}
	}
	return given
}

func TestPoint_SaysWhatItWasWhenItWasFinal(t *testing.T) {
	c := testConfig(t, "UTC")
	c.Definitions = ofMetric("t_wait")
	g := newRig(t, c)
	review := func(entity, opened, reviewed string) {
		g.send("web", entity, event.PullRequestOpened, opened)
		g.send("web", entity, event.ReviewSubmitted, reviewed)
	}
	want := func(what string, want ...*Given) {
		t.Helper()
		equal := slices.EqualFunc(givenOf(g), want, func(a, b *Given) bool {
			return a == nil && b == nil || a != nil && b != nil && *a == *b
		})
		if !equal {
			t.Errorf("%s: %v, want %v", what, givenOf(g), want)
		}
	}
	review("pr/1", "2026-03-02T08:00:00Z", "2026-03-02T09:30:00Z")
	g.tick("2026-03-02T09:40:00Z")
	want("while it is open", nil)
	g.tick("2026-03-02T10:15:00Z")
	want("when it closes", nil)

	review("pr/2", "2026-03-02T08:00:00Z", "2026-03-02T09:10:00Z")
	g.tick("2026-03-02T10:30:00Z")
	first := &Given{N: 1, Value: 5400}
	want("revised", first)

	// A snapshot in between does not forget it, and a second revision keeps the first.
	saved := sections(g.engine)
	other := newRig(t, c)
	if err := other.engine.Load(func(name string) ([]byte, error) { return saved[name], nil }); err != nil {
		t.Fatal(err)
	}
	other.offset = g.offset
	for _, r := range []*rig{g, other} {
		g = r
		review("pr/3", "2026-03-02T08:00:00Z", "2026-03-02T09:20:00Z")
		g.tick("2026-03-02T10:45:00Z")
		want("revised again", first)
	}

	// All of it moves to the hour before: the row is withdrawn, and still says what it was.
	for _, entity := range []string{"pr/1", "pr/2", "pr/3"} {
		g.send("web", entity, event.ReviewSubmitted, "2026-03-02T08:30:00Z")
	}
	g.tick("2026-03-02T11:00:00Z")
	want("withdrawn", nil, first)
}
