package timeline

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The days that decide numbers, worked out by hand from the zones' laws.
func TestDays(t *testing.T) {
	for _, c := range []struct{ zone, date, start, length string }{
		{"UTC", "2024-02-29", "2024-02-29T00:00:00Z", "1d"},
		{"Europe/Berlin", "2024-02-29", "2024-02-28T23:00:00Z", "1d"},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", "23h"},
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", "1d1h"},
		{"America/Chicago", "2022-11-06", "2022-11-06T05:00:00Z", "1d1h"},
		{"America/Chicago", "2022-03-13", "2022-03-13T06:00:00Z", "23h"},
		{"Asia/Kathmandu", "2026-03-02", "2026-03-01T18:15:00Z", "1d"},
		{"Asia/Kolkata", "2026-03-02", "2026-03-01T18:30:00Z", "1d"},
		{"Pacific/Chatham", "2026-04-05", "2026-04-04T10:15:00Z", "1d1h"},
		{"Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", "1d30m"},
		{"Australia/Lord_Howe", "2026-10-04", "2026-10-03T13:30:00Z", "23h30m"},
		{"America/St_Johns", "2026-03-08", "2026-03-08T03:30:00Z", "23h"},
		{"America/St_Johns", "2026-11-01", "2026-11-01T02:30:00Z", "1d1h"},
		// Rules that changed: Moscow left summer time, came to +04:00 in 2011 and to +03:00 in 2014.
		{"Europe/Moscow", "2011-03-27", "2011-03-26T21:00:00Z", "23h"},
		{"Europe/Moscow", "2014-10-26", "2014-10-25T20:00:00Z", "1d1h"},
		{"Europe/Moscow", "2026-03-29", "2026-03-28T21:00:00Z", "1d"},
		// Istanbul stayed on summer time in 2016; Mexico City ended it in 2022.
		{"Europe/Istanbul", "2016-10-30", "2016-10-29T21:00:00Z", "1d"},
		{"America/Mexico_City", "2022-10-30", "2022-10-30T05:00:00Z", "1d1h"},
		{"America/Mexico_City", "2023-04-02", "2023-04-02T06:00:00Z", "1d"},
		// Pyongyang: back 30 minutes on 2015-08-15 at 00:00, forward at 23:30 on 2018-05-04.
		{"Asia/Pyongyang", "2015-08-14", "2015-08-13T15:00:00Z", "1d30m"},
		{"Asia/Pyongyang", "2018-05-04", "2018-05-03T15:30:00Z", "23h30m"},
		// Samoa went over the date line: 2011-12-30 never was.
		{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", "1d"},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", "0s"},
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", "1d"},
		// Midnights that do not exist: the date begins at 01:00.
		{"Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z", "23h"},
		{"Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z", "23h"},
		{"America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z", "23h"},
		// Midnights that come twice: at 24:00 it is 23:00 again, so the day before is long.
		{"Africa/Cairo", "2026-10-29", "2026-10-28T21:00:00Z", "1d1h"},
		{"Asia/Beirut", "2026-10-24", "2026-10-23T21:00:00Z", "1d1h"},
		{"America/Santiago", "2026-04-04", "2026-04-04T03:00:00Z", "1d1h"},
		// Behind the table.
		{"Europe/Berlin", "2150-03-29", "2150-03-28T23:00:00Z", "23h"},
		{"Europe/Berlin", "2150-10-25", "2150-10-24T22:00:00Z", "1d1h"},
		{"Europe/Berlin", "2150-12-31", "2150-12-30T23:00:00Z", "1d"},
		// Newfoundland until 2011, at 00:01: the date had begun, and its day keeps the minutes
		// that the old date gets again.
		{"America/St_Johns", "2010-11-06", "2010-11-06T02:30:00Z", "1d"},
		{"America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z", "1d1h"},
	} {
		day := zoneNamed(t, c.zone).Day(date(t, c.date))
		equal(t, c.zone+" "+c.date+" starts", day.Start.String(), c.start)
		equal(t, c.zone+" "+c.date+" lasts", FormatLength(day.Length()), c.length)
	}
}

func TestAClockWithoutMidnight(t *testing.T) {
	z := zoneNamed(t, "Africa/Cairo")
	first := z.Midnight(date(t, "2026-04-24"))
	hour, minute := z.Clock(first)
	equal(t, "clock", fmt.Sprintf("%02d:%02d", hour, minute), "01:00")
	equal(t, "date", z.Date(first).String(), "2026-04-24")
	equal(t, "date before", z.Date(first-1).String(), "2026-04-23")
	equal(t, "minute before", z.MinuteOfDay(first-1), 1439)
}

