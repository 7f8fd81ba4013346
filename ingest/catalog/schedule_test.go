package catalog

import (
	"testing"
	"time"

	"meridian/streaming/timeline"
)

// plan is a day in short: its kind and spans.
func plan(t testing.TB, s timeline.Schedule, date string) string {
	t.Helper()
	d, err := timeline.ParseDate(date)
	if err != nil {
		t.Fatal(err)
	}
	p := s.On(d)
	return p.Kind.String() + " " + timeline.FormatSpans(p.Spans)
}

// 2026-03-02 is a Monday.
const mon, tue, fri, sat, sun = "2026-03-02", "2026-03-03", "2026-03-06", "2026-03-07", "2026-03-08"

func TestSchedules(t *testing.T) {
	for _, tc := range []struct {
		name, catalog string
		want          map[string]string // of Mai in team web, by date
	}{
		{"nobody says anything", ``, map[string]string{
			mon: "workday 09:00-18:00", fri: "workday 09:00-18:00", sat: "weekend ", sun: "weekend "}},
		{"the organisation", `hours: "08:00-16:00"`, map[string]string{mon: "workday 08:00-16:00", sat: "weekend "}},
		{"the team before it", `{hours: "08:00-16:00", teams: [{name: web, hours: "07:00-15:00"}]}`, map[string]string{mon: "workday 07:00-15:00"}},
		{"the person before both", `{hours: "08:00-16:00", teams: [{name: web, hours: "07:00-15:00"}], people: [{name: Mai, github: mai, hours: "12:00-20:00"}]}`,
			map[string]string{mon: "workday 12:00-20:00", sat: "weekend "}},
		{"days that a mapping does not name", `{people: [{name: Mai, github: mai, hours: {fri: "", sat: "10:00-12:00, 13:00-15:00"}}]}`,
			map[string]string{mon: "workday 09:00-18:00", fri: "workday ", sat: "weekend 10:00-12:00, 13:00-15:00", sun: "weekend "}},
		{"keep what the next level says", `{hours: "08:00-16:00", teams: [{name: web, hours: {tue: "07:00-15:00"}}], people: [{name: Mai, github: mai, hours: {friday: "08:00-12:00"}}]}`,
			map[string]string{mon: "workday 08:00-16:00", tue: "workday 07:00-15:00", fri: "workday 08:00-12:00", sat: "weekend "}},
		{"a night", `hours: "22:00-06:00"`, map[string]string{fri: "workday 22:00-06:00", sat: "weekend "}},
		{"none at all", `hours: ""`, map[string]string{mon: "workday "}},
		{"another weekend", `weekend: [fri, sat]`, map[string]string{fri: "weekend ", sat: "weekend ", sun: "workday 09:00-18:00"}},
		{"no weekend", `weekend: []`, map[string]string{sat: "workday 09:00-18:00", sun: "workday 09:00-18:00"}},
		{"a person's weekend", `{weekend: [sun], people: [{name: Mai, github: mai, weekend: [mon]}]}`, map[string]string{mon: "weekend ", sun: "workday 09:00-18:00"}},
		{"hours with dates", `hours: [{value: "08:00-16:00", to: 2026-03-02}, {value: {tue: "10:00-11:00"}, from: 2026-03-03, to: 2026-03-05}]`,
			map[string]string{"2020-01-01": "workday 08:00-16:00", mon: "workday 08:00-16:00", tue: "workday 10:00-11:00", "2026-03-04": "workday 09:00-18:00", fri: "workday 09:00-18:00"}},
		{"a weekend with dates", `weekend: [{value: [fri, sat], to: 2026-03-06}, {value: [sat, sun], from: 2026-03-07}]`,
			map[string]string{fri: "weekend ", "2026-02-28": "weekend ", sun: "weekend ", "2026-03-13": "workday 09:00-18:00", "2026-03-01": "workday 09:00-18:00"}},
		{"holidays that nobody names are the organisation's", `holidays: {de: [2026-03-02]}`, map[string]string{mon: "holiday 09:00-18:00", tue: "workday 09:00-18:00"}},
		{"holidays of the team", `{holidays: {de: [2026-03-02], vn: [2026-03-03]}, teams: [{name: web, holidays: vn}]}`,
			map[string]string{mon: "workday 09:00-18:00", tue: "holiday 09:00-18:00"}},
		{"holidays of the person", `{holidays: {de: [2026-03-02], vn: [2026-03-03]}, teams: [{name: web, holidays: vn}], people: [{name: Mai, github: mai, holidays: de}]}`,
			map[string]string{mon: "holiday 09:00-18:00", tue: "workday 09:00-18:00"}},
		{"holidays that others name are not the organisation's", `{holidays: {vn: [2026-03-03]}, people: [{name: Jonas, holidays: vn}]}`,
			map[string]string{tue: "workday 09:00-18:00"}},
		{"holidays that are called default", `{holidays: {de: [2026-03-02], default: [2026-03-03]}}`,
			map[string]string{mon: "workday 09:00-18:00", tue: "holiday 09:00-18:00"}},
		{"a holiday on a weekend", `{holidays: {de: [2026-03-07]}}`, map[string]string{sat: "holiday "}},
		{"holidays with dates", `{holidays: {de: [2026-03-02, 2026-03-06], vn: [2026-03-02, 2026-03-06]}, people: [{name: Mai, github: mai, holidays: [{value: de, to: 2026-03-03}]}, {name: Jonas, holidays: vn}]}`,
			map[string]string{mon: "holiday 09:00-18:00", fri: "workday 09:00-18:00"}},
		{"a country", `{people: [{name: Mai, github: mai, holidays: de}]}`,
			map[string]string{"2026-04-03": "holiday 09:00-18:00", "2026-10-03": "holiday ", "2026-10-05": "workday 09:00-18:00", "2026-06-04": "workday 09:00-18:00"}},
		{"a state", `{people: [{name: Mai, github: mai, holidays: de-by}]}`, map[string]string{"2026-06-04": "holiday 09:00-18:00"}},
		{"a country and own dates", `holidays: {us: [{calendar: us}, 2026-11-27]}`,
			map[string]string{"2026-11-26": "holiday 09:00-18:00", "2026-11-27": "holiday 09:00-18:00", "2026-07-03": "holiday 09:00-18:00", "2027-12-31": "holiday 09:00-18:00"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := mustParse(t, tc.catalog)
			mai := c.Person(github("mai"))
			for date, want := range tc.want {
				for range 2 {
					if got := plan(t, c.PersonSchedule(mai.ID, "web"), date); got != want {
						t.Errorf("%s: %q, want %q", date, got, want)
					}
				}
			}
			if !mai.Known { // then the person's schedule is the team's
				for date, want := range tc.want {
					if got := plan(t, c.TeamSchedule("web"), date); got != want {
						t.Errorf("the team on %s: %q, want %q", date, got, want)
					}
				}
			}
		})
	}
}

