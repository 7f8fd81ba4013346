package timeline

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWorkingTime(t *testing.T) {
	office, none := DefaultSchedule(), &WeeklySchedule{}
	holiday := DefaultSchedule()
	holiday.Holidays = map[Date]bool{date(t, "2026-03-02"): true}
	night := everyDay(t, "22:00-06:00", true)
	late := everyDay(t, "10:00-18:00", false)
	early := &WeeklySchedule{}
	early.Hours[time.Monday], early.Hours[time.Tuesday] = spans(t, "22:00-06:00"), spans(t, "05:00-07:00")

	for _, c := range []struct {
		what, zone string
		s          Schedule
		from, to   string
		want       string
	}{
		{"asked in the evening", "UTC", late, "2026-03-02T19:00:00Z", "2026-03-03T10:10:00Z", "10m"},
		{"answered on Saturday", "UTC", office, "2026-03-06T17:00:00Z", "2026-03-07T12:00:00Z", "1h"},
		{"over the weekend", "UTC", office, "2026-03-06T17:00:00Z", "2026-03-09T10:00:00Z", "2h"},
		{"over a holiday", "UTC", holiday, "2026-02-27T17:00:00Z", "2026-03-03T10:00:00Z", "2h"},
		{"in Chicago", "America/Chicago", office, "2026-03-06T23:00:00Z", "2026-03-09T15:00:00Z", "2h"}, // clocks change on Sunday
		{"inside one hour", "UTC", office, "2026-03-06T17:00:00.25Z", "2026-03-06T17:00:00.75Z", "500ms"},
		{"outside", "UTC", office, "2026-03-07T09:00:00Z", "2026-03-08T18:00:00Z", "0s"},
		{"backwards", "UTC", office, "2026-03-06T17:00:00Z", "2026-03-06T10:00:00Z", "0s"},
		{"a usual night", "Europe/Berlin", night, "2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z", "8h"},
		{"a night in spring", "Europe/Berlin", night, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", "7h"},
		{"a night in autumn", "Europe/Berlin", night, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z", "9h"},
		{"a skipped hour", "Europe/Berlin", everyDay(t, "02:00-03:00", true), "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", "0s"},
		{"a repeated hour", "Europe/Berlin", everyDay(t, "02:00-03:00", true), "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z", "2h"},
		{"a skipped date", "Pacific/Apia", everyDay(t, "09:00-18:00", true), "2011-12-29T10:00:00Z", "2011-12-31T10:00:00Z", "18h"},
		{"no hours", "Europe/Berlin", none, "1971-01-01T00:00:00Z", "2099-01-01T00:00:00Z", "0s"},
		// 2001 to 2400 repeat: 400 years have 20871 weeks, so 104355 workdays of 9 hours.
		{"400 years", "America/New_York", office, "2001-01-01T05:00:00Z", "2401-01-01T05:00:00Z", FormatLength(104355 * 9 * Hour)},
		// The night of Monday ends at 06:00 on Tuesday, whose hours begin at 05:00.
		{"a night into the hours of the next day", "UTC", early, "2026-03-02T12:00:00Z", "2026-03-03T12:00:00Z", "9h"},
		{"all day", "Europe/Berlin", everyDay(t, "00:00-24:00", true), "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", "366d"},
	} {
		got := WorkingTime(zoneNamed(t, c.zone), c.s, Window{at(t, c.from), at(t, c.to)})
		equal(t, c.what, FormatLength(got), c.want)
	}
}

// wallClock is the oracle: what a calendar and a watch say, without this package.
func wallClock(loc *time.Location, s *WeeklySchedule, m Millis) bool {
	now := m.Time().In(loc)
	minute := now.Hour()*60 + now.Minute()
	for back := range 2 {
		day := time.Date(now.Year(), now.Month(), now.Day()-back, 0, 0, 0, 0, time.UTC)
		if s.Holidays[MakeDate(day.Date())] {
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

// drawSchedule draws hours for each weekday, nights that reach into the hours of
// the next day included, and holidays around d.
func drawSchedule(t *rapid.T, d Date) *WeeklySchedule {
	s := &WeeklySchedule{Holidays: map[Date]bool{}}
	for day := range s.Hours {
		s.Weekend[day] = rapid.Bool().Draw(t, "weekend")
		// From a list, for rapid likes small numbers, and few nights would cross midnight.
		starts := rapid.SliceOfNDistinct(rapid.SampledFrom([]int{0, 61, 120, 150, 300, 545, 600, 780, 1080, 1320, 1410, 1439}), 0, 3, rapid.ID[int]).Draw(t, "starts")
		slices.Sort(starts)
		for i, from := range starts {
			limit := from + 1440
			if i+1 < len(starts) {
				limit = starts[i+1]
			}
			to := from + rapid.SampledFrom([]int{1, 29, 60, 119, 240, 540, 620, 1440}).Draw(t, "length")
			s.Hours[day] = append(s.Hours[day], Span{from, min(to, limit)})
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "holidays") {
		s.Holidays[d+Date(rapid.IntRange(-3, 3).Draw(t, "holiday"))] = true
	}
	return s
}

func TestWorkingTimeIsACountOfMinutes(t *testing.T) {
	names := allZones(t)
	rapid.Check(t, func(t *rapid.T) {
		z, m := oracleZone(t, names)
		start := floorDiv(m, Minute) * Minute
		w := Window{start, start + Millis(rapid.IntRange(0, 4000).Draw(t, "minutes"))*Minute}
		s, loc := drawSchedule(t, z.Date(start)), location(t, z.Name())
		var want Millis
		for at := w.Start; at < w.End; at += Minute {
			working := wallClock(loc, s, at)
			if working {
				want += Minute
			}
			if class := Classify(z, s, at); (class == Working) != working {
				t.Fatalf("%s %s: class %s, but the wall clock says %t", z, at, class, working)
			}
		}
		if got := WorkingTime(z, s, w); got != want {
			t.Fatalf("%s %s: got %s, want %s", z, w, FormatLength(got), FormatLength(want))
		}
	})
}

func TestWorkingTimeAddsUp(t *testing.T) {
	names := allZones(t)
	rapid.Check(t, func(t *rapid.T) {
		z, a := oracleZone(t, names)
		b := a + Millis(rapid.Int64Range(0, int64(20*Day)).Draw(t, "b"))
		c := b + Millis(rapid.Int64Range(0, int64(20*Day)).Draw(t, "c"))
		s := drawSchedule(t, z.Date(b))
		parts := WorkingTime(z, s, Window{a, b}) + WorkingTime(z, s, Window{b, c})
		if whole := WorkingTime(z, s, Window{a, c}); whole != parts || whole < 0 || whole > c-a {
			t.Fatalf("%s: %s is %d, its parts %d", z, Window{a, c}, whole, parts)
		}
	})
}
