package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/streaming/timeline"
)

// day20500 is 2026-02-16; dates are drawn from the two months after it.
const day20500 = timeline.Date(20500)

func drawDates(t *rapid.T, label string) (from, to timeline.Date, text string) {
	from, to = always, forever
	a := day20500 + timeline.Date(rapid.IntRange(0, 60).Draw(t, label+" from"))
	b := a + timeline.Date(rapid.IntRange(0, 20).Draw(t, label+" days"))
	if rapid.Bool().Draw(t, label+" has from") {
		from = a
		text += ", from: " + a.String()
	}
	if rapid.Bool().Draw(t, label+" has to") {
		to = b
		text += ", to: " + b.String()
	}
	return from, to, text
}

// Memberships and ownership are windows of instants made beforehand; the oracle
// asks for the local date of each instant.
func TestDatesAgreeWithTheLocalDate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"Europe/Berlin", "Asia/Ho_Chi_Minh", "America/Santiago", "Pacific/Kiritimati", "Australia/Lord_Howe", "UTC"}).Draw(t, "zone")
		zone, err := timeline.LoadZone(name)
		if err != nil {
			t.Fatal(err)
		}
		type membership struct {
			team     string
			from, to timeline.Date
		}
		var list []membership
		var members, teams []string
		for i := range rapid.IntRange(1, 4).Draw(t, "memberships") {
			team := string(rune('a' + rapid.IntRange(0, 2).Draw(t, "team")))
			from, to, text := drawDates(t, fmt.Sprint(i))
			list = append(list, membership{team, from, to})
			members = append(members, "{team: "+team+text+"}")
		}
		var owns []membership
		for _, team := range []string{"a", "b", "c"} {
			from, to, text := drawDates(t, "of "+team)
			owns = append(owns, membership{team, from, to})
			teams = append(teams, "{name: "+team+", zone: "+name+", repositories: [{value: acme/*"+text+"}]}")
		}
		c := mustParse2(t, "teams: ["+strings.Join(teams, ", ")+"]\npeople: [{name: Mai, github: mai, zone: "+name+", teams: ["+strings.Join(members, ", ")+"]}]")
		mai := c.Person(github("mai")).ID
		for range 50 {
			midnight := zone.Midnight(day20500 + timeline.Date(rapid.IntRange(-2, 85).Draw(t, "day")))
			at := midnight + timeline.Millis(rapid.SampledFrom([]int{-3_600_000, -1, 0, 1, 43_200_000}).Draw(t, "beside"))
			date := zone.Date(at)
			var want []string
			for _, m := range list {
				if m.from <= date && date <= m.to && !slices.Contains(want, m.team) {
					want = append(want, m.team)
				}
			}
			if got := c.Teams(mai, at); !slices.Equal(got, want) {
				t.Fatalf("at %s, %s in %s: in %q, want %q", at, date, name, got, want)
			}
			home := "acme/web"
			for _, m := range slices.Backward(owns) {
				if m.from <= date && date <= m.to {
					home = m.team
				}
			}
			if got := c.repositoryOwner("acme/web", at); or(got, "acme/web") != home {
				t.Fatalf("at %s, %s in %s: owned by %q, want %q", at, date, name, got, home)
			}
		}
	})
}

// Schedules are cut into phases beforehand; the oracle looks the date up in each
// level by the rule: of the entries that hold, the one that began last.
func TestPhasesAgreeWithEachDate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type said struct {
			hour     int
			from, to timeline.Date
		}
		levels := make([][]said, 3) // person, team, organisation
		texts := make([]string, 3)
		for l := range levels {
			var entries []string
			for i := range rapid.IntRange(0, 3).Draw(t, "entries") {
				from, to, text := drawDates(t, fmt.Sprint(l, i))
				if slices.ContainsFunc(levels[l], func(s said) bool { return s.from == from }) {
					continue
				}
				hour := rapid.IntRange(6, 12).Draw(t, "hour")
				levels[l] = append(levels[l], said{hour, from, to})
				entries = append(entries, fmt.Sprintf("{value: \"%02d:00-18:00\"%s}", hour, text))
			}
			texts[l] = "hours: [" + strings.Join(entries, ", ") + "]"
		}
		c := mustParse2(t, "{"+texts[2]+", weekend: [], teams: [{name: web, "+texts[1]+"}], people: [{name: Mai, github: mai, "+texts[0]+"}]}")
		schedule := c.PersonSchedule(c.Person(github("mai")).ID, "web")
		for d := day20500 - 2; d < day20500+90; d++ {
			want := 9
			for _, level := range slices.Backward(levels) {
				began := always
				for _, s := range level {
					if s.from <= d && d <= s.to && s.from >= began {
						began, want = s.from, s.hour
					}
				}
			}
			if got := schedule.On(d).Spans[0].From; got != want*60 {
				t.Fatalf("%s begins at minute %d, want %d:00", d, got, want)
			}
		}
	})
}

func mustParse2(t *rapid.T, text string) *Catalog {
	c, err := Parse("catalog.yaml", []byte(text), Options{Key: testKey})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}
