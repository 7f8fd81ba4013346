package metrics

import (
	"testing"

	"meridian/ingest/catalog"
	"meridian/streaming/timeline"
)

// A calendar that has just been asked about one instant answers about another as the
// zone itself does: on the days of a change, beside them and far from them.
func TestSteadyCalendarIsTheZones(t *testing.T) {
	for _, name := range []string{
		"UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "Antarctica/Casey",
		"Africa/Casablanca", "Pacific/Chatham", "America/Caracas",
	} {
		z, err := timeline.LoadZone(name)
		if err != nil {
			t.Fatal(err)
		}
		cal := newCalendar(catalog.Empty(catalog.Options{Zone: z}), "web")
		from := timeline.UTC().Midnight(timeline.MakeDate(2009, 1, 1))
		until := timeline.UTC().Midnight(timeline.MakeDate(2013, 1, 1))
		for at := from; at < until; at += 37*timeline.Minute + 41 {
			if got, want := cal.hour(at), z.Hour(at); got != want {
				t.Fatalf("%s: the hour of %s is %s, want %s", name, at, got, want)
			}
			d := cal.date(at)
			if w := cal.day(d); w != z.Day(d) || !w.Contains(at) {
				t.Fatalf("%s: %s is on %s, which is %s and should be %s", name, at, d, w, z.Day(d))
			}
			if cal.zone(at) != z {
				t.Fatalf("%s: at %s it is %s", name, at, cal.zone(at))
			}
		}
		for back := until; back > from; back -= 13*timeline.Day + 7 { // from one odd span to another
			if got, want := cal.hour(back), z.Hour(back); got != want {
				t.Fatalf("%s: the hour of %s is %s, want %s", name, back, got, want)
			}
		}
	}
}

// Nor does it matter, where a team's zone changes on a date, what was asked before.
func TestSteadyCalendarOfATeamThatMoves(t *testing.T) {
	data := "teams:\n  - name: web\n    zone: [{value: Asia/Ho_Chi_Minh, to: 2026-02-04}, {value: Europe/Berlin, from: 2026-02-05}]\n"
	known, err := catalog.Parse("catalog.yaml", []byte(data), catalog.Options{Zone: timeline.UTC()})
	if err != nil {
		t.Fatal(err)
	}
	warm := newCalendar(known, "web")
	from := timeline.UTC().Midnight(timeline.MakeDate(2026, 1, 1))
	for at := from; at < from+120*timeline.Day; at += 29*timeline.Minute + 3 {
		cold := newCalendar(known, "web")
		cold.odd = timeline.Window{Start: -never, End: never} // nothing is steady to it
		d := cold.date(at)
		if warm.hour(at) != cold.hour(at) || warm.date(at) != d || warm.day(d) != cold.day(d) || warm.zone(at) != cold.zone(at) {
			t.Fatalf("at %s it says hour %s of date %s (%s), want hour %s of date %s (%s)",
				at, warm.hour(at), warm.date(at), warm.day(d), cold.hour(at), d, cold.day(d))
		}
	}
}
