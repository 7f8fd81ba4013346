package catalog

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"meridian/ingest/event"
)

const staff = `
bots: ["*-ci", renovate-acme, "deploy?"]
teams: [{name: web, zone: Asia/Ho_Chi_Minh}, {name: ops}]
people:
  - {name: Mai, github: [mai, mai-old], jira: ["712020:mai"], emails: [Mai@Acme.example], teams: [web]}
  - {name: Jonas, github: [Jonas], jira: [jonas.k], teams: [{team: ops, to: 2026-02-28}, {team: web, from: 2026-03-01}, ops]}
  - {name: Lena}
`

func TestPersonIsOneForAllAccounts(t *testing.T) {
	c := mustParse(t, staff)
	for name, accounts := range map[string][]event.Account{
		"Mai": {
			{Provider: "github", Key: "583231", Login: "mai"},
			{Provider: "github", Login: "MAI-old"},
			{Provider: "jira", Key: "712020:mai"},
			{Provider: "jira", Key: "JIRAUSER10100", Login: "712020:mai"},
			{Provider: "git", Email: c.EmailHash("mai@acme.example")},
			{Provider: "github", Login: "unheard-of", Email: c.EmailHash(" MAI@acme.example ")},
			{Provider: "deploy", Login: "mai"},
			{Provider: "argocd", Login: "712020:mai"},
			{Provider: "cdevents", Login: "mai@acme.example"},
			{Provider: "deploy", Login: "mai", Email: "0"},
		},
		"Jonas": {github("jonas"), {Provider: "jira", Login: "jonas.k"}, {Provider: "deploy", Login: "Jonas"}},
		"Lena":  {{Provider: "deploy", Login: "lena"}},
	} {
		mac := hmac.New(sha256.New, testKey)
		mac.Write([]byte("person\x00" + name))
		var want event.PersonID
		copy(want[:], mac.Sum(nil))
		for _, a := range accounts {
			for range 2 { // computed, then remembered
				if p := c.Person(a); p != (event.Person{ID: want, Known: true}) {
					t.Errorf("%+v is %+v, not %s", a, p, name)
				}
			}
		}
	}
	// A GitHub login is no Jira name.
	if p := c.Person(event.Account{Provider: "jira", Login: "mai"}); p.Known {
		t.Error("mai of Jira is Mai of GitHub")
	}
}

func TestUnknownPeople(t *testing.T) {
	c := mustParse(t, staff)
	kim := c.Person(event.Account{Provider: "github", Key: "77", Login: "kim"})
	if kim.Known || kim.ID == (event.PersonID{}) || kim != c.Person(github("Kim")) {
		t.Error("a reviewer and the author of a commit with one login are two people")
	}
	different := []event.Account{
		github("kim"), github("lee"), {Provider: "github", Key: "77"}, {Provider: "jira", Key: "kim"}, {Provider: "deploy", Login: "kim"},
		{Provider: "git", Email: c.EmailHash("kim@acme.example")},
	}
	seen := map[event.PersonID]event.Account{}
	for _, a := range different {
		p := c.Person(a)
		if other, ok := seen[p.ID]; ok {
			t.Errorf("%+v and %+v are one", a, other)
		}
		seen[p.ID] = a
	}
	if c.Person(github("kim")).ID == Empty(Options{Key: []byte("another")}).Person(github("kim")).ID {
		t.Error("a pseudonym does not depend on the instance's key")
	}
	if c.Person(github("kim")).ID != Empty(Options{Key: testKey}).Person(github("kim")).ID {
		t.Error("a pseudonym depends on the catalog's file")
	}
	if got := c.DisplayName(kim.ID); got != "" {
		t.Errorf("an unknown person is called %q", got)
	}
	if c.Teams(kim.ID, 0) != nil {
		t.Error("an unknown person is in a team")
	}
}

