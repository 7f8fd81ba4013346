package catalog

import (
	"slices"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

const organisation = `
teams:
  - {name: web, zone: Asia/Ho_Chi_Minh, repositories: [acme/web, "acme/web-*"], jira: [WEB], services: [checkout]}
  - {name: search, repositories: ["acme/search/**", {value: "acme/shared", to: 2026-02-28}], jira: ["SE*"], services: [search, "index-*"]}
  - name: platform
    repositories:
      - acme/*
      - {value: [acme/shared], from: 2026-03-01}
    jira: [{value: OPS, from: 2026-03-01}]
    services: [{value: mail, to: 2026-03-31}]
services:
  - {name: checkout, repositories: [acme/mono], paths: ["services/checkout/**", "/go.mod"], deploys: ["checkout-*"], incidents: {jira: OPS, components: [Checkout]}}
  - {name: search, repositories: [acme/mono], paths: [services/search/**], incidents: {jira: OPS}}
  - {name: docs, repositories: [acme/web-docs]}
  - {name: Ledger, repositories: ["acme/led*"], deploys: ["deploy:ledger", ledger]}
`

func repository(name string, created string) func(testing.TB) event.Event {
	return func(t testing.TB) event.Event {
		return event.Event{Source: event.GitHub, Created: millis(t, created), Time: millis(t, "2026-06-01T00:00:00Z"), Scope: event.Scope{Provider: "github", Name: "acme", Repository: name}, PullRequest: &event.PullRequest{}}
	}
}

func project(key string, created string) func(testing.TB) event.Event {
	return func(t testing.TB) event.Event {
		return event.Event{Source: event.Jira, Created: millis(t, created), Scope: event.Scope{Provider: "jira", Name: "cloud", Project: key}, Issue: &event.Issue{}}
	}
}

func deployment(scope event.Scope, task ...string) func(testing.TB) event.Event {
	return func(t testing.TB) event.Event {
		source := event.Deploy
		if scope.Provider == "github" {
			source = event.GitHub
		}
		return event.Event{Source: source, Time: millis(t, "2026-03-15T12:00:00Z"), Scope: scope, Deployment: &event.Deployment{Task: strings.Join(task, "")}}
	}
}

func TestHome(t *testing.T) {
	const march = "2026-03-15T12:00:00Z"
	c := mustParse(t, organisation)
	for _, tc := range []struct {
		name, want string
		event      func(testing.TB) event.Event
	}{
		{"repository by name", "web", repository("acme/web", march)},
		{"in any case", "web", repository("Acme/Web", march)},
		{"by pattern", "web", repository("acme/web-admin", march)},
		{"first in file order, although platform matches too", "web", repository("acme/web-docs", march)},
		{"by a later team", "platform", repository("acme/other", march)},
		{"* does not cross /", "search", repository("acme/search/deep/er", march)},
		{"of nobody: its own team", "other/web", repository("other/web", march)},
		{"before the border, dates are UTC's", "search", repository("acme/shared", "2026-02-28T23:59:59Z")},
		{"after the border", "platform", repository("acme/shared", "2026-03-01T00:00:00Z")},
		{"project", "web", project("WEB", march)},
		{"project in any case", "web", project("web", march)},
		{"project by pattern", "search", project("SEO", march)},
		{"project of nobody", "HR", project("HR", march)},
		{"project from a date on", "platform", project("OPS", march)},
		{"project before its date", "OPS", project("OPS", "2026-02-15T00:00:00Z")},
		{"service of a team, wherever it is deployed from", "web", deployment(event.Scope{Provider: "deploy", Service: "checkout", Repository: "acme/other"})},
		{"service by the deploy system's name", "web", deployment(event.Scope{Provider: "argocd", Service: "checkout-eu"})},
		{"service that only a team names", "platform", deployment(event.Scope{Provider: "deploy", Service: "mail"})},
		{"service by a team's pattern", "search", deployment(event.Scope{Provider: "deploy", Service: "index-eu"})},
		{"service of no team, repository of one", "platform", deployment(event.Scope{Provider: "deploy", Service: "billing", Repository: "acme/other"})},
		{"service of no team, repository of none", "other/x", deployment(event.Scope{Provider: "deploy", Service: "billing", Repository: "other/x"})},
		{"service of no team and no repository", "billing", deployment(event.Scope{Provider: "deploy", Service: "billing"})},
		{"described service: the team of its repository", "web", deployment(event.Scope{Provider: "deploy", Service: "docs"})},
		{"described service whose repository is a pattern", "Ledger", deployment(event.Scope{Provider: "deploy", Service: "ledger"})},
		{"GitHub deployment in a repository", "web", deployment(event.Scope{Provider: "github", Repository: "acme/web"})},
		{"GitHub deployment whose payload names a service", "search", deployment(event.Scope{Provider: "github", Repository: "acme/mono", Service: "search"})},
		{"GitHub deployment of a repository of several services", "platform", deployment(event.Scope{Provider: "github", Repository: "acme/mono"}, "deploy")},
		{"nothing but a source", "ci", deployment(event.Scope{Provider: "deploy", Name: "ci"})},
	} {
		for range 2 { // computed, then remembered
			if got := c.Home(tc.event(t)); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
			}
		}
	}
	// Before its creation is known, the time of the event stands for it.
	e := repository("acme/shared", march)(t)
	e.Created, e.Time = 0, millis(t, "2026-02-01T00:00:00Z")
	if got := c.Home(e); got != "search" {
		t.Errorf("by the event's own time: %q", got)
	}
}

