package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/web"
	"meridian/web/webtest"
)

func evidence(t *testing.T, s *web.Server, query string, headers ...string) (items []web.EvidenceJSON, status int) {
	t.Helper()
	r := request(t, s, "GET", "/api/v1/evidence?"+query, headers...)
	var answer struct{ Items []web.EvidenceJSON }
	if r.StatusCode == 200 {
		if err := json.Unmarshal([]byte(body(t, r)), &answer); err != nil {
			t.Fatal(err)
		}
	}
	return answer.Items, r.StatusCode
}

const aWeek = "metric=after_hours&from=2026-02-16&to=2026-02-28"

func TestPeopleEvidence_IsCountsByClassAndDay(t *testing.T) {
	o := byHand(t)
	acted(t, o, "web", 1, 4, 6)
	s := newServer(t, o, proxied)
	items, status := evidence(t, s, aWeek+"&team=web", as("people")...)
	if status != 200 || len(items) == 0 {
		t.Fatalf("%d, %d items", status, len(items))
	}
	shown := map[string]bool{}
	for _, p := range pointsAs(t, s, "metric=after_hours&grain=day&team=web&from=2026-02-16&to=2026-02-28", as("people")...) {
		shown[p.Start] = p.Value != nil
	}
	for _, i := range items {
		if i.Basis != "count" || i.URL != "" || i.Value == nil || *i.Value < 1 || strings.Contains(i.Entity, "person") {
			t.Errorf("%+v", i)
		}
		if !shown[*i.Start] {
			t.Errorf("%s is withheld as a number", *i.Start)
		}
	}
	for _, who := range []string{"viewer", "admin"} {
		if _, status := evidence(t, s, aWeek+"&team=web", as(who)...); status != 403 {
			t.Errorf("%s: %d", who, status)
		}
	}
	if _, status := evidence(t, s, aWeek+"&team=core", as("of-web-people")...); status != 403 {
		t.Errorf("another team: %d", status)
	}
}

func TestPeopleEvidence_EverybodySeesTheirOwn(t *testing.T) {
	o := byHand(t)
	acted(t, o, "web", 1, 4, 6)
	s := newServer(t, o, proxied, func(c *web.Config) {
		c.PersonOf = func(name string) event.PersonID {
			if name == "mai" {
				return webtest.Person(2)
			}
			return event.PersonID{}
		}
	})
	items, status := evidence(t, s, aWeek+"&team=web&person=me", as("viewer")...)
	if status != 200 || len(items) != 5 {
		t.Fatalf("%d, %d items", status, len(items))
	}
	for _, i := range items {
		if i.Entity != "person/2" {
			t.Errorf("somebody else's: %+v", i)
		}
	}
	for query, want := range map[string]int{"person=me&team=core": 200, "person=jonas&team=web": 400, "team=web": 403} {
		if items, status := evidence(t, s, aWeek+"&"+query, as("viewer")...); status != want || len(items) > 0 {
			t.Errorf("%s: %d, %v", query, status, items)
		}
	}
	if _, status := evidence(t, s, aWeek+"&person=me&team=web", "X-User", "nobody", "X-Groups", "viewer"); status != 403 {
		t.Errorf("whom the catalog does not know: %d", status)
	}
	if _, status := evidence(t, s, aWeek+"&person=me&team=core", as("of-web")...); status != 403 {
		t.Errorf("a team that one may not see: %d", status)
	}
}
