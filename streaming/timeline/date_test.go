package timeline

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDates(t *testing.T) {
	for s, want := range map[string]Date{
		"1970-01-01": 0, "1969-12-31": -1, "2000-02-29": 11016, "2024-02-29": 19782, "2026-03-02": 20514, "1600-02-29": -135081,
	} {
		equal(t, s, date(t, s), want)
		equal(t, s, want.String(), s)
	}
	for _, s := range []string{"", "2026-02-29", "1900-02-29", "2026-3-2", "02.03.2026", "2026-13-01", "2026-03-02T00:00:00Z", "2026-00-10"} {
		if got, err := ParseDate(s); !errors.Is(err, ErrBadDate) {
			t.Errorf("%q: got %v, %v, want an error", s, got, err)
		}
	}
}

func TestDateArithmetic(t *testing.T) {
	equal(t, "leap day", date(t, "2024-02-28").AddDays(1).String(), "2024-02-29")
	equal(t, "after the leap day", date(t, "2024-02-28").AddDays(2).String(), "2024-03-01")
	equal(t, "no leap day", date(t, "2026-02-28").AddDays(1).String(), "2026-03-01")
	equal(t, "back", date(t, "2026-01-01").AddDays(-366).String(), "2024-12-31")
	equal(t, "day 0", MakeDate(2026, time.March, 0).String(), "2026-02-28")
	equal(t, "thursday", Date(0).Weekday(), time.Thursday)
	equal(t, "wednesday", Date(-1).Weekday(), time.Wednesday)
	equal(t, "monday", date(t, "2026-03-02").Weekday(), time.Monday)
	rapid.Check(t, func(t *rapid.T) {
		d := Date(rapid.Int32Range(-1_000_000, 4_000_000).Draw(t, "d"))
		year, month, day := d.Civil()
		want := time.Unix(0, 0).UTC().AddDate(0, 0, int(d))
		if MakeDate(year, month, day) != d || d.Weekday() != want.Weekday() || year != want.Year() || month != want.Month() || day != want.Day() {
			t.Fatalf("%d is %d-%d-%d, a %s; want %s", d, year, month, day, d.Weekday(), want)
		}
	})
}
