package timeline

import (
	"fmt"
	"time"
)

// Date is a day of the calendar without a zone: the number of days since
// 1970-01-01, Gregorian throughout.
type Date int32

// ParseDate reads a date such as 2026-03-02.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fmt.Errorf("%w: %q; write year-month-day, as 2026-03-02, and a day that the month has", ErrBadDate, s)
	}
	return dateOf(FromTime(t)), nil
}

// MakeDate is the date of a year, month and day. Months and days beyond their
// range count on, as in [time.Date]: day 0 is the last one of the month before.
func MakeDate(year int, month time.Month, day int) Date {
	return dateOf(FromTime(time.Date(year, month, day, 0, 0, 0, 0, time.UTC)))
}

// dateOf is the date of a local time, which is an instant plus its offset.
func dateOf(local Millis) Date { return Date(floorDiv(local, Day)) }

// local is the date's 00:00 as a local time.
func (d Date) local() Millis { return Millis(d) * Day }

// Civil is the date's year, month and day.
func (d Date) Civil() (year int, month time.Month, day int) { return d.local().Time().Date() }

// Weekday is the date's day of the week.
func (d Date) Weekday() time.Weekday {
	// 1970-01-01 was a Thursday.
	return time.Weekday(floorMod(Millis(d)+Millis(time.Thursday), 7))
}

// AddDays is the date n days later, or earlier for a negative n.
func (d Date) AddDays(n int) Date { return d + Date(n) }

// String is the date as 2026-03-02.
func (d Date) String() string { return d.local().Time().Format(time.DateOnly) }
