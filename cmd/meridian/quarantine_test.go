package main

import (
	"strings"
	"testing"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// What a retry would bring: only what could not pass when it came and can now.
func TestWhatPassesNow(t *testing.T) {
	q := &quarantine{skew: 10 * timeline.Minute}
	const then, now = 1000 * timeline.Day, 1001 * timeline.Day
	e := func(id byte, at timeline.Millis, defect string) event.Event {
		return event.Event{ID: event.ID{id}, Time: at, Defect: defect}
	}
	d := func(received timeline.Millis, o ingest.Outcome, events ...event.Event) *ingest.LoggedDelivery {
		return &ingest.LoggedDelivery{Delivery: ingest.Delivery{Received: received}, Outcome: o, Reason: "no time", Events: events}
	}
	const ok, unread = ingest.OutcomeAccepted, ingest.OutcomeUndecodable
	for name, x := range map[string]struct {
		old, again *ingest.LoggedDelivery
		n          int
		why        string
	}{
		"still unreadable":          {d(then, unread), d(now, unread), 0, "still cannot be read: no time"},
		"readable now":              {d(then, unread), d(now, ok, e(1, then, "")), 1, ""},
		"readable, and no event":    {d(then, unread), d(now, ingest.OutcomeIgnored), 1, ""},
		"its time has come":         {d(then, ok, e(1, then, ""), e(2, then+timeline.Hour, "")), d(now, ok, e(1, then, ""), e(2, then+timeline.Hour, "")), 1, ""},
		"its time has not come":     {d(then, ok, e(2, now+timeline.Hour, "")), d(now, ok, e(2, now+timeline.Hour, "")), 0, "future"},
		"the skew counts":           {d(then, ok, e(2, now+10*timeline.Minute, "")), d(now, ok, e(2, now+10*timeline.Minute, "")), 1, ""},
		"the defect is still there": {d(then, ok, e(1, then, ""), e(2, then, "no SHA")), d(now, ok, e(1, then, ""), e(2, then, "no SHA")), 0, "invalid, no SHA"},
		"the defect is gone":        {d(then, ok, e(1, then, ""), e(2, then, "no SHA")), d(now, ok, e(1, then, ""), e(3, then, "")), 1, ""},
		"a conflict of ids":         {d(then, ok, e(1, then, "")), d(now, ok, e(1, then, "")), 1, ""},
	} {
		n, why := q.passing(x.old, x.again)
		if n != x.n || n == 0 && !strings.Contains(why, x.why) {
			t.Errorf("%s: %d, %q; want %d, %q", name, n, why, x.n, x.why)
		}
	}
}

func TestPlaces(t *testing.T) {
	if p, o, err := placeOf("3-1234"); p != 3 || o != 1234 || err != nil {
		t.Errorf("%d, %d, %v", p, o, err)
	}
	for _, id := range []string{"", "3", "3-", "-4", "a-b", "3-4-5", "-1-5", "99999999999-1", "1--2"} {
		if _, _, err := placeOf(id); err == nil {
			t.Errorf("%q is a place", id)
		}
	}
}