func TestHomeWithoutCatalog(t *testing.T) {
	c := Empty(Options{})
	for want, e := range map[string]func(testing.TB) event.Event{
		"acme/web": repository("acme/web", "2026-03-15T12:00:00Z"),
		"OPS":      project("OPS", "2026-03-15T12:00:00Z"),
		"checkout": deployment(event.Scope{Provider: "deploy", Service: "checkout"}),
		"acme/api": deployment(event.Scope{Provider: "deploy", Service: "checkout", Repository: "acme/api"}),
		"acme/gh":  deployment(event.Scope{Provider: "github", Repository: "acme/gh"}, "deploy"),
	} {
		if got := c.Home(e(t)); got != want {
			t.Errorf("home %q, want %q", got, want)
		}
	}
}

// Ownership changes hands at midnight in the team's own zone.
func TestOwnershipEndsAtTheTeamsMidnight(t *testing.T) {
	c := mustParse(t, `
zone: Europe/Berlin
teams:
  - {name: web, zone: Asia/Ho_Chi_Minh, repositories: [{value: acme/web, to: 2026-02-28}]}
  - {name: api, repositories: [acme/web]}
`)
	border := millis(t, "2026-02-28T17:00:00Z")
	home := func(at timeline.Millis) string {
		return c.Home(event.Event{Created: at, Scope: event.Scope{Repository: "acme/web"}})
	}
	if home(border-1) != "web" || home(border) != "api" {
		t.Errorf("%q, then %q", home(border-1), home(border))
	}
}

func TestService(t *testing.T) {
	c := mustParse(t, organisation)
	github := func(repository, service, task string) event.Event {
		return event.Event{Source: event.GitHub, Scope: event.Scope{Repository: repository, Service: service}, Deployment: &event.Deployment{Task: task}}
	}
	deploy := func(repository, service string) event.Event {
		return event.Event{Source: event.Deploy, Scope: event.Scope{Repository: repository, Service: service}, Deployment: &event.Deployment{}}
	}
	issue := func(project string, components, labels []string) event.Event {
		return event.Event{Source: event.Jira, Scope: event.Scope{Project: project}, Issue: &event.Issue{Components: components, Labels: labels}}
	}
	for _, tc := range []struct {
		name, want string
		event      event.Event
	}{
		{"a name of the catalog", "checkout", deploy("", "checkout")},
		{"that name in another case", "Ledger", deploy("", "LEDGER")},
		{"a pattern of the catalog", "checkout", deploy("", "checkout-eu-1")},
		{"no pattern of the catalog", "checkouts", deploy("", "checkouts")},
		{"a repository of one service does not rename one", "billing", deploy("acme/web-docs", "billing")},
		{"none", "", deploy("acme/web", "")},
		{"payload.service", "search", github("acme/mono", "search", "deploy")},
		{"payload.service that nobody knows", "mail", github("acme/web-docs", "mail", "deploy")},
		{"payload.service that is called as the task", "deploy", github("acme/web-docs", "deploy", "deploy")},
		{"the task", "Ledger", github("acme/mono", "", "deploy:ledger")},
		{"the one service of the repository", "docs", github("acme/web-docs", "", "deploy")},
		{"by a pattern for the repository", "Ledger", github("acme/ledger", "", "deploy")},
		{"several in the repository and nothing to tell", "acme/mono", github("acme/mono", "", "deploy")},
		{"the repository", "acme/web", github("acme/web", "", "deploy")},
		{"an incident by project and component", "checkout", issue("OPS", []string{"checkout"}, nil)},
		{"an incident by project", "search", issue("OPS", []string{"Mail"}, nil)},
		{"an issue by a component with a service's name", "mail", issue("HR", []string{"x", "Mail"}, nil)},
		{"an issue by label", "docs", issue("HR", nil, []string{"a", "service:docs"})},
		{"an issue by label, nobody's", "foo", issue("HR", nil, []string{"service:foo"})},
		{"the team's only service", "checkout", issue("WEB", nil, nil)},
		{"a team of several", "", issue("SEA", nil, nil)},
		{"an issue of nobody", "", issue("HR", nil, []string{"service:"})},
		{"a pull request", "", event.Event{Scope: event.Scope{Repository: "acme/web-docs"}, PullRequest: &event.PullRequest{}}},
	} {
		for range 2 {
			if got := c.Service(tc.event); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
			}
		}
	}
	if got := Empty(Options{}).Service(github("acme/web", "", "deploy")); got != "acme/web" {
		t.Errorf("without a catalog: %q", got)
	}
}