func TestEmailHash(t *testing.T) {
	c := Empty(Options{Key: testKey})
	mac := hmac.New(sha256.New, testKey)
	mac.Write([]byte("email\x00mai@acme.example"))
	if got := c.EmailHash("Mai@Acme.example"); got != hex.EncodeToString(mac.Sum(nil)) {
		t.Errorf("hash %s", got)
	}
	if c.EmailHash("") != "" || c.EmailHash("  ") != "" {
		t.Error("no address has a hash")
	}
}

func TestBotsAndGhosts(t *testing.T) {
	c := mustParse(t, staff)
	for _, tc := range []struct {
		account      event.Account
		bot, deleted bool
	}{
		{event.Account{Provider: "github", Login: "robot", Bot: true}, true, false},
		{github("copilot[bot]"), true, false},
		{github("Copilot[BOT]"), true, false},
		{github("[bot]x"), false, false},
		{github("acme-ci"), true, false},
		{github("ACME-CI"), true, false},
		{github("acme-cit"), false, false},
		{github("renovate-acme"), true, false},
		{github("deploy1"), true, false},
		{github("deploy12"), false, false},
		{event.Account{Provider: "jira", Login: "build-ci"}, true, false},
		{event.Account{Provider: "deploy", Login: "x-ci"}, true, false},
		{github("ghost"), false, true},
		{github("Ghost"), false, true},
		{event.Account{Provider: "jira", Login: "ghost"}, false, false},
		{event.Account{Provider: "github", Login: "left", Deleted: true}, false, true},
		{event.Account{Provider: "github", Deleted: true}, false, true},
		{github("mai"), false, false},
	} {
		if p := c.Person(tc.account); p.Bot != tc.bot || p.Deleted != tc.deleted {
			t.Errorf("%+v: bot %v, deleted %v", tc.account, p.Bot, p.Deleted)
		}
	}
	if c.Person(event.Account{}) != (event.Person{}) {
		t.Error("nobody is somebody")
	}
	if c.Person(github("ghost")).ID != (event.PersonID{}) {
		t.Error("ghost is somebody in particular")
	}
}

func TestTeamsHaveDates(t *testing.T) {
	c := mustParse(t, staff)
	jonas := c.Person(github("jonas")).ID
	// Jonas has no zone and his first team has none: his dates are UTC's. He is in
	// ops always, as his last line says, so that until February it comes first.
	for at, want := range map[string][]string{
		"2020-01-01T00:00:00Z":     {"ops"},
		"2026-02-28T23:59:59.999Z": {"ops"},
		"2026-03-01T00:00:00Z":     {"web", "ops"},
		"2030-01-01T00:00:00Z":     {"web", "ops"},
	} {
		if got := c.Teams(jonas, millis(t, at)); !slices.Equal(got, want) {
			t.Errorf("at %s jonas is in %q, want %q", at, got, want)
		}
	}
	if got := c.Teams(c.Person(event.Account{Provider: "deploy", Login: "Lena"}).ID, 0); got != nil {
		t.Errorf("lena is in %q", got)
	}
}

// Dates are local to the person: 2026-03-01 begins in Ho Chi Minh City at 17:00Z
// of the day before, in Los Angeles at 08:00Z.
func TestMembershipEndsAtLocalMidnight(t *testing.T) {
	for zone, border := range map[string]string{
		"zone: Asia/Ho_Chi_Minh, ":    "2026-02-28T17:00:00Z",
		"zone: America/Los_Angeles, ": "2026-03-01T08:00:00Z",
		"":                            "2026-02-28T15:00:00Z", // of the first team: Asia/Tokyo
	} {
		c := mustParse(t, `
zone: Europe/Berlin
teams: [{name: a, zone: Asia/Tokyo}, {name: b}]
people: [{name: Mai, `+zone+`github: [mai], teams: [{team: a, to: 2026-02-28}, {team: b, from: 2026-03-01}]}]
`)
		mai, at := c.Person(github("mai")).ID, millis(t, border)
		if before, after := c.Teams(mai, at-1), c.Teams(mai, at); !slices.Equal(before, []string{"a"}) || !slices.Equal(after, []string{"b"}) {
			t.Errorf("%s: %q before %s and %q from then on", zone, before, border, after)
		}
	}
}