func TestLocalTime(t *testing.T) {
	for _, c := range []struct{ zone, instant, local, offset string }{
		{"America/Los_Angeles", "2026-04-18T01:00:00Z", "2026-04-17 Friday 18:00", "-7h"},
		{"+08:00", "2022-05-22T01:07:00Z", "2022-05-22 Sunday 09:07", "8h"},
		{"-04:00", "2022-05-22T00:59:51Z", "2022-05-21 Saturday 20:59", "-4h"},
		{"Asia/Kathmandu", "2026-03-01T18:15:00Z", "2026-03-02 Monday 00:00", "5h45m"},
		{"Asia/Kathmandu", "2026-03-01T18:14:59.999Z", "2026-03-01 Sunday 23:59", "5h45m"},
		{"Pacific/Kiritimati", "2026-03-01T10:00:00Z", "2026-03-02 Monday 00:00", "14h"},
		{"Pacific/Pago_Pago", "2026-03-02T10:59:00Z", "2026-03-01 Sunday 23:59", "-11h"},
		{"Europe/Dublin", "2026-07-01T11:00:00Z", "2026-07-01 Wednesday 12:00", "1h"},
		{"Africa/Casablanca", "2026-03-01T12:00:00Z", "2026-03-01 Sunday 12:00", "0s"}, // Ramadan
		{"Africa/Casablanca", "2026-07-01T12:00:00Z", "2026-07-01 Wednesday 13:00", "1h"},
		// Local mean time, with seconds, before the table; a rule for ever, behind it.
		{"Europe/Berlin", "1890-01-01T00:00:00Z", "1890-01-01 Wednesday 00:53", "53m28s"},
		{"Europe/Berlin", "2500-07-01T00:00:00Z", "2500-07-01 Thursday 02:00", "2h"},
		{"Europe/Berlin", "2028-12-31T12:00:00Z", "2028-12-31 Sunday 13:00", "1h"},
	} {
		z, err := ParseZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		m := at(t, c.instant)
		hour, minute := z.Clock(m)
		got := fmt.Sprintf("%s %s %02d:%02d", z.Date(m), z.Date(m).Weekday(), hour, minute)
		equal(t, c.zone+" "+c.instant, got, c.local)
		equal(t, c.zone+" "+c.instant+" offset", FormatLength(z.Offset(m)), c.offset)
	}
}

func TestHours(t *testing.T) {
	for _, c := range []struct{ zone, instant, start, length string }{
		{"UTC", "2026-03-02T11:59:59.999Z", "2026-03-02T11:00:00Z", "1h"},
		{"Asia/Kathmandu", "2026-03-01T18:20:00Z", "2026-03-01T18:15:00Z", "1h"},
		// 01:00 comes twice in Chicago, and is two hours.
		{"America/Chicago", "2022-11-06T06:30:00Z", "2022-11-06T06:00:00Z", "1h"},
		{"America/Chicago", "2022-11-06T07:30:00Z", "2022-11-06T07:00:00Z", "1h"},
		// Lord Howe goes from 02:00 back to 01:30, and from 02:00 forward to 02:30.
		{"Australia/Lord_Howe", "2026-04-04T14:45:00Z", "2026-04-04T14:00:00Z", "1h"},
		{"Australia/Lord_Howe", "2026-04-04T15:10:00Z", "2026-04-04T15:00:00Z", "30m"},
		{"Australia/Lord_Howe", "2026-04-04T15:30:00Z", "2026-04-04T15:30:00Z", "1h"},
		{"Australia/Lord_Howe", "2026-10-03T15:45:00Z", "2026-10-03T15:30:00Z", "30m"},
		{"Europe/Berlin", "1890-01-01T00:00:00Z", "1889-12-31T23:06:32Z", "1h"},
	} {
		h := zoneNamed(t, c.zone).Hour(at(t, c.instant))
		equal(t, c.zone+" "+c.instant+" starts", h.Start.String(), c.start)
		equal(t, c.zone+" "+c.instant+" lasts", FormatLength(h.Length()), c.length)
	}
}

func TestHoursOfADay(t *testing.T) {
	chicago := zoneNamed(t, "America/Chicago")
	points := map[Window]int{}
	for day, m := chicago.Day(date(t, "2022-11-06")), Millis(0); m < day.Length(); m += Minute {
		points[chicago.Hour(day.Start+m)]++
	}
	equal(t, "hours in Chicago", len(points), 25)
	for hour, events := range points {
		equal(t, hour.String(), events, 60)
	}
	berlin := zoneNamed(t, "Europe/Berlin")
	equal(t, "hours in Berlin", len(hoursOf(t, berlin, berlin.Day(date(t, "2026-03-29")))), 23)
	howe := zoneNamed(t, "Australia/Lord_Howe")
	equal(t, "hours in autumn on Lord Howe", len(hoursOf(t, howe, howe.Day(date(t, "2026-04-05")))), 25)
	equal(t, "hours in spring on Lord Howe", len(hoursOf(t, howe, howe.Day(date(t, "2026-10-04")))), 24)
}

