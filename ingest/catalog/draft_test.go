package catalog

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// orchard is what a small organisation has done: Mai in Ho Chi Minh City, Jonas
// in Berlin over the change to summer time, somebody who commits in UTC, programs.
func orchard(t testing.TB) []event.Event {
	day := func(s string) timeline.Millis { return millis(t, s+"T10:00:00Z") }
	local := func(minutes int16) event.LocalEvidence { return event.LocalEvidence{HasOffset: true, Offset: minutes} }
	var all []event.Event
	push := func(repository, login, email, at string, offset int16) {
		who := event.Account{Provider: "github", Login: login, Email: email}
		all = append(all, event.Event{
			Source: event.GitHub, Kind: event.Pushed, Time: day(at), Scope: event.Scope{Provider: "github", Repository: repository},
			Push: &event.Push{Commits: []event.Commit{{Author: who, Authored: day(at), Local: local(offset)}}},
		})
	}
	for i := range 10 {
		push("acme/web", "mai", "hash-of-mai", fmt.Sprintf("2026-03-%02d", 2+i), 420)
		push("acme/api", "jonas", "hash-of-jonas", fmt.Sprintf("2026-03-%02d", 15+i), 60)
		push("acme/api", "jonas", "hash-of-jonas", fmt.Sprintf("2026-04-%02d", 2+i), 120)
	}
	push("acme/web", "jonas", "hash-of-jonas", "2026-03-10", 60)
	push("acme/web", "robin", "", "2026-03-10", 0)
	push("acme/web", "acme-ci", "", "2026-03-10", 0)
	bot := event.Account{Provider: "github", Login: "dependabot[bot]", Bot: true}
	issue := func(project, kind string, who event.Account) {
		all = append(all, event.Event{Source: event.Jira, Kind: event.IssueCreated, Time: day("2026-03-12"), Actor: who,
			Scope: event.Scope{Provider: "jira", Project: project}, Issue: &event.Issue{Type: kind}})
	}
	issue("WEB", "Story", event.Account{Provider: "jira", Key: "712020:mai", Login: "712020:mai", Email: "hash-of-mai"})
	issue("OPS", "Incident", event.Account{Provider: "jira", Key: "712020:ada", Login: "712020:ada"})
	deployment := func(service, repository, environment string) {
		all = append(all, event.Event{Source: event.Deploy, Kind: event.DeploymentStatus, Time: day("2026-03-13"), Deployment: &event.Deployment{},
			Actor: event.Account{Provider: "deploy", Login: "mai"}, Scope: event.Scope{Provider: "deploy", Service: service, Repository: repository, Environment: environment}})
	}
	deployment("shop", "acme/web", "production")
	deployment("shop", "acme/web", "staging")
	deployment("billing: v2", "", "production")
	all = append(all, event.Event{Source: event.GitHub, Kind: event.PullRequestOpened, Time: day("2026-03-13"), Actor: bot, Scope: event.Scope{Repository: "acme/web"}})
	return append(all, event.Event{Defect: "broken", Scope: event.Scope{Repository: "acme/no"}})
}

func survey(events []event.Event) *Survey {
	s := &Survey{}
	for i := range events {
		s.Add(&events[i])
	}
	return s
}

