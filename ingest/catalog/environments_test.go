package catalog

import (
	"testing"

	"meridian/ingest/event"
)

func TestProduction(t *testing.T) {
	const defaults = ""
	for _, tc := range []struct {
		catalog, environment string
		says, want           bool
	}{
		{defaults, "production", false, true},
		{defaults, "Production", false, true},
		{defaults, "prod", false, true},
		{defaults, "prod-eu", false, true},
		{defaults, "prod/eu", false, true},
		{defaults, "PROD_US", false, true},
		{defaults, "live", false, true},
		{defaults, "staging", false, false},
		{defaults, "preprod", false, false},
		{defaults, "live-preview", false, false},
		{defaults, "", false, false},
		{defaults, "github-pages", false, false},
		{defaults, "staging", true, true},
		{defaults, "", true, true},
		{`production: [main]`, "main", false, true},
		{`production: [main]`, "production", false, false},
		{`production: main`, "MAIN", false, true},
		{`production: ["*"]`, "", false, true},
		{`production: ["*"]`, "anything", false, true},
		{`production: ["*"]`, "github-pages", false, false},
		{`production: ["*"]`, "GitHub-Pages", false, false},
		{`production: [github-pages]`, "github-pages", false, true},
		{`production: ["?"]`, "", false, false},
		{`production: []`, "production", false, false},
		{`production: []`, "production", true, true},
		{`production: ["eu-?/live"]`, "eu-1/live", false, true},
		{`production: ["*eu*prod*"]`, "west-eu-1-prod-a", false, true},
		{`production: ["*eu*prod"]`, "west-eu-1-prod-a", false, false},
	} {
		c := mustParse(t, tc.catalog)
		e := event.Event{Scope: event.Scope{Environment: tc.environment}, Deployment: &event.Deployment{SaysProduction: tc.says}}
		if got := c.Production(e); got != tc.want {
			t.Errorf("%q in %q (payload says %v): %v", tc.environment, tc.catalog, tc.says, got)
		}
	}
	if Empty(Options{}).Production(event.Event{Scope: event.Scope{Environment: "production"}}) {
		t.Error("what is no deployment is one to production")
	}
}
