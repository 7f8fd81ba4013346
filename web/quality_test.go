package web_test

import (
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/webtest"
)

func TestQuality_TheRangeIsOfBothTables(t *testing.T) {
	o := webtest.Acme()
	old := o.RejectRows[1]
	old.Received, old.Entity = webtest.Clock-20*timeline.Day, "deploy/ci/run-1/old"
	o.RejectRows = append(o.RejectRows, old)
	s := newServer(t, o)
	week, month := page(t, s, "/quality"), page(t, s, "/quality?range=30d")
	contains(t, week, "run-42", "Others were received before this range.", "by time of receipt, 25 Feb – 3 Mar, Europe/Berlin", `<span class="word">too late</span>`)
	contains(t, month, "run-42", "run-1/old")
	if strings.Contains(week, "run-1/old") || strings.Contains(month, "Others were received before") {
		t.Error("the range does not bound the list")
	}
}

func TestQuality_CountsWhatCouldNotBeRead(t *testing.T) {
	o := webtest.Empty()
	o.AsOfAnswer = metrics.AsOf{Generation: 1, Clock: webtest.Clock}
	s := newServer(t, o)
	const all = "Every event received in this range that is no duplicate was taken in whole."
	contains(t, page(t, s, "/quality"), all)
	src := &o.SourceList[0]
	src.Undecoded, src.Trouble, src.Why = 2, webtest.Clock, "it could not be decoded: it has no time"
	text := page(t, s, "/quality")
	contains(t, text, "Could not be read", "Of what could be read", "it has no time", "3 Mar, 15:05 Europe/Berlin")
	if strings.Contains(text, all) {
		t.Error("it says that all was accepted")
	}
}

// Instants have one form on the status page, with their zone.
func TestStatus_HasOneFormOfInstants(t *testing.T) {
	text := page(t, newServer(t, webtest.Acme()), "/status")
	contains(t, text, "events 0: clock 3 Mar, 15:05 Europe/Berlin", "<dt>Clock of the engine</dt>")
	if n := strings.Count(text, "15:05 Europe/Berlin"); n != strings.Count(text, "15:05") || n < 4 {
		t.Errorf("%d of %d instants name their zone", n, strings.Count(text, "15:05"))
	}
	if strings.Contains(text, ">2026-") || strings.Contains(text, " 2026-03") {
		t.Error("an instant in another form")
	}
}
