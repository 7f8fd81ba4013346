package catalog

import (
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// example is the catalog that the documentation shows.
const example = `
zone: Europe/Berlin             # the organisation's
hours: "09:00-18:00"
weekend: [sat, sun]
holidays: {de: [2026-01-01, 2026-12-25], vn: {calendar: vn}}
production: ["prod*", production, live]
bots: ["*-ci", renovate-acme]
incidents: {types: [Incident], labels: [incident], resolved: [Mitigated], link_window: 24h}
statuses: {in_progress: ["In Review"], done: [Shipped]}
teams:
  - {name: web, zone: Asia/Ho_Chi_Minh, repositories: [acme/web, "acme/web-*"], jira: [WEB], services: [checkout], hours: "08:30-17:30", group: shop}
people:
  - {name: Mai, github: [mai], jira: ["712020:mai"], emails: [mai@acme.example], zone: Asia/Ho_Chi_Minh, teams: [web], hours: "09:00-18:00", holidays: vn}
services:
  - {name: checkout, repositories: [acme/web], paths: ["services/checkout/**"], deploys: ["checkout-*"], incidents: {jira: OPS, components: [Checkout]}}
`

var testKey = []byte("0123456789abcdef0123456789abcdef")

func mustParse(t testing.TB, text string) *Catalog {
	t.Helper()
	c, err := Parse("catalog.yaml", []byte(text), Options{Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func millis(t testing.TB, s string) timeline.Millis {
	t.Helper()
	m, err := timeline.ParseInstant(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func github(login string) event.Account { return event.Account{Provider: "github", Login: login} }

func TestExample(t *testing.T) {
	c := mustParse(t, example)
	teams := c.TeamList()
	if len(teams) != 1 || teams[0].Name != "web" || teams[0].Group != "shop" || teams[0].Zone.Name() != "Asia/Ho_Chi_Minh" {
		t.Errorf("teams %+v", teams)
	}
	if got := c.Services(); len(got) != 1 || got[0] != "checkout" {
		t.Errorf("services %q", got)
	}
	mai := c.Person(github("mai"))
	if !mai.Known || mai.Bot || mai.Deleted || c.DisplayName(mai.ID) != "Mai" {
		t.Errorf("mai is %+v, named %q", mai, c.DisplayName(mai.ID))
	}
	if got := c.Teams(mai.ID, 0); len(got) != 1 || got[0] != "web" {
		t.Errorf("mai is in %q", got)
	}
	if c.LinkWindow() != 24*timeline.Hour {
		t.Errorf("link window %d", c.LinkWindow())
	}
}

func TestEmpty(t *testing.T) {
	berlin, err := timeline.LoadZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	c := Empty(Options{Zone: berlin})
	if c.TeamZone("acme/web", 0) != berlin || Empty(Options{}).TeamZone("acme/web", 0) != timeline.UTC() {
		t.Error("without a catalog a team is in the instance's zone, UTC where there is none")
	}
	if c.TeamList() != nil && len(c.TeamList()) > 0 || c.Teams(c.Person(github("mai")).ID, 0) != nil || len(c.Services()) > 0 {
		t.Error("an empty catalog knows somebody")
	}
	if got := c.References(event.Event{Push: &event.Push{}, Scope: event.Scope{Repository: "acme/web"}}, "acme/web"); got != nil {
		t.Errorf("references %q", got)
	}
	if c.Hash() == "" || c.Hash() != mustParse(t, "").Hash() || c.Hash() != mustParse(t, "# nothing yet\n").Hash() {
		t.Error("an empty file is no catalog")
	}
}

func TestHash(t *testing.T) {
	base := mustParse(t, example).Hash()
	same := map[string]string{
		"comment": "# ours\n" + example,
		"blocks": `
teams:
- name: "web"
  services: checkout
  hours: 8:30-17:30
  group: shop
  zone: Asia/Ho_Chi_Minh
  repositories: ["acme/web-*", acme/web]
  jira: [web]
people:
- name: Mai
  github: [MAI]
  jira: 712020:mai
  emails: [Mai@Acme.Example]
  zone: Asia/Ho_Chi_Minh
  teams: [{team: web}]
  hours: [{value: "09:00-18:00"}]
  holidays: vn
services:
- {name: checkout, repositories: [acme/web], paths: ["services/checkout/**"], deploys: ["checkout-*"], incidents: {jira: OPS, components: [Checkout]}}
zone: Europe/Berlin
hours: "09:00-18:00"
weekend: [sunday, saturday]
holidays:
  vn: [{calendar: VN}]
  de:
  - 2026-12-25
  - 2026-01-01
production: [live, production, "prod*"]
bots: [renovate-acme, "*-ci"]
incidents: {types: [incident], labels: [Incident], resolved: [Mitigated], link_window: 1d}
statuses: {done: [Shipped], in_progress: ["In Review"]}
`,
	}
	for name, text := range same {
		if got := mustParse(t, text).Hash(); got != base {
			t.Errorf("%s changes the hash", name)
		}
	}
	seen := map[string]string{base: "example"}
	for name, text := range map[string]string{
		"no people":      `{zone: Europe/Berlin}`,
		"another zone":   `{zone: Europe/Paris}`,
		"two teams":      `teams: [{name: a}, {name: b}]`,
		"other order":    `teams: [{name: b}, {name: a}]`,
		"dated":          `teams: [{name: a, zone: [{value: Asia/Tokyo, from: 2026-03-01}]}]`,
		"dated later":    `teams: [{name: a, zone: [{value: Asia/Tokyo, from: 2026-03-02}]}]`,
		"production":     `production: []`,
		"no production":  ``,
		"hours":          `hours: {mon: "09:00-18:00"}`,
		"hours, no work": `hours: {mon: ""}`,
		"holiday":        `holidays: {de: [2026-01-01]}`,
		"two holidays":   `holidays: {de: [2026-01-01, 2026-01-02]}`,
		"library":        `holidays: {de: {calendar: de}}`,
		"primary":        `{teams: [{name: a}, {name: b}], people: [{name: Mai, teams: [a, b]}]}`,
		"other primary":  `{teams: [{name: a}, {name: b}], people: [{name: Mai, teams: [b, a]}]}`,
		"link window":    `incidents: {link_window: 0}`,
	} {
		h := mustParse(t, text).Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[h] = name
	}
}