func TestDays30(t *testing.T) {
	w := zoneNamed(t, "Europe/Berlin").Days30(date(t, "2026-04-10"))
	equal(t, "window", w.String(), "[2026-03-11T23:00:00Z, 2026-04-10T22:00:00Z)")
	equal(t, "an hour short", FormatLength(w.Length()), "29d23h")
	apia := zoneNamed(t, "Pacific/Apia").Days30(date(t, "2012-01-10"))
	equal(t, "29 days, for one date never was", FormatLength(apia.Length()), "29d")
}

// oracleZone draws a zone and an instant, more often near a change of its offset.
func oracleZone(t *rapid.T, names []string) (*Zone, Millis) {
	z := zoneNamed(t, rapid.SampledFrom(names).Draw(t, "zone"))
	m := Millis(rapid.Int64Range(int64(MakeDate(1990, 1, 1).local()), int64(MakeDate(2040, 1, 1).local())).Draw(t, "instant"))
	if rapid.Bool().Draw(t, "near a change") {
		if r := z.runs.at(m); r.end != maxMillis {
			m = r.end + Millis(rapid.Int64Range(int64(-26*Hour), int64(26*Hour)).Draw(t, "from it"))
		}
	}
	return z, m
}

func TestLocalTimeIsThatOfTheStandardLibrary(t *testing.T) {
	names := allZones(t)
	rapid.Check(t, func(t *rapid.T) {
		z, m := oracleZone(t, names)
		if rapid.IntRange(0, 9).Draw(t, "far") == 0 {
			m = Millis(rapid.Int64Range(-62167219200000, 253402300799999).Draw(t, "m"))
		}
		want := m.Time().In(location(t, z.Name()))
		_, offset := want.Zone()
		hour, minute := z.Clock(m)
		if z.Date(m) != MakeDate(want.Date()) || hour != want.Hour() || minute != want.Minute() || z.Offset(m) != Millis(offset)*Second {
			t.Fatalf("%s %s: got %s %02d:%02d %d, want %s", z, m, z.Date(m), hour, minute, z.Offset(m), want)
		}
	})
}

func TestMidnightIsTheFirstMinuteOfItsDate(t *testing.T) {
	names := allZones(t)
	rapid.Check(t, func(t *rapid.T) {
		z, m := oracleZone(t, names)
		loc, d := location(t, z.Name()), z.Date(m)
		want := d.local() - 16*Hour
		for MakeDate(want.Time().In(loc).Date()) < d {
			want += Minute
		}
		if got := z.Midnight(d); got != want {
			t.Fatalf("%s %s: got %s, want %s", z, d, got, want)
		}
	})
}

func TestHoursPartitionTheirDay(t *testing.T) {
	names := allZones(t)
	rapid.Check(t, func(t *rapid.T) {
		z, m := oracleZone(t, names)
		loc := location(t, z.Name())
		key := func(m Millis) string { return m.Time().In(loc).Format("2006-01-02 15 -07:00:00") }
		hours := hoursOf(t, z, z.Day(z.Date(m)))
		for i, h := range hours {
			if key(h.Start) != key(h.End-1) || key(h.Start) != key(h.Start+h.Length()/2) {
				t.Fatalf("%s: two hours in %s", z, h)
			}
			if i > 0 && key(h.Start) == key(h.Start-1) {
				t.Fatalf("%s: %s is the second part of an hour", z, h)
			}
		}
	})
}

func TestDayOfNow(t *testing.T) {
	// A date is the day's own at every instant, but where clocks went back over a midnight.
	names := allZones(t)
	rapid.Check(t, func(t *rapid.T) {
		z, m := oracleZone(t, names)
		day, next := z.Day(z.Date(m)), z.Day(z.Date(m)+1)
		if !day.Contains(m) && !(next.Contains(m) && wentBack(z, next)) {
			t.Fatalf("%s: %s is not in its day %s", z, m, day)
		}
		if day.End != next.Start {
			t.Fatalf("%s: the day after %s is %s", z, day, next)
		}
	})
}

// wentBack reports whether clocks went back in the day to the date before it.
func wentBack(z *Zone, day Window) bool {
	r := z.runs.at(day.Start)
	return r.end < day.End && z.Date(r.end) < z.Date(r.end-1)
}

func TestNoAllocation(t *testing.T) {
	z, m := zoneNamed(t, "Europe/Berlin"), at(t, "2026-03-29T00:30:00Z")
	var s Schedule = DefaultSchedule()
	for name, call := range map[string]func(){
		"Hour":     func() { z.Hour(m) },
		"Date":     func() { z.Date(m) },
		"Midnight": func() { z.Midnight(20541) },
		"Offset":   func() { z.Offset(m) },
		"Day":      func() { z.Day(20541) },
		"Weekday":  func() { _ = z.Date(m).Weekday() == time.Sunday },
		"Classify": func() { Classify(z, s, m) },
		"Working":  func() { WorkingTime(z, s, Window{m, m + 30*Day}) },
		"Load":     func() { _, _ = LoadZone("Europe/Berlin") },
		"Fixed":    func() { _, _ = FixedZone(420) },
		"far away": func() { z.Hour(-m * 3) },
	} {
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
