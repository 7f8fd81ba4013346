package web

import (
	"net/url"
	"testing"

	"meridian/streaming/timeline"
)

// A window that begins ahead of the clock, as all do before the first tick, holds
// nothing; one whose end was asked for before its beginning is a mistake.
func TestParams_WindowAheadOfTheClock(t *testing.T) {
	berlin, err := timeline.LoadZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	ahead := newParams(url.Values{"from": {"2026-11-25"}}, "from", "to")
	if w := ahead.window(berlin, timeline.Window{Start: 0, End: timeline.Hour}); ahead.err != nil || w.Length() != 1 {
		t.Errorf("%s, %v; want the shortest window and no error", w, ahead.err)
	}
	back := newParams(url.Values{"from": {"2026-11-25"}, "to": {"2026-11-20"}}, "from", "to")
	if back.window(berlin, timeline.Window{}); back.err == nil {
		t.Error("from behind to is no error")
	}
	first := newParams(url.Values{"from": {"1970-01-01"}}, "from", "to")
	if w := first.window(berlin, timeline.Window{End: timeline.Day}); first.err != nil || w.Start != -timeline.Hour {
		t.Errorf("%s, %v; want the first midnight of Berlin", w, first.err)
	}
}