func TestTouched(t *testing.T) {
	c := mustParse(t, organisation)
	for _, tc := range []struct {
		repository string
		paths      []string
		want       []string
	}{
		{"acme/mono", []string{"services/checkout/pay.go"}, []string{"checkout"}},
		{"acme/mono", []string{"services/checkout/deep/er/pay.go", "services/search/x"}, []string{"checkout", "search"}},
		{"acme/mono", []string{"go.mod"}, []string{"checkout"}},
		{"acme/mono", []string{"README.md", "services/checkouts/x"}, nil},
		{"acme/mono", nil, []string{"checkout", "search"}}, // not known: perhaps all
		{"ACME/Mono", []string{"services/search/a"}, []string{"search"}},
		{"acme/web-docs", []string{"README.md"}, []string{"docs"}}, // no paths: any push
		{"acme/other", []string{"services/checkout/pay.go"}, nil},
		{"", nil, nil},
	} {
		if got := c.Touched(tc.repository, tc.paths, 0); !slices.Equal(got, tc.want) {
			t.Errorf("%s %q touches %q, want %q", tc.repository, tc.paths, got, tc.want)
		}
	}
}

func TestReferences(t *testing.T) {
	c := mustParse(t, organisation)
	mono := event.Scope{Repository: "acme/mono"}
	push := func(paths ...string) event.Event {
		return event.Event{Kind: event.Pushed, Scope: mono, Push: &event.Push{Commits: []event.Commit{{Paths: paths}}}}
	}
	issue := func(components ...string) event.Event {
		return event.Event{Kind: event.IssueCreated, Scope: event.Scope{Project: "OPS"}, Issue: &event.Issue{Components: components}}
	}
	for _, tc := range []struct {
		name  string
		event event.Event
		home  string
		want  []string
	}{
		{"a push to what two teams' services share", push("services/search/a", "services/checkout/b"), "platform", []string{"search", "web"}},
		{"one that touches one of them: it is part of the order for both", push("services/search/a"), "platform", []string{"search", "web"}},
		{"one that touches none", push("README.md"), "platform", []string{"search", "web"}},
		{"one by a team of them", push("services/search/a", "services/checkout/b"), "web", []string{"search"}},
		{"one whose paths are not known", push(), "platform", []string{"search", "web"}},
		{"a merge", event.Event{Kind: event.PullRequestMerged, Scope: mono, PullRequest: &event.PullRequest{}}, "platform", []string{"search", "web"}},
		{"a review", event.Event{Kind: event.ReviewSubmitted, Scope: mono, PullRequest: &event.PullRequest{}}, "platform", nil},
		{"an issue in the project of incidents", issue("Checkout"), "platform", []string{"search", "web"}},
		{"an issue with another component", issue("Mail"), "platform", []string{"search"}},
		{"an issue at home", issue("Mail"), "search", nil},
		{"a service that no team names", event.Event{Kind: event.Pushed, Scope: event.Scope{Repository: "acme/web-docs"}, Push: &event.Push{}}, "platform", []string{"web"}},
		{"a deployment", deployment(event.Scope{Service: "checkout", Repository: "acme/mono"})(t), "web", []string{"platform"}},
		{"a deployment from a repository of one's own", deployment(event.Scope{Service: "docs", Repository: "acme/web-docs"})(t), "web", nil},
	} {
		if got := c.References(tc.event, tc.home); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
