package timeline

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestInstantsRoundDownAlsoBefore1970(t *testing.T) {
	equal(t, "after", FromTime(time.Unix(0, 1_999_999)), 1)
	equal(t, "before", FromTime(time.Unix(0, -1)), -1)
	equal(t, "UTC", Millis(0).Time().Location(), time.UTC)
}

func TestInstantString(t *testing.T) {
	for m, want := range map[Millis]string{
		0:                 "1970-01-01T00:00:00Z",
		-1:                "1969-12-31T23:59:59.999Z",
		1772449200000:     "2026-03-02T11:00:00Z",
		1772449200500:     "2026-03-02T11:00:00.5Z",
		1772449200050:     "2026-03-02T11:00:00.05Z",
		1709164800000:     "2024-02-29T00:00:00Z",
		-2208988800000:    "1900-01-01T00:00:00Z",
		1772449200000 + 1: "2026-03-02T11:00:00.001Z",
	} {
		equal(t, want, m.String(), want)
	}
}

func TestParseInstant(t *testing.T) {
	for s, want := range map[string]Millis{
		"2026-03-02T11:00:00Z":           1772449200000,
		"2026-03-02T18:00:00+07:00":      1772449200000,
		"2026-03-02T07:30:00.5-03:30":    1772449200500,
		"2026-03-02T11:00:00.000999999Z": 1772449200000,
		"1969-12-31T23:59:59.9999Z":      -1,
	} {
		got, err := ParseInstant(s)
		if err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "now", "2026-03-02", "2026-03-02T11:00:00", "2026-03-02 11:00:00Z", "2026-02-29T00:00:00Z", "2026-03-02T9:00:00Z",
		"2026-03-02T11:00:00,5Z", "2026-03-02T24:00:00Z", "2026-03-02T11:00:00+0700", "2026-03-02T11:00:00+07:60", "2026-03-02T11:00:00+24:00", "2026-03-02T11:00:00-99:00", "2026-03-02t11:00:00z", "1772449200",
	} {
		if got, err := ParseInstant(s); !errors.Is(err, ErrBadInstant) {
			t.Errorf("%q: got %v, %v, want an error", s, got, err)
		}
	}
}

func TestParseInstantOffset(t *testing.T) {
	for s, want := range map[string]int{
		"2022-05-22T09:07:00+08:00":     480,
		"2022-05-21T20:59:51-04:00":     -240,
		"2026-03-02T11:00:00+05:45":     345,
		"2026-03-02T11:00:00Z":          0,
		"2026-03-02T11:00:00.123-03:30": -210,
	} {
		_, got, err := ParseInstantOffset(s)
		if err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", s, got, err, want)
		}
	}
}

func TestInstantsReadWhatTheyWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Millis(rapid.Int64Range(-62167219200000, 253402300799999).Draw(t, "m")) // years 0 to 9999
		if got := at(t, m.String()); got != m {
			t.Fatalf("%d was written %s and read %d", m, m, got)
		}
	})
}
