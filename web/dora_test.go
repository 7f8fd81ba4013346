package web_test

import (
	"net/http"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/web"
	"meridian/web/webtest"
)

func TestDORA_SaysWhatItIsMadeOfAndWhatIsMissing(t *testing.T) {
	o := byHand(t)
	put := func(metric metrics.Name, entity, service string, change func(*metrics.Observation)) {
		r := metrics.ObservationRow{Team: "web", Observation: metrics.Observation{
			Metric: metric, At: at(t, "2026-03-02T10:00:00Z"), Value: 1, Outcome: metrics.Observed, Primary: true, Entity: event.EntityID(entity), Service: service,
		}}
		if change != nil {
			change(&r.Observation)
		}
		o.Rows = append(o.Rows, r)
	}
	put("deploy_frequency", "d/1", "shop", nil)
	put("deploy_frequency", "d/2", "shop", func(r *metrics.Observation) { r.Outcome, r.Reason = metrics.Excluded, metrics.NotProduction })
	put("change_failure_rate", "d/1", "shop", func(r *metrics.Observation) { r.Outcome, r.Reason = metrics.Excluded, metrics.NoIncidentSource })
	put("lead_time", "d/1", "shop", func(r *metrics.Observation) { r.Value, r.Basis = 3600_000, "measured" })
	o.Covered = append(o.Covered, metrics.CoverageRow{Team: "web", Source: event.Deploy, From: at(t, "2026-02-27T12:00:00Z"), Last: webtest.Clock})

	for _, target := range []string{"/dora", "/dora?team=web"} {
		page := body(t, request(t, newServer(t, o), "GET", target))
		contains(t, page, "1 production deployment seen.", "1 deployment went to another environment.", "There is no incident source for shop.",
			"1 change deployed.", "Nothing so far.")
		if n := strings.Count(page, `<section class="dora"`); n != 5 {
			t.Errorf("%s shows %d of the five", target, n)
		}
	}
	if r := request(t, newServer(t, o), "GET", "/dora?team=nobody"); r.StatusCode != http.StatusNotFound {
		t.Errorf("a team that is not there: %s", r.Status)
	}
	contains(t, body(t, request(t, newServer(t, webtest.Empty()), "GET", "/dora")), "There are no numbers yet")
}

func TestMetric_ShowsTheTeamsTarget(t *testing.T) {
	o := byHand(t)
	s := newServer(t, o)
	if page := body(t, request(t, s, "GET", "/teams/web/pr_pickup_time")); strings.Contains(page, "target:") {
		t.Error("a target that nobody has set")
	}
	o.Targets = map[string]*web.Target{"web pr_pickup_time": {Low: 7200, High: 7200, Text: "2h"}, "web pr_merged": {Low: 2, High: 5, Text: "2..5"},
		"web pr_opened": {Low: 3, High: 3, Text: "3"}}
	contains(t, body(t, request(t, s, "GET", "/teams/web/pr_pickup_time")), "target: 2h or less", `<rect class="goal"`)
	contains(t, body(t, request(t, s, "GET", "/teams/web/pr_merged")), "target: 2..5</")
	// A metric without a better side has a line, and no side of it.
	contains(t, body(t, request(t, s, "GET", "/teams/web/pr_opened")), "target: 3</")
	if page := body(t, request(t, s, "GET", "/teams/core/pr_pickup_time")); strings.Contains(page, "target:") {
		t.Error("another team's target")
	}
}

// What rightly does not count is no gap in the data.
func TestDORA_KeepsWhatIsLeftOutApartFromWhatIsMissing(t *testing.T) {
	o := byHand(t)
	for i, reason := range []metrics.Reason{"", metrics.NotProduction, metrics.NeverSucceeded} {
		r := metrics.ObservationRow{Team: "web", Observation: metrics.Observation{
			Metric: "deploy_frequency", At: at(t, "2026-03-02T10:00:00Z"), Value: 1, Outcome: metrics.Observed, Primary: true, Entity: event.EntityID(reason), Item: string(rune('a' + i)),
		}}
		if reason != "" {
			r.Outcome, r.Reason = metrics.Excluded, reason
		}
		o.Rows = append(o.Rows, r)
	}
	o.Covered = append(o.Covered, metrics.CoverageRow{Team: "web", Source: event.Deploy, From: at(t, "2026-02-27T12:00:00Z"), Last: webtest.Clock})
	contains(t, plain(page(t, newServer(t, o), "/dora?team=web")),
		"1 production deployment seen. Left out by definition 1 deployment went to another environment. 1 attempt never succeeded. Missing Nothing: all of it could be computed.")
}