func TestVietnam(t *testing.T) {
	c := mustParse(t, example)
	s := c.PersonSchedule(c.Person(github("mai")).ID, "web")
	holidays := map[string]bool{ // as the government announced them
		"2026-01-01": true, "2026-02-16": true, "2026-02-17": true, "2026-02-20": true, "2026-02-21": false, "2026-02-15": false,
		"2026-04-26": true, "2026-04-30": true, "2026-05-01": true, "2026-09-01": true, "2026-09-02": true, "2026-12-25": false,
		"2025-01-28": true, "2025-01-29": true, "2025-04-07": true, "2024-02-10": true, "2024-04-18": true, "2023-01-22": true, "2023-04-29": true,
		"2030-02-02": true,  // a day before China
		"1990-02-17": false, // before the table: fixed days alone
		"1990-09-02": true,
	}
	for date, want := range holidays {
		d, err := timeline.ParseDate(date)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.On(d).Kind == timeline.Holiday; got != want {
			t.Errorf("%s: holiday %v", date, got)
		}
	}
	for i, l := range vietnamLunar {
		// A year begins within two days of a mean new moon, and the tenth of its
		// third month is two months and nine days later, or three in a leap month.
		year := vietnamFirst + i
		first := timeline.MakeDate(year, time.Month(l[0]), l[1])
		kings := timeline.MakeDate(year, time.Month(l[2]), l[3])
		const month = 2551442877                                                              // milliseconds
		age := (timeline.Millis(first)*timeline.Day - 7*timeline.Hour - 947182440000) % month // since the new moon of 2000-01-06T18:14Z
		if age > 2*timeline.Day && age < month-2*timeline.Day {
			t.Errorf("the new year of %d is %d hours after a new moon", year, age/timeline.Hour)
		}
		if days := kings - first; days < 67 || days > 70 && days < 96 || days > 100 {
			t.Errorf("the Hùng kings' day of %d is %d days after its new year", year, days)
		}
	}
}

