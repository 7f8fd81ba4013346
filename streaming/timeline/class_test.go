package timeline

import "testing"

func TestClassify(t *testing.T) {
	office := DefaultSchedule()
	to1830 := everyDay(t, "09:00-18:30", false)
	night := everyDay(t, "22:00-06:00", false)
	night.Holidays = map[Date]bool{date(t, "2026-03-05"): true, date(t, "2026-03-10"): true} // a Thursday, a Tuesday
	saturdays := DefaultSchedule()
	saturdays.Hours[6] = spans(t, "10:00-12:00, 13:00-15:00")
	saturdays.Holidays = map[Date]bool{date(t, "2026-03-07"): true}

	for _, c := range []struct {
		zone, instant string
		s             Schedule
		want          Class
	}{
		// A Friday evening in Los Angeles is Saturday in UTC.
		{"America/Los_Angeles", "2026-04-18T01:00:00Z", office, Evening},
		{"America/Los_Angeles", "2026-04-18T00:59:59.999Z", office, Working},
		// One weekend, seen from two places.
		{"+08:00", "2022-05-22T09:07:00+08:00", office, WeekendClass},
		{"-04:00", "2022-05-21T20:59:51-04:00", office, WeekendClass},
		// Start inclusive, end exclusive.
		{"Asia/Ho_Chi_Minh", "2026-03-02T02:00:00Z", office, Working},
		{"Asia/Ho_Chi_Minh", "2026-03-02T01:59:59.999Z", office, Evening},
		{"Asia/Ho_Chi_Minh", "2026-03-02T10:59:59.999Z", office, Working},
		{"Asia/Ho_Chi_Minh", "2026-03-02T11:00:00Z", office, Evening},
		// Half-hour zones and hours.
		{"Asia/Kolkata", "2026-03-02T12:45:00Z", to1830, Working},
		{"Asia/Kolkata", "2026-03-02T13:00:00Z", to1830, Evening},
		{"Asia/Kathmandu", "2026-03-06T18:14:59Z", office, Evening},
		{"Asia/Kathmandu", "2026-03-06T18:15:00Z", office, WeekendClass},
		// A night belongs to the day on which it began. 2026-03-06 is a Friday.
		{"UTC", "2026-03-06T21:59:59Z", night, Evening},
		{"UTC", "2026-03-06T22:00:00Z", night, Working},
		{"UTC", "2026-03-07T05:59:59Z", night, Working},
		{"UTC", "2026-03-07T06:00:00Z", night, WeekendClass},
		{"UTC", "2026-03-07T23:00:00Z", night, WeekendClass},
		{"UTC", "2026-03-09T03:00:00Z", night, Evening}, // Monday: no night began on Sunday
		// The holiday takes its whole night, and leaves the one before alone.
		{"UTC", "2026-03-05T03:00:00Z", night, Working},
		{"UTC", "2026-03-05T12:00:00Z", night, HolidayClass},
		{"UTC", "2026-03-05T23:00:00Z", night, HolidayClass},
		{"UTC", "2026-03-06T03:00:00Z", night, HolidayClass},
		{"UTC", "2026-03-06T06:00:00Z", night, Evening},
		{"UTC", "2026-03-10T05:59:59Z", night, Working},
		// Hours on a Saturday are worked, unless it is a holiday.
		{"UTC", "2026-02-28T11:00:00Z", saturdays, Working},
		{"UTC", "2026-02-28T12:00:00Z", saturdays, WeekendClass},
		{"UTC", "2026-02-28T13:00:00Z", saturdays, Working},
		{"UTC", "2026-03-07T11:00:00Z", saturdays, HolidayClass},
		// 02:30 does not exist on this day; 03:00 comes right after 01:59.
		{"Europe/Berlin", "2026-03-29T00:59:59Z", everyDay(t, "02:00-03:00", true), WeekendClass},
		{"Europe/Berlin", "2026-03-29T01:00:00Z", everyDay(t, "02:00-03:00", true), WeekendClass},
		// And it comes twice in autumn.
		{"Europe/Berlin", "2026-10-25T00:30:00Z", everyDay(t, "02:00-03:00", true), Working},
		{"Europe/Berlin", "2026-10-25T01:30:00Z", everyDay(t, "02:00-03:00", true), Working},
	} {
		z, err := ParseZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := Classify(z, c.s, at(t, c.instant)); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.zone, c.instant, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	equal(t, "classes", Working.String()+" "+Evening.String()+" "+WeekendClass.String()+" "+HolidayClass.String(), "working evening weekend holiday")
	equal(t, "kinds", Workday.String()+" "+Weekend.String()+" "+Holiday.String(), "workday weekend holiday")
}

func TestDefaultScheduleIsANewOne(t *testing.T) {
	DefaultSchedule().Hours[1][0].To = 0
	equal(t, "monday", FormatSpans(DefaultSchedule().On(date(t, "2026-03-02")).Spans), "09:00-18:00")
	equal(t, "saturday", DefaultSchedule().On(date(t, "2026-03-07")).Kind, Weekend)
	equal(t, "sunday", len(DefaultSchedule().On(date(t, "2026-03-08")).Spans), 0)
}
