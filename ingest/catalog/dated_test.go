package catalog

import (
	"slices"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// The service moves from a repository of its own into the monorepo on 1 March
// and gets another name there; canary is production from then on. Dates are
// Berlin's: its midnight is 23:00 UTC the day before.
const moving = `
zone: Europe/Berlin
production: [production, {value: canary, from: 2026-03-01}]
teams: [{name: shop, services: [checkout]}]
services:
  - name: checkout
    repositories: [{value: acme/checkout, to: 2026-02-28}, {value: acme/mono, from: 2026-03-01}]
    paths: {value: ["services/checkout/**"], from: 2026-03-01}
    deploys: ["checkout-*", {value: shop-checkout, from: 2026-03-01}]
`

func TestServicesAndEnvironmentsMayChangeOverTime(t *testing.T) {
	c := mustParse(t, moving)
	before, after := millis(t, "2026-02-28T22:59:59.999Z"), millis(t, "2026-02-28T23:00:00Z")
	for repository, at := range map[string]struct{ before, after []string }{
		"acme/checkout": {[]string{"checkout"}, nil},
		"acme/mono":     {nil, []string{"checkout"}},
	} {
		paths := []string{"services/checkout/main.go"}
		if got := c.Touched(repository, paths, before); !slices.Equal(got, at.before) {
			t.Errorf("%s before: %q", repository, got)
		}
		if got := c.Touched(repository, paths, after); !slices.Equal(got, at.after) {
			t.Errorf("%s after: %q", repository, got)
		}
	}
	if got := c.Touched("acme/checkout", []string{"README.md"}, before); !slices.Equal(got, []string{"checkout"}) {
		t.Errorf("paths that do not hold yet leave out %q", got)
	}
	if got := c.Touched("acme/mono", []string{"README.md"}, after); got != nil {
		t.Errorf("another path touches %q", got)
	}
	deployed := func(called, environment string) event.Event {
		return event.Event{Source: event.Deploy, Deployment: &event.Deployment{}, Scope: event.Scope{Service: called, Environment: environment}}
	}
	e := deployed("shop-checkout", "canary")
	for _, x := range []struct {
		at         timeline.Millis
		service    string
		home       string
		production bool
	}{{before, "shop-checkout", "shop-checkout", false}, {after, "checkout", "shop", true}, {before, "shop-checkout", "shop-checkout", false}} {
		e.Time = after // only the creation counts, where it is known
		e.Created = x.at
		if s, h, p := c.Service(e), c.Home(e), c.Production(e); s != x.service || h != x.home || p != x.production {
			t.Errorf("created at %d: service %q of %q, production %v; want %+v", e.Created, s, h, p, x)
		}
	}
	if hub := (event.Event{Source: event.GitHub, Time: before, Deployment: &event.Deployment{}, Scope: event.Scope{Repository: "acme/checkout"}}); c.Service(hub) != "checkout" {
		t.Errorf("the one service of a repository is %q", c.Service(hub))
	}
	if hub := (event.Event{Source: event.GitHub, Time: after, Deployment: &event.Deployment{}, Scope: event.Scope{Repository: "acme/checkout"}}); c.Service(hub) != "acme/checkout" {
		t.Errorf("a repository that it has left has the service %q", c.Service(hub))
	}
}
