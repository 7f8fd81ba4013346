package timeline

import (
	"fmt"
	"math"
	"time"
)

// Millis is an instant, in milliseconds since 1970-01-01T00:00:00Z, or a length
// of time in milliseconds. Instants of the years 0 to 9999 are meant; nothing is
// promised near the ends of int64.
type Millis int64

// Lengths. Day is 24 hours of UTC; local days are windows (see [Zone.Day]).
const (
	Second Millis = 1000
	Minute        = 60 * Second
	Hour          = 60 * Minute
	Day           = 24 * Hour
)

// The ends of what a run of one offset can cover: for ever.
const (
	minMillis Millis = math.MinInt64
	maxMillis Millis = math.MaxInt64
)

// FromTime rounds down to the millisecond, also before 1970.
func FromTime(t time.Time) Millis { return Millis(t.UnixMilli()) }

// Time is the same instant in UTC.
func (m Millis) Time() time.Time { return time.UnixMilli(int64(m)).UTC() }

// String is the instant in RFC 3339, in UTC, with a fraction only where there is
// one: 2026-03-02T11:00:00Z, 2026-03-02T11:00:00.5Z.
func (m Millis) String() string { return m.Time().Format(time.RFC3339Nano) } // which package time writes faster than any other

// ParseInstant reads an instant in RFC 3339, rounded down to the millisecond.
func ParseInstant(s string) (Millis, error) {
	m, _, err := ParseInstantOffset(s)
	return m, err
}

// ParseInstantOffset reads an instant in RFC 3339 and also returns the offset
// that it was written with, in minutes east of UTC: evidence of where its author
// was. Offsets that no zone has are read too; [FixedZone] refuses them.
func ParseInstantOffset(s string) (m Millis, minutesEast int, err error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || !strictInstant(s) {
		return 0, 0, fmt.Errorf("%w: %q; write it in RFC 3339, as 2026-03-02T11:00:00Z or 2026-03-02T18:00:00+07:00", ErrBadInstant, s)
	}
	_, seconds := t.Zone()
	return FromTime(t), seconds / 60, nil
}

// strictInstant refuses what time.Parse takes beyond RFC 3339: T9:00:00Z, a decimal
// comma, and offsets such as +07:60, which would give one instant many spellings.
func strictInstant(s string) bool {
	const shortest = "2026-03-02T11:00:00Z"
	if len(s) < len(shortest) || s[len("2026-03-02T11")] != ':' || s[len(shortest)-1] == ',' {
		return false
	}
	if s[len(s)-1] == 'Z' {
		return true
	}
	hours, minutes := s[len(s)-len("07:00"):len(s)-len(":00")], s[len(s)-len("00"):]
	return hours <= "23" && minutes <= "59"
}

// floorDiv and floorMod round towards the past, as / and % do not before 1970.
func floorDiv(m, by Millis) Millis {
	q := m / by
	if m%by < 0 {
		q--
	}
	return q
}

func floorMod(m, by Millis) Millis {
	r := m % by
	if r < 0 {
		r += by
	}
	return r
}
