package timeline

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// changing is somebody's hours, which change on dates: from each date on another
// schedule holds.
type changing []struct {
	from Date
	s    *WeeklySchedule
}

func (c changing) On(d Date) DayPlan {
	now := c[0].s
	for _, part := range c {
		if part.from <= d {
			now = part.s
		}
	}
	return now.On(d)
}

// A week of people as they are: each row is a clock over the same two weeks, by
// a calendar on the wall.
func TestWorkingTimeOfPeople(t *testing.T) {
	week := func(hours map[time.Weekday]string, weekend ...time.Weekday) *WeeklySchedule {
		s := &WeeklySchedule{}
		for day, text := range hours {
			s.Hours[day] = spans(t, text)
		}
		for _, day := range weekend {
			s.Weekend[day] = true
		}
		return s
	}
	cairo := week(map[time.Weekday]string{time.Sunday: "09:00-17:00", time.Monday: "09:00-17:00", time.Tuesday: "09:00-17:00",
		time.Wednesday: "09:00-17:00", time.Thursday: "09:00-17:00"}, time.Friday, time.Saturday)
	split := week(map[time.Weekday]string{time.Monday: "08:00-12:00, 16:00-20:00", time.Wednesday: "08:00-12:00, 16:00-20:00"}, time.Saturday, time.Sunday)
	nurse := week(map[time.Weekday]string{time.Friday: "22:00-06:00", time.Saturday: "22:00-06:00"})
	moved := changing{{always(t), DefaultSchedule()}, {date(t, "2026-03-04"), week(map[time.Weekday]string{time.Thursday: "12:00-14:00"})}}
	part := changing{{always(t), DefaultSchedule()}, {date(t, "2026-03-04"), &WeeklySchedule{}}}
	feast := *cairo
	feast.Holidays = map[Date]bool{date(t, "2026-03-10"): true}

	for _, c := range []struct {
		what, zone string
		s          Schedule
		from, to   string
		want       string
	}{
		// 2026-03-01 is a Sunday, 2026-03-06 a Friday.
		{"Sunday is a day of work in Cairo", "Africa/Cairo", cairo, "2026-03-01T00:00:00+02:00", "2026-03-02T00:00:00+02:00", "8h"},
		{"Friday and Saturday are none", "Africa/Cairo", cairo, "2026-03-06T00:00:00+02:00", "2026-03-08T00:00:00+02:00", "0s"},
		{"asked on Thursday, answered on Sunday", "Africa/Cairo", cairo, "2026-03-05T16:00:00+02:00", "2026-03-08T10:00:00+02:00", "2h"},
		{"two weeks", "Africa/Cairo", cairo, "2026-03-01T00:00:00+02:00", "2026-03-15T00:00:00+02:00", "80h"},
		{"two weeks with a holiday", "Africa/Cairo", &feast, "2026-03-01T00:00:00+02:00", "2026-03-15T00:00:00+02:00", "72h"},
		// Clocks go forward in Cairo at midnight before Friday, 2026-04-24.
		{"over the change in Cairo", "Africa/Cairo", cairo, "2026-04-23T16:00:00+02:00", "2026-04-26T10:00:00+03:00", "2h"},
		{"the pause of a split day", "Europe/Madrid", split, "2026-03-02T11:00:00+01:00", "2026-03-02T17:00:00+01:00", "2h"},
		{"a split day and none between", "Europe/Madrid", split, "2026-03-02T00:00:00+01:00", "2026-03-05T00:00:00+01:00", "16h"},
		{"nights of a weekend", "America/Chicago", nurse, "2026-03-06T12:00:00-06:00", "2026-03-08T12:00:00-05:00", "15h"}, // one hour is skipped on Sunday at 02:00
		{"the part of a night after midnight", "America/Chicago", nurse, "2026-03-14T00:00:00-05:00", "2026-03-14T12:00:00-05:00", "6h"},
		{"hours that change on a Wednesday", "Asia/Kolkata", moved, "2026-03-02T00:00:00+05:30", "2026-03-07T00:00:00+05:30", "20h"},
		{"no hours from Wednesday on", "Asia/Kolkata", part, "2026-03-02T00:00:00+05:30", "2026-03-28T00:00:00+05:30", "18h"},
		{"never any hours", "Asia/Kolkata", &WeeklySchedule{}, "1970-01-01T00:00:00Z", "2200-01-01T00:00:00Z", "0s"},
		{"45 minutes of offset", "Asia/Kathmandu", DefaultSchedule(), "2026-03-02T03:15:00Z", "2026-03-02T12:15:00Z", "9h"},
		{"half an hour of change", "Australia/Lord_Howe", everyDay(t, "00:00-24:00", true), "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z", "1d30m"},
	} {
		got := WorkingTime(zoneNamed(t, c.zone), c.s, Window{at(t, c.from), at(t, c.to)})
		wanted, err := ParseLength(c.want)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, c.what, FormatLength(got), FormatLength(wanted))
	}
}

func always(t *testing.T) Date { return date(t, "0001-01-01") }

// Hours that change on dates are a count of minutes too, in all zones and over
// all changes of their clocks.
func TestChangingHoursAreACountOfMinutes(t *testing.T) {
	names := allZones(t)
	rapid.Check(t, func(t *rapid.T) {
		z, m := oracleZone(t, names)
		start := floorDiv(m, Minute) * Minute
		w := Window{start, start + Millis(rapid.IntRange(0, 8000).Draw(t, "minutes"))*Minute}
		today := z.Date(start)
		hours := changing{{today - 100, drawSchedule(t, today)}}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			from := today + Date(rapid.IntRange(-2, 6).Draw(t, "from"))
			hours = append(hours, changing{{from, drawSchedule(t, from)}}...)
		}
		slices.SortStableFunc(hours, func(a, b struct {
			from Date
			s    *WeeklySchedule
		}) int {
			return int(a.from - b.from)
		})
		loc := location(t, z.Name())
		var want Millis
		for at := w.Start; at < w.End; at += Minute {
			if onTheWall(loc, hours, at) {
				want += Minute
			}
		}
		if got := WorkingTime(z, hours, w); got != want {
			t.Fatalf("%s %s: got %s, want %s", z, w, FormatLength(got), FormatLength(want))
		}
	})
}

// onTheWall is wallClock for hours that change: a night is of the schedule of the
// day on which it began.
func onTheWall(loc *time.Location, hours changing, m Millis) bool {
	now := m.Time().In(loc)
	minute := now.Hour()*60 + now.Minute()
	for back := range 2 {
		day := time.Date(now.Year(), now.Month(), now.Day()-back, 0, 0, 0, 0, time.UTC)
		d := MakeDate(day.Date())
		s := hours[0].s
		for _, part := range hours {
			if part.from <= d {
				s = part.s
			}
		}
		if s.Holidays[d] {
			continue
		}
		for _, span := range s.Hours[day.Weekday()] {
			if span.From <= minute+back*1440 && minute+back*1440 < span.To {
				return true
			}
		}
	}
	return false
}
