package timeline

import (
	"errors"
	"slices"
	"testing"
)

func TestParseSpans(t *testing.T) {
	for s, want := range map[string][]Span{
		"":                         nil,
		"  ":                       nil,
		"09:00-18:00":              {{540, 1080}},
		"9:00 - 18:00":             {{540, 1080}},
		"10:00-12:00, 13:00-15:00": {{600, 720}, {780, 900}},
		"13:00-15:00,10:00-12:00":  {{600, 720}, {780, 900}},
		"10:00-12:00, 12:00-15:00": {{600, 720}, {720, 900}},
		"22:00-06:00":              {{1320, 1800}},
		"22:00-00:00":              {{1320, 1440}},
		"18:00-24:00":              {{1080, 1440}},
		"00:00-24:00":              {{0, 1440}},
		"22:00-06:00, 06:00-07:00": {{360, 420}, {1320, 1800}},
		"12:01-12:00":              {{721, 2160}},
	} {
		got, err := ParseSpans(s)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v, want %v", s, got, err, want)
		}
		again, err := ParseSpans(FormatSpans(got))
		if err != nil || !slices.Equal(again, want) {
			t.Errorf("%q was written %q and read %v, %v", s, FormatSpans(got), again, err)
		}
	}
	for _, s := range []string{
		"9-18", "09:00", "09:00-", "-18:00", "09:00-18:00,", ",", "09:00-09:00", "24:00-06:00", "09:00-24:01", "09:60-18:00", "25:00-26:00",
		"09:00-18:00-20:00", "9:0-18:00", "009:00-18:00", "+9:00-18:00", "09:00-18:00 13:00-15:00", "none",
		"09:00-13:00, 12:59-18:00", "22:00-06:00, 05:00-07:00", "22:00-06:00, 23:00-24:00", "00:00-24:00, 03:00-04:00", "00:00-00:00",
	} {
		if got, err := ParseSpans(s); !errors.Is(err, ErrBadSpans) {
			t.Errorf("%q: got %v, %v, want an error", s, got, err)
		}
	}
}

func FuzzParseSpans(f *testing.F) {
	for _, s := range []string{"09:00-18:00", "10:00-12:00, 13:00-15:00", "22:00-06:00", "00:00-24:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseSpans(s)
		if err != nil {
			return
		}
		again, err := ParseSpans(FormatSpans(got))
		if err != nil || !slices.Equal(again, got) {
			t.Fatalf("%q was read %v, written %q and read %v, %v", s, got, FormatSpans(got), again, err)
		}
		for _, span := range got {
			if span.From < 0 || span.From >= 1440 || span.To <= span.From || span.To > span.From+1440 {
				t.Fatalf("%q was read %v", s, got)
			}
		}
	})
}