// What a library makes of a year must not depend on the year asked before, nor
// on whether it is kept.
func TestCountryYears(t *testing.T) {
	de := &calendar{}
	if !de.takeOver("DE") {
		t.Fatal("no Germany")
	}
	for _, year := range []int{1950, 1990, 2026, 2100, 2101, 2500} {
		for range 2 {
			if d := timeline.MakeDate(year, 12, 25); !de.holds(d) || de.holds(d-3) {
				t.Errorf("Christmas of %d", year)
			}
		}
	}
	for code := range libraryCalendars() {
		c := &calendar{}
		if !c.takeOver(code) {
			t.Fatal(code)
		}
		n := 0
		for d := timeline.MakeDate(2026, 1, 1); d < timeline.MakeDate(2027, 1, 1); d++ {
			if c.holds(d) {
				n++
			}
		}
		if n < 5 || n > 40 {
			t.Errorf("%s has %d holidays in 2026", code, n)
		}
	}
}

// Cases of the metrics' definitions, whole.
func TestClasses(t *testing.T) {
	for _, tc := range []struct{ catalog, at, want string }{
		{`zone: America/Los_Angeles`, "2026-04-18T01:00:00Z", "evening"},                                   // Friday 18:00
		{`zone: Asia/Ho_Chi_Minh`, "2026-03-02T02:00:00Z", "working"},                                      // 09:00
		{`zone: Asia/Ho_Chi_Minh`, "2026-03-02T11:00:00Z", "evening"},                                      // 18:00, an end is outside
		{`{zone: Asia/Kolkata, hours: "09:30-18:30"}`, "2026-03-02T12:45:00Z", "working"},                  // 18:15
		{`hours: "22:00-06:00"`, "2026-03-07T03:00:00Z", "working"},                                        // Saturday 03:00 belongs to Friday
		{`hours: "22:00-06:00"`, "2026-03-02T03:00:00Z", "evening"},                                        // Monday 03:00 belongs to Sunday
		{`{hours: "22:00-06:00", holidays: {x: [2026-03-03]}}`, "2026-03-04T03:00:00Z", "holiday"},         // the night of a holiday
		{`{zone: Asia/Ho_Chi_Minh, holidays: {x: [2026-03-03]}}`, "2026-03-02T17:00:00Z", "holiday"},       // its date is local
		{`{people: [{name: Mai, github: mai, zone: Australia/Perth}]}`, "2022-05-22T01:07:00Z", "weekend"}, // 09:07+08:00
		{`zone: America/New_York`, "2022-05-22T00:59:51Z", "weekend"},                                      // 20:59:51-04:00
	} {
		c := mustParse(t, tc.catalog)
		mai := c.Person(github("mai")).ID
		at := millis(t, tc.at)
		zone, ok := c.PersonZone(mai, at)
		if !ok {
			zone = c.TeamZone("web", at)
		}
		if got := timeline.Classify(zone, c.PersonSchedule(mai, "web"), at); got.String() != tc.want {
			t.Errorf("%s with %s: %s, want %s", tc.at, tc.catalog, got, tc.want)
		}
	}
}