func TestDraft(t *testing.T) {
	events := orchard(t)
	draft := string(survey(events).Draft(Empty(Options{Key: testKey}), Hints{}, "https://meridian.example/schemas/catalog.json"))
	golden := "testdata/draft.yaml"
	if *update {
		if err := os.WriteFile(golden, []byte(draft), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if draft != string(want) {
		t.Errorf("got\n%s", draft)
	}
	c := mustParse(t, draft)
	if err := compiledSchema(t).Validate(instance(t, draft)); err != nil {
		t.Error(err)
	}
	for login, zone := range map[string]string{"mai": "Asia/Ho_Chi_Minh", "jonas": "Europe/Berlin", "robin": ""} {
		p := c.Person(github(login))
		z, ok := c.PersonZone(p.ID, 0)
		if !p.Known || ok != (zone != "") || ok && z.Name() != zone {
			t.Errorf("%s is known: %v, in %v", login, p.Known, z)
		}
	}
	if c.Person(github("mai")).ID != c.Person(event.Account{Provider: "jira", Key: "712020:mai"}).ID {
		t.Error("two accounts with one address are two people")
	}
	if !c.Person(github("acme-ci")).Bot || c.Person(github("dependabot[bot]")).Known {
		t.Error("programs are people")
	}
	// With the draft as its catalog nothing is left to say.
	rest := string(survey(events).Draft(c, Hints{}, ""))
	for _, word := range []string{"teams:", "people:", "services:", "bots:", "zone:"} {
		if strings.Contains(rest, "\n"+word) {
			t.Errorf("what is known is drafted again:\n%s", rest)
		}
	}
	// The order of events does not matter.
	slices.Reverse(events)
	if again := string(survey(events).Draft(Empty(Options{Key: testKey}), Hints{}, "https://meridian.example/schemas/catalog.json")); again != draft {
		t.Errorf("in another order:\n%s", again)
	}
}

func TestDraftTakesHints(t *testing.T) {
	hints := Hints{Teams: []HintedTeam{
		{Name: "shop", Why: "team shop of acme on GitHub", Members: []string{"Mai"}, Repositories: []string{"acme/web", "acme/api"}},
		{Name: "core", Why: "CODEOWNERS of acme/api", Members: []string{"jonas"}, Repositories: []string{"acme/api"}},
	}}
	c := mustParse(t, string(survey(orchard(t)).Draft(Empty(Options{Key: testKey}), hints, "")))
	home := func(repository string) string {
		return c.Home(event.Event{Scope: event.Scope{Repository: repository}})
	}
	if home("acme/web") != "shop" || home("acme/api") != "shop" {
		t.Errorf("owners %s and %s", home("acme/web"), home("acme/api"))
	}
	for login, team := range map[string]string{"mai": "shop", "jonas": "core", "robin": "shop"} {
		if got := c.Teams(c.Person(github(login)).ID, 0); !slices.Equal(got, []string{team}) {
			t.Errorf("%s is in %q", login, got)
		}
	}
}

// Names of people and things come from outside, and stay texts.
func TestDraftOfHostileNames(t *testing.T) {
	for _, name := range []string{"- x", "a: b", "#no", "yes", "0815", "x\ny: z", "[a]", "{b}", "*star", "&a", "!t", `"q"`, "'s'", "a, b", "null", "2026-01-01", "é☃"} {
		s := &Survey{}
		s.Add(&event.Event{Source: event.GitHub, Time: 1, Actor: event.Account{Provider: "github", Login: name}, Scope: event.Scope{Repository: "acme/" + name, Environment: name, Service: name}, Deployment: &event.Deployment{}})
		draft := s.Draft(Empty(Options{Key: testKey}), Hints{}, "")
		c, err := Parse("draft.yaml", draft, Options{Key: testKey})
		if err != nil {
			t.Errorf("%q: %v\n%s", name, err, draft)
			continue
		}
		if !c.Person(github(name)).Known || len(c.TeamList()) != 1 || len(c.Services()) != 1 {
			t.Errorf("%q is lost in\n%s", name, draft)
		}
	}
}

func TestGuessZone(t *testing.T) {
	at := func(s string, minutes int16, n int64) (clockShown, *shown) {
		m := millis(t, s)
		return clockShown{minutes, int64(m / week)}, &shown{n, m}
	}
	offsets := func(of ...func() (clockShown, *shown)) map[clockShown]*shown {
		m := map[clockShown]*shown{}
		for _, f := range of {
			k, s := f()
			m[k] = s
		}
		return m
	}
	saw := func(s string, minutes int16, n int64) func() (clockShown, *shown) {
		return func() (clockShown, *shown) { return at(s, minutes, n) }
	}
	for name, x := range map[string]struct {
		offsets   map[clockShown]*shown
		profile   map[string]int64
		preferred []string
		want      string
	}{
		"nothing":              {nil, nil, nil, ""},
		"UTC alone":            {offsets(saw("2026-03-01T12:00:00Z", 0, 9)), nil, nil, ""},
		"UTC with a profile":   {offsets(saw("2026-03-01T12:00:00Z", 0, 9)), map[string]int64{"Asia/Manila": 2}, nil, "Asia/Manila"},
		"a profile of UTC":     {nil, map[string]int64{"Etc/UTC": 2}, nil, ""},
		"summer and winter":    {offsets(saw("2026-02-01T12:00:00Z", 0, 5), saw("2026-07-01T12:00:00Z", 60, 5)), nil, nil, "Europe/London"},
		"winter in New York":   {offsets(saw("2026-02-01T12:00:00Z", -300, 5)), nil, nil, "America/New_York"},
		"no summer there":      {offsets(saw("2026-02-01T12:00:00Z", 60, 5), saw("2026-07-01T12:00:00Z", 60, 5)), nil, nil, "Africa/Lagos"},
		"preferred":            {offsets(saw("2026-02-01T12:00:00Z", 60, 5)), nil, []string{"Europe/Vienna"}, "Europe/Vienna"},
		"the profile first":    {offsets(saw("2026-02-01T12:00:00Z", 60, 5)), map[string]int64{"Europe/Rome": 1}, []string{"Europe/Vienna"}, "Europe/Rome"},
		"a journey":            {offsets(saw("2026-02-01T12:00:00Z", 540, 2), saw("2026-07-01T12:00:00Z", 120, 8)), nil, nil, "Europe/Berlin"},
		"everywhere":           {offsets(saw("2026-02-01T12:00:00Z", 540, 5), saw("2026-07-01T12:00:00Z", -300, 5)), nil, nil, ""},
		"Kathmandu":            {offsets(saw("2026-02-01T12:00:00Z", 345, 5)), nil, nil, "Asia/Kathmandu"},
		"a profile of nowhere": {nil, map[string]int64{"Mars/Olympus": 1}, nil, ""},
	} {
		got, ok := guessZone(x.offsets, x.profile, x.preferred)
		if got.zone != x.want || ok != (x.want != "") {
			t.Errorf("%s: %+v, %v; want %s", name, got, ok, x.want)
		}
	}
	for _, name := range likelyZones {
		if _, err := timeline.LoadZone(name); err != nil {
			t.Error(err)
		}
	}
}
