package timeline

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestParseLength(t *testing.T) {
	for s, want := range map[string]Millis{
		"92d": 92 * 24 * 3600 * 1000, "1h30m": 5_400_000, "500ms": 500, "0": 0, "0s": 0, "90m": 5_400_000,
		"1d2h3m4s5ms": 93_784_005, "1m5ms": 60_005, "007s": 7000, "9223372036854775807ms": math.MaxInt64,
	} {
		got, err := ParseLength(s)
		if err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "-1h", "+1h", "1", "h", "1h30", "1.5h", "1h 30m", " 1h", "1w", "1H", "30m1h", "1h1h", "ms", "1µs", "٣h",
		"9223372036854775808ms", "106751991168d", "106751991167d24h", "99999999999999999999s", "1d9223372036854775807ms",
	} {
		if got, err := ParseLength(s); !errors.Is(err, ErrBadLength) {
			t.Errorf("%q: got %d, %v, want an error", s, got, err)
		}
	}
}

func TestFormatLength(t *testing.T) {
	for m, want := range map[Millis]string{
		0: "0s", 92 * Day: "92d", 90 * Minute: "1h30m", 500: "500ms", 25 * Hour: "1d1h", 9000 * Second: "2h30m",
		-90 * Minute: "-1h30m", math.MinInt64: "-106751991167d7h12m55s808ms",
	} {
		equal(t, want, FormatLength(m), want)
	}
}

func TestLengthsReadWhatTheyWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Millis(rapid.Int64Min(0).Draw(t, "m"))
		if got, err := ParseLength(FormatLength(m)); err != nil || got != m {
			t.Fatalf("%d was written %s and read %d, %v", m, FormatLength(m), got, err)
		}
	})
}

func FuzzParseLength(f *testing.F) {
	for _, s := range []string{"92d", "1h30m", "500ms", "-1h", "1d9223372036854775807ms"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseLength(s)
		if err != nil {
			return
		}
		if again, err := ParseLength(FormatLength(m)); m < 0 || err != nil || again != m {
			t.Fatalf("%q was read as %d, written %s and read %d, %v", s, m, FormatLength(m), again, err)
		}
	})
}
