package web_test

import (
	"fmt"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// acts gives a team after-hours acts: one of each of n people.
func acts(t testing.TB, o *webtest.Organisation, team string, first, n int, when string) {
	for i := range n {
		o.Rows = append(o.Rows, metrics.ObservationRow{Team: team, Observation: metrics.Observation{
			Metric: "after_hours", Entity: event.EntityID(fmt.Sprintf("person/%d", first+i)), At: at(t, when), Value: 1, Hit: i == 0,
			Outcome: metrics.Observed, Person: webtest.Person(first + i), Primary: true, Known: event.ZoneConfigured,
		}})
	}
}

// A Tuesday, and the day after, by whose end it is settled who was active.
const afterHours = "metric=after_hours&from=2026-02-24&to=2026-02-24"

// acted is acts on that Tuesday, and by so many people on the days around it.
func acted(t testing.TB, o *webtest.Organisation, team string, first, n, around int) {
	for _, day := range []string{"2026-02-22", "2026-02-23", "2026-02-25", "2026-02-26"} {
		acts(t, o, team, first, around, day+"T20:00:00Z")
	}
	acts(t, o, team, first, n, "2026-02-24T20:00:00Z")
}

const (
	tuesday  = "2026-02-23T23:00:00Z 2026-02-24T23:00:00Z "
	withheld = tuesday + "n=0 null final below_min_people"
)

func TestGuard_NeedsEnoughPeople(t *testing.T) {
	for n, want := range map[int]string{
		4: "web " + withheld,
		5: "web " + tuesday + "n=5 0.2 final",
	} {
		o := byHand(t)
		acted(t, o, "web", 1, n, 6)
		a := points(t, newServer(t, o), afterHours+"&grain=day&team=web")
		expect(t, a.Points, want)
		if p := a.Points[0]; n == 4 && (p.Numerator != nil || p.Zones.Configured != 0 || p.Classes.Working != 0 || p.Sum != nil) {
			t.Errorf("a withheld point tells %+v", p)
		}
	}
}

func TestGuard_FourActsOfOnePersonAreOnePerson(t *testing.T) {
	o := byHand(t)
	for range 9 {
		acted(t, o, "web", 1, 1, 1)
	}
	expect(t, points(t, newServer(t, o), afterHours+"&grain=day&team=web").Points,
		"web "+withheld)
}

func TestGuard_ThatNobodyWasActiveIsWithheldToo(t *testing.T) {
	expect(t, points(t, newServer(t, byHand(t)), "metric=after_hours&from=2026-03-02&to=2026-03-02&grain=day&team=web").Points,
		"web 2026-03-01T23:00:00Z 2026-03-02T23:00:00Z n=0 null final below_min_people")
}

// On one's own machine days without anybody hide nothing, and what is over is shown.
func TestGuard_ADayOfEnoughIsShownAtOnceOnOnesOwnMachine(t *testing.T) {
	o := byHand(t)
	acts(t, o, "web", 1, 6, "2026-03-02T20:00:00Z")
	const query, start = "metric=after_hours&from=2026-03-02&to=2026-03-02&grain=day&team=web", "web 2026-03-01T23:00:00Z 2026-03-02T23:00:00Z "
	expect(t, points(t, newServer(t, o), query).Points, start+"n=6 0.16666666666666666 final")
	expect(t, points(t, newServer(t, o, func(c *web.Config) { c.Shared = true }), query).Points, start+"n=0 null final below_min_people")
}

func TestGuard_MergesFirstAndJudgesAfter(t *testing.T) {
	o := byHand(t)
	acted(t, o, "web", 1, 3, 3)
	acted(t, o, "core", 11, 3, 3)
	s := newServer(t, o)
	expect(t, points(t, s, afterHours+"&grain=day&scope=org").Points, "org "+tuesday+"n=6 0.3333333333333333 final")
	// The same three in both teams are three people.
	o = byHand(t)
	acted(t, o, "web", 1, 3, 3)
	acted(t, o, "core", 1, 3, 3)
	expect(t, points(t, newServer(t, o), afterHours+"&grain=day&scope=org").Points, "org "+withheld)
}

func TestGuard_OnlyKnownPeopleCount(t *testing.T) {
	o := byHand(t)
	acted(t, o, "web", 1, 6, 6)
	s := newServer(t, o, func(c *web.Config) { c.Known = func(p event.PersonID) bool { return p[0] < 5 } })
	expect(t, points(t, s, afterHours+"&grain=day&team=web").Points, "web "+withheld)
}

func TestGuard_NeverBelowADayOnASharedServer(t *testing.T) {
	o := webtest.Acme()
	shared, own := newServer(t, o, func(c *web.Config) { c.Shared = true }), newServer(t, o)
	const hours = "/api/v1/points?metric=after_hours&team=web&grain=hour&from=2026-03-02"
	if r := request(t, shared, "GET", hours); r.StatusCode != 403 {
		t.Errorf("shared: %s", r.Status)
	}
	if r := request(t, own, "GET", hours); r.StatusCode != 200 {
		t.Errorf("one's own: %s", r.Status)
	}
	// Asked for all metrics, the others are answered.
	a := points(t, shared, "team=web&grain=hour&from=2026-03-03")
	for _, p := range a.Points {
		if p.Metric == "after_hours" {
			t.Fatal("by the hour after all")
		}
	}
	if len(a.Points) == 0 {
		t.Error("nothing at all")
	}
	text := page(t, shared, "/teams/web/after_hours?grain=hour")
	contains(t, text, "never shown by the hour")
	if strings.Contains(text, "data-chart") || strings.Contains(text, "In numbers") {
		t.Error("the page has a chart or a table")
	}
}

func TestGuard_PeopleHaveNoEvidence(t *testing.T) {
	s := newServer(t, webtest.Acme())
	if r := request(t, s, "GET", "/api/v1/evidence?metric=after_hours&team=web"); r.StatusCode != 403 {
		t.Errorf("API: %s", r.Status)
	}
	text := page(t, s, "/teams/web/after_hours")
	if strings.Contains(text, "Behind these numbers") || strings.Contains(text, "act-1") {
		t.Error("the page lists acts")
	}
	contains(t, page(t, s, "/teams/web/pr_pickup_time"), "Behind these numbers")
}

// All of what is withheld somewhere is withheld everywhere.
func TestGuard_PagesWithholdWhatTheAPIWithholds(t *testing.T) {
	s := newServer(t, webtest.Acme(), func(c *web.Config) { c.MinPeople = 100 })
	for _, target := range []string{"/", "/teams/web", "/teams/web/after_hours", "/teams/web/after_hours?grain=day30"} {
		contains(t, page(t, s, target), "Too few people were active")
	}
	for _, grain := range []string{"day", "day30", "week", "month", "range"} {
		for _, scope := range []string{"team=web", "scope=group:shop", "scope=org", ""} {
			for _, p := range points(t, s, "metric=after_hours&from=2026-02-01&grain="+grain+"&"+scope).Points {
				if p.Value != nil || p.N != 0 {
					t.Errorf("%s %s: %s", grain, scope, line(p))
				}
			}
		}
	}
}

// A heatmap is finer than a day: where others read, it is shown of windows of which
// no two can be subtracted down to some days, and not of days and weeks.
func TestGuard_AWeekByHoursIsNeverFinerThanFourWeeks(t *testing.T) {
	o := byHand(t)
	for day := range 60 {
		for person := range 6 {
			when := at(t, "2026-01-01T10:00:00Z") + timeline.Millis(day)*timeline.Day
			o.Rows = append(o.Rows, metrics.ObservationRow{Team: "web", Observation: metrics.Observation{
				Metric: "work_heatmap", Entity: event.EntityID(fmt.Sprintf("act/%d/%d", day, person)), At: when, Value: 1, Outcome: metrics.Observed,
				Person: webtest.Person(person + 1), Primary: true, Known: event.ZoneConfigured, Slot: metrics.SlotOf(webtest.Zone("Europe/Berlin"), when),
			}})
		}
	}
	count := func(s *web.Server, grain string) (n int) {
		for _, p := range points(t, s, "metric=work_heatmap&team=web&from=2025-12-01&grain="+grain).Points {
			if p.Value != nil {
				n++
			}
		}
		return n
	}
	shared, own := newServer(t, o, func(c *web.Config) { c.Shared = true }), newServer(t, o)
	for grain, want := range map[string]int{"day": 0, "week": 0, "month": 0, "range": 0, "day30": 2} {
		if got := count(shared, grain); got != want {
			t.Errorf("shared: %d windows of %s are shown, want %d", got, grain, want)
		}
	}
	if got := count(own, "day"); got < 30 {
		t.Errorf("on one's own machine: %d days", got)
	}
}
