package timeline

import (
	"slices"
	"testing"
	"time"
)

// fataler is what *testing.T and *rapid.T share.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func zoneNamed(t fataler, name string) *Zone {
	t.Helper()
	z, err := LoadZone(name)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return z
}

func at(t fataler, s string) Millis {
	t.Helper()
	m, err := ParseInstant(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return m
}

func date(t fataler, s string) Date {
	t.Helper()
	d, err := ParseDate(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return d
}

func spans(t fataler, s string) []Span {
	t.Helper()
	list, err := ParseSpans(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return list
}

// everyDay has the same hours from Monday to Friday, or on all days.
func everyDay(t fataler, hours string, weekendToo bool) *WeeklySchedule {
	s := DefaultSchedule()
	for day := range s.Hours {
		if !s.Weekend[day] || weekendToo {
			s.Hours[day] = spans(t, hours)
		}
	}
	return s
}

// allZones are the names in the pinned data, sorted.
func allZones(t fataler) []string {
	t.Helper()
	files, err := zoneFiles()
	if err != nil {
		t.Fatalf("%v", err)
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) < 500 {
		t.Fatalf("only %d zones in the pinned data", len(names))
	}
	return names
}

// location is the zone as the standard library reads it: the oracle.
func location(t fataler, name string) *time.Location {
	t.Helper()
	data, err := zoneData(name)
	if err != nil || data == nil {
		t.Fatalf("no data of %s: %v", name, err)
	}
	loc, err := time.LoadLocationFromTZData(name, data)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return loc
}

// hoursOf are the hours of a day, from its start to its end.
func hoursOf(t fataler, z *Zone, day Window) []Window {
	t.Helper()
	var hours []Window
	for at := day.Start; at < day.End; {
		h := z.Hour(at)
		if h.Start != at || h.Empty() {
			t.Fatalf("%s: the hour at %s is %s", z, at, h)
		}
		hours = append(hours, h)
		at = h.End
	}
	return hours
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
