package web_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// two months of reviews by hand: 2 h each until 30 days ago, 6 h each since, ten a month.
func twoMonths(t *testing.T) *webtest.Organisation {
	o := byHand(t)
	o.Rows = nil
	for i := range o.Covered {
		o.Covered[i].From = at(t, "2025-10-01T00:00:00Z")
	}
	put := func(days int, hours int64) {
		o.Rows = append(o.Rows, metrics.ObservationRow{Team: "web", Observation: metrics.Observation{
			Metric: "pr_pickup_time", At: webtest.Clock - timeline.Millis(days)*timeline.Day, Value: hours * 3600 * 1000, Outcome: metrics.Observed, Primary: true,
			Entity: event.EntityID(fmt.Sprint("e", days)), Label: fmt.Sprintf("acme/web#%d", days), URL: "https://github.example/x",
		}})
	}
	for i := range 10 {
		put(3*i+1, 6)
		put(3*i+32, 2)
		put(3*i+62, 2)
	}
	o.Rows[0].Value = 40 * 3600 * 1000 // acme/web#1, yesterday
	return o
}

func plain(text string) string {
	text = regexp.MustCompile(`(<[^>]*>)+`).ReplaceAllString(text, " ")
	return regexp.MustCompile(`[\s\x{202f}]+`).ReplaceAllString(text, " ")
}

func TestTeamPage_SaysWhatMovedAndWhy(t *testing.T) {
	s := newServer(t, twoMonths(t))
	text := page(t, s, "/teams/web")
	moved := plain(text[strings.Index(text, `id="moved"`):strings.Index(text, `class="families"`)])
	contains(t, moved, "Pickup time ↑ 200 %", "2 h → 6 h", "The longest: acme/web#1 (opens its own page) 40 h · acme/web#4")
	over := plain(page(t, s, "/"))
	contains(t, over, "What changed", "web Pickup time ↑ 200 % worse 2 h → 6 h")
	// A number that is covered for a part of the time only did not grow.
	o := twoMonths(t)
	for i := range o.Covered {
		o.Covered[i].From = webtest.Clock - 40*timeline.Day
	}
	contains(t, plain(page(t, newServer(t, o), "/teams/web")), "Nothing: every number is where it was")
}

// The band is of the two months before the line: all its windows are 2 h, so it
// has no width until one differs.
func TestTeamPage_ShowsItsOwnPast(t *testing.T) {
	o := twoMonths(t)
	for i := range o.Rows {
		if l := o.Rows[i].Label; l == "acme/web#80" || l == "acme/web#83" || l == "acme/web#86" {
			o.Rows[i].Value = 3 * 3600 * 1000
		}
	}
	s := newServer(t, o)
	contains(t, plain(page(t, s, "/teams/web?grain=day")), "Pickup time 40 h", "Mon 2 Mar usually 2 h to 3 h")
	contains(t, plain(page(t, s, "/teams/web?grain=hour")), "Hours", "Pickup time 40 h", "Mon 2 Mar, 15:00–16:00")
	if r := request(t, s, "GET", "/teams/web?grain=week", "Accept", asBrowser); r.StatusCode != 400 {
		t.Error(r.Status)
	}
}

func TestTeamPage_HasItsWeekAndKeepsHoursOfPeopleBack(t *testing.T) {
	s := newServer(t, webtest.Acme(), func(c *web.Config) { c.Shared = true })
	text := plain(page(t, s, "/teams/web?grain=hour"))
	contains(t, text, "The week", "After-hours work no data A number about people is never shown by the hour")
	if strings.Contains(text, "After-hours work 1") {
		t.Error("an hour of people is shown")
	}
}

func TestBand(t *testing.T) {
	points := func(values ...float64) (out []*metrics.Point) {
		for _, v := range values {
			p := &metrics.Point{Definition: metrics.Find("pr_merged"), Aggregate: new(metrics.Aggregate)}
			p.Aggregate.All.N = int64(v)
			if math.IsNaN(v) {
				p.Missing = metrics.NothingObserved
			}
			out = append(out, p)
		}
		return out
	}
	if got := fmt.Sprint(web.BandForTest(points(9, 1, 2, 3, 4, 5, 6, 7, 8, 100))); got != "{2 9 true}" {
		t.Errorf("eight in ten are %s", got)
	}
	if got := fmt.Sprint(web.BandForTest(points(1, 2, 3, 4, 5, 6, 7, math.NaN(), math.NaN()))); got != "{0 0 false}" {
		t.Error("seven windows make a band")
	}
}
