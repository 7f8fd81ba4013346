package web

import (
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
)

func zoneNamed(t *testing.T, name string) *timeline.Zone {
	t.Helper()
	z, err := timeline.LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func listed(t *testing.T, z *timeline.Zone, g metrics.Grain, from, to string) string {
	t.Helper()
	a, err := timeline.ParseInstant(from)
	if err != nil {
		t.Fatal(err)
	}
	b, err := timeline.ParseInstant(to)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for w := range windows(z, g, a, b) {
		out = append(out, w.Start.String()+" "+w.End.String())
	}
	return strings.Join(out, "\n")
}

func TestWindowsOfWideGrains(t *testing.T) {
	berlin := zoneNamed(t, "Europe/Berlin")
	for _, c := range []struct {
		grain          metrics.Grain
		from, to, want string
	}{
		// Clocks go forward on Sunday, 29 March 2026: that week is an hour short.
		{metrics.Week, "2026-03-22T23:00:00Z", "2026-03-30T00:00:00Z", "2026-03-22T23:00:00Z 2026-03-29T22:00:00Z\n2026-03-29T22:00:00Z 2026-04-05T22:00:00Z"},
		{metrics.Week, "2026-03-22T23:00:01Z", "2026-03-29T22:00:00Z", ""}, // it started before, and the next has not
		{metrics.Month, "2026-01-31T23:00:00Z", "2026-04-01T00:00:00Z", "2026-01-31T23:00:00Z 2026-02-28T23:00:00Z\n2026-02-28T23:00:00Z 2026-03-31T22:00:00Z\n2026-03-31T22:00:00Z 2026-04-30T22:00:00Z"},
		{metrics.Quarter, "2025-11-01T00:00:00Z", "2026-04-02T00:00:00Z", "2025-12-31T23:00:00Z 2026-03-31T22:00:00Z\n2026-03-31T22:00:00Z 2026-06-30T22:00:00Z"},
		{metrics.Range, "2026-03-02T12:00:00Z", "2026-03-04T12:00:00Z", "2026-03-02T23:00:00Z 2026-03-04T23:00:00Z"},
		{metrics.Range, "2026-03-02T12:00:00Z", "2026-03-02T13:00:00Z", ""}, // no day starts in it
		{metrics.Week, "2026-03-02T00:00:00Z", "2026-03-02T00:00:00Z", ""},
	} {
		if got := listed(t, berlin, c.grain, c.from, c.to); got != c.want {
			t.Errorf("%s from %s to %s:\n%s\nwant\n%s", c.grain, c.from, c.to, got, c.want)
		}
	}
}

func TestTicksAreFewAndInsideInAnyZone(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago", "Pacific/Apia"} {
		z := zoneNamed(t, name)
		for _, days := range []int{1, 2, 3, 7, 14, 30, 45, 60, 90, 180, 365, 800} {
			for _, today := range []timeline.Date{timeline.MakeDate(2026, 3, 30), timeline.MakeDate(2026, 10, 26), timeline.MakeDate(2012, 1, 2)} {
				w := timeline.Window{Start: z.Midnight(today.AddDays(1 - days)), End: z.Midnight(today + 1)}
				got := ticks(z, w, w.End)
				if len(got) < 1 || len(got) > 9 {
					t.Errorf("%s, %d days: %d ticks", name, days, len(got))
				}
				for _, k := range got {
					if k.At < int64(w.Start) || k.At >= int64(w.End) || k.Text == "" {
						t.Errorf("%s, %d days: tick %+v outside %s", name, days, k, w)
					}
				}
			}
		}
	}
}

func TestWindowText(t *testing.T) {
	z := zoneNamed(t, "Asia/Kathmandu")
	now := z.Midnight(timeline.MakeDate(2026, 3, 3))
	for g, want := range map[metrics.Grain]string{
		metrics.Hour: "Mon 2 Mar, 00:00–01:00", metrics.Day: "Mon 2 Mar", metrics.Day30: "30 days to 31 Mar", metrics.Range: "2 Mar – 2 Mar",
	} {
		d := timeline.MakeDate(2026, 3, 2)
		w := z.Day(d)
		switch g {
		case metrics.Hour:
			w = z.Hour(w.Start)
		case metrics.Day30:
			w = z.Days30(d + 29)
		}
		if got := windowText(language.English, z, g, w, now); got != want {
			t.Errorf("%s: %q, want %q", g, got, want)
		}
	}
	old := z.Day(timeline.MakeDate(2025, 12, 31))
	if got := windowText(language.English, z, metrics.Day, old, now); got != "Wed 31 Dec 2025" {
		t.Errorf("last year: %q", got)
	}
}
