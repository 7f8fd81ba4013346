package web_test

import (
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

func TestQualityPage_ShowsBoundsGapsAndWhatCouldNotBeRead(t *testing.T) {
	o := webtest.Acme()
	for i := range o.Covered {
		if c := &o.Covered[i]; c.Team == "web" && c.Source == event.Jira {
			c.Gaps = []timeline.Window{
				{Start: at(t, "2026-03-01T10:00:00Z"), End: at(t, "2026-03-01T12:30:00Z")},
				{Start: at(t, "2025-12-01T10:00:00Z"), End: at(t, "2025-12-01T12:00:00Z")}, // before the range
			}
		}
	}
	text := plain(page(t, newServer(t, o, func(c *web.Config) { c.Bounds = webtest.Bounds }), "/quality"))
	contains(t, text, "Clocks and bounds", "github 48,210 2 s 38 s 6 h 5 min",
		"More come late than the budget allows: set it to 2 h", "Gaps", "Jira web 1 Mar, 11:00 1 Mar, 13:30 2 h 30 min", "2 deliveries could not be read")
	if n := strings.Count(text, "Jira web"); n != 1 {
		t.Errorf("%d gaps", n)
	}
	text = plain(page(t, newServer(t, o), "/quality"))
	if strings.Contains(text, "Clocks and bounds") {
		t.Error("bounds that nobody measures")
	}
}
