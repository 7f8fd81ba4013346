package catalog

import (
	"reflect"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"meridian/streaming/timeline"
)

func date(t testing.TB, s string) timeline.Date {
	t.Helper()
	d, err := timeline.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const yearOfChanges = `
zone: Europe/Berlin
hours: [{value: "09:00-18:00", to: 2026-05-31}, {value: {mon: "10:00-16:00", fri: ""}, from: 2026-06-01}]
weekend: [fri, sat]
holidays: {zzz: [2026-01-01, {calendar: de}], aaa: {calendar: vn}}
production: [live, {value: canary, from: 2026-06-01}]
statuses: {to_do: Triage, in_progress: Review, done: Shipped}
teams:
  - {name: web, zone: [{value: Asia/Tokyo, from: 2026-06-01}], repositories: [{value: acme/web, to: 2026-05-31}, acme/site], group: {value: shop, to: 2026-05-31}}
  - {name: api, hours: "08:00-12:00, 13:00-17:00", holidays: aaa}
people:
  - {name: Mai, github: mai, emails: mai@acme.example, teams: [{team: web, to: 2026-05-31}, {team: api, from: 2026-06-01}], zone: {value: Asia/Ho_Chi_Minh, from: 2026-06-01}}
services:
  - {name: checkout, repositories: {value: acme/web, from: 2026-06-01}, incidents: {jira: OPS, components: Checkout}}
`

func TestOnADate(t *testing.T) {
	c := mustParse(t, yearOfChanges)
	before, after := c.On(date(t, "2026-05-31")), c.On(date(t, "2026-06-01"))
	for what, x := range map[string][2]any{
		"hours":         {before.Hours, "09:00-18:00"},
		"hours after":   {after.Hours, map[string]string{"mon": "10:00-16:00", "fri": ""}},
		"weekend":       {before.Weekend, []string{"fri", "sat"}},
		"holidays":      {before.Holidays, "zzz"},
		"production":    {before.Production, []string{"live"}},
		"and after":     {after.Production, []string{"live", "canary"}},
		"zone":          {before.Teams[0].Zone, "Europe/Berlin"},
		"zone after":    {after.Teams[0].Zone, "Asia/Tokyo"},
		"repositories":  {before.Teams[0].Repositories, []string{"acme/web", "acme/site"}},
		"and then":      {after.Teams[0].Repositories, []string{"acme/site"}},
		"group":         {before.Teams[0].Group + "," + after.Teams[0].Group, "shop,"},
		"people":        {before.Teams[0].People, []string{"Mai"}},
		"people after":  {after.Teams[1].People, []string{"Mai"}},
		"person's zone": {before.People[0].Zone + "," + after.People[0].Zone, ",Asia/Ho_Chi_Minh"},
		"service":       {len(before.Services[0].Repositories) + 10*len(after.Services[0].Repositories), 10},
		"team hours":    {before.Teams[1].Hours, "08:00-12:00, 13:00-17:00"},
	} {
		if !reflect.DeepEqual(x[0], x[1]) {
			t.Errorf("%s: %v, want %v", what, x[0], x[1])
		}
	}
}

// What a view prints is a catalog that says the same of that date, and of all
// others.
func TestAViewIsACatalog(t *testing.T) {
	for _, text := range []string{example, yearOfChanges, organisation, staff, ""} {
		c := mustParse(t, text)
		d := date(t, "2026-06-15")
		v := c.On(d)
		printed, err := yaml.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("printed.yaml", printed, Options{Key: testKey})
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		for _, day := range []timeline.Date{d, d - 300} {
			if w := again.On(day); !reflect.DeepEqual(v, w) {
				t.Errorf("printed as\n%s\nit says %+v\nand was %+v", printed, w, v)
			}
		}
		if err := compiledSchema(t).Validate(instance(t, string(printed))); err != nil {
			t.Errorf("%v\n%s", err, printed)
		}
	}
}

func TestDiff(t *testing.T) {
	at := millis(t, "2026-07-01T12:00:00Z")
	seen := Seen{Repositories: []string{"acme/site", "acme/web", "acme/lib"}, Projects: []string{"OPS"}, Services: []string{"checkout"}}
	if got := Diff(mustParse(t, yearOfChanges), mustParse(t, "# the same\n"+yearOfChanges), at, seen); got != nil {
		t.Errorf("nothing differs, and %+v", got)
	}
	old := mustParse(t, `
zone: Europe/Berlin
bots: [x]
teams: [{name: web, repositories: ["acme/*"], zone: [{value: Asia/Tokyo, to: 2026-01-31}]}, {name: ops, jira: OPS}, {name: old}]
people: [{name: Mai, github: mai, teams: [web]}, {name: Jo, teams: [ops]}, {name: Gone}]
services: [{name: checkout, repositories: acme/site}, {name: cart}]
`)
	now := mustParse(t, `
zone: Asia/Tokyo
bots: [x, y]
teams: [{name: ops, jira: INC, services: [checkout]}, {name: site, repositories: acme/site, group: shop}, {name: web, repositories: ["acme/*"], zone: [{value: Asia/Tokyo, to: 2026-02-28}], hours: "08:00-12:00"}]
people: [{name: Mai, github: [mai, mai2], teams: [site, web]}, {name: Jo, teams: [ops], zone: Asia/Seoul}, {name: New, teams: [site]}]
services: [{name: checkout, repositories: [acme/site, acme/web]}]
`)
	var got []string
	for _, c := range Diff(old, now, at, seen) {
		got = append(got, c.Text)
	}
	want := []string{
		"the organisation's zone is Asia/Tokyo, and was Europe/Berlin",
		"the organisation's bots: changed",
		"team ops: zone is Asia/Tokyo, and was Europe/Berlin; jira also INC; jira without OPS; services also checkout",
		"team site is new",
		"team web: zone is Asia/Tokyo, and was Europe/Berlin; hours change",
		"team old is gone; what it owned goes to the next team that matches, or is a team of its own",
		"the teams stand in another order, and the first that matches owns",
		"Mai moves from web to site, web",
		"person Mai: github also mai2",
		"person Jo: zone is Asia/Seoul",
		"New is new, in site",
		"Gone is gone; their accounts are people of their own, who work for the team of what they touch",
		"service checkout: repositories also acme/web",
		"service cart is described no more",
		"repository acme/site moves from team web to team site",
		"project OPS moves from team ops to team OPS",
		"deployment checkout moves from team web to team ops",
	}
	if !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			g, w := "", ""
			if i < len(got) {
				g = got[i]
			}
			if i < len(want) {
				w = want[i]
			}
			if g != w {
				t.Errorf("%d: %q\n  want %q", i, g, w)
			}
		}
	}
	// Another date of the past changes numbers of then, and nothing of today.
	past := Diff(mustParse(t, `teams: [{name: web, zone: [{value: Asia/Tokyo, to: 2026-01-31}]}]`), mustParse(t, `teams: [{name: web, zone: [{value: Asia/Tokyo, to: 2026-02-28}]}]`), at, Seen{})
	if len(past) != 1 || past[0].Text != "team web: the same today, and otherwise at other dates" {
		t.Errorf("%+v", past)
	}
}
