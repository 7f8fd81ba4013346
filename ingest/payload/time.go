package payload

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Time is an instant as a payload writes it: RFC 3339, with or without the colon
// of its offset (Jira leaves it out), or a number of seconds (pushed_at of GitHub's
// pushes) or milliseconds (timestamp of Jira). It never fails to unmarshal, for
// one impossible date must not cost the delivery; ask Known or Bad.
type Time struct {
	At     timeline.Millis
	offset int16 // minutes east, as written
	state  uint8
}

const (
	timeAbsent uint8 = iota
	timeKnown
	timeBad
)

// Instants outside these are nobody's; inside them an instant can be written
// with any offset and read again.
var (
	earliest = timeline.FromTime(time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC))
	latest   = timeline.FromTime(time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC))
)

// ParseTime reads a time from text.
func ParseTime(s string) Time {
	if n := len(s); n > 5 && (s[n-5] == '+' || s[n-5] == '-') && !strings.Contains(s[n-5:], ":") {
		s = s[:n-2] + ":" + s[n-2:]
	}
	at, east, err := timeline.ParseInstantOffset(s)
	if err != nil || at < earliest || at > latest {
		return Time{state: timeBad}
	}
	if _, err := timeline.FixedZone(east); err != nil {
		return Time{state: timeBad}
	}
	return Time{At: at, offset: int16(east), state: timeKnown}
}

// Known reports whether there is a time and it can be read.
func (t Time) Known() bool { return t.state == timeKnown }

// Bad reports whether there is a time that cannot be read: no such date, no
// such offset, or no date at all.
func (t Time) Bad() bool { return t.state == timeBad }

// IsZero reports whether there is no time; encoding/json leaves it out then.
func (t Time) IsZero() bool { return t.state == timeAbsent }

// Or is t, or where t is not known, u.
func (t Time) Or(u Time) Time {
	if t.Known() {
		return t
	}
	return u
}

// Local is what the offset says of the place of whoever wrote the time. No
// offset is no evidence: most systems write all their times in UTC.
func (t Time) Local() event.LocalEvidence {
	return event.LocalEvidence{HasOffset: t.offset != 0, Offset: t.offset}
}

// UnmarshalJSON reads text, seconds or milliseconds.
func (t *Time) UnmarshalJSON(data []byte) error {
	*t = Time{state: timeBad}
	switch {
	case string(data) == "null":
		*t = Time{}
	case data[0] == '"':
		var s string
		if json.Unmarshal(data, &s) == nil {
			*t = ParseTime(s)
		}
	default:
		n, err := strconv.ParseInt(string(data), 10, 64)
		if err == nil && n > 0 && n <= int64(latest) {
			// As seconds, 1e11 is the year 5138; as milliseconds, 1973.
			if n < 1e11 {
				n *= 1000
			}
			*t = Time{At: timeline.Millis(n), state: timeKnown}
		}
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads as the same Time. A bad time
// stays bad, without its text.
func (t Time) MarshalJSON() ([]byte, error) {
	switch t.state {
	case timeKnown:
		zone := time.FixedZone("", int(t.offset)*60)
		return json.Marshal(t.At.Time().In(zone).Format("2006-01-02T15:04:05.999Z07:00"))
	case timeBad:
		return []byte(`"invalid"`), nil
	}
	return []byte("null"), nil
}
