package web

import (
	"fmt"
	"regexp"
	"time"

	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// Labels of instants are written in a zone: whose it is, the page says beside
// them. The year is left out where it is the present one.

func dayText(d, today timeline.Date) string {
	year, month, day := d.Civil()
	text := fmt.Sprintf("%d %s", day, month.String()[:3])
	if now, _, _ := today.Civil(); now != year {
		text += fmt.Sprintf(" %d", year)
	}
	return text
}

func clockText(z *timeline.Zone, t timeline.Millis) string {
	hour, minute := z.Clock(t)
	return fmt.Sprintf("%02d:%02d", hour, minute)
}

// instant is a time of the day with its date.
func instant(z *timeline.Zone, t, now timeline.Millis) views.Time {
	if t <= 0 { // not known
		return views.Time{}
	}
	return views.Time{Text: dayText(z.Date(t), z.Date(now)) + ", " + clockText(z, t), Exact: t.String()}
}

// moment is an instant in the organisation's zone, which it says: for pages
// that are of no team.
func (s *Server) moment(t timeline.Millis) views.Time {
	z := s.directory.Zone()
	v := instant(z, t, timeline.FromTime(s.now()))
	if v.Text != "" {
		v.Text += " " + z.Name()
	}
	return v
}

var instants = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// local writes the instants of a sentence that a part has said as the rest of a
// page has them.
func (s *Server) local(sentence string) string {
	return instants.ReplaceAllStringFunc(sentence, func(text string) string {
		if t, err := timeline.ParseInstant(text); err == nil && t > 0 {
			return s.moment(t).Text
		}
		return text
	})
}

// windowText names a window as its grain is spoken of.
func windowText(say *language.Words, z *timeline.Zone, g metrics.Grain, w timeline.Window, now timeline.Millis) string {
	first, last, today := z.Date(w.Start), z.Date(w.End-1), z.Date(now)
	switch g {
	case metrics.Hour:
		return fmt.Sprintf("%s %s, %s–%s", weekday(first), dayText(first, today), clockText(z, w.Start), clockText(z, w.End))
	case metrics.Day:
		return weekday(first) + " " + dayText(first, today)
	case metrics.Day30:
		return say.Number.DaysTo(dayText(last, today))
	}
	return periodText(z, w, now)
}

func weekday(d timeline.Date) string { return d.Weekday().String()[:3] }

// periodText is a range of dates: 2 Feb – 3 Mar.
func periodText(z *timeline.Zone, w timeline.Window, now timeline.Millis) string {
	today := z.Date(now)
	return dayText(z.Date(w.Start), today) + " – " + dayText(z.Date(w.End-1), today)
}

// agoText says roughly how long ago; the exact time stands beside it.
func agoText(say *language.Words, d time.Duration) string {
	switch {
	case d < 5*time.Second:
		return say.Number.JustNow
	case d < time.Minute:
		return say.Number.SecondsAgo(int(d.Seconds()))
	case d < time.Hour:
		return say.Number.MinutesAgo(int(d.Minutes()))
	case d < 48*time.Hour:
		return say.Number.HoursAgo(int(d.Hours()))
	}
	return say.Number.DaysAgo(int(d.Hours() / 24))
}

// ticks labels a time axis with at most seven local times, at even steps.
func ticks(z *timeline.Zone, w timeline.Window, now timeline.Millis) (out []views.XTick) {
	const most = 7
	today := z.Date(now)
	if w.Length() <= 48*timeline.Hour {
		step := 3
		if w.Length() > 21*timeline.Hour {
			step = 6
		}
		for h := z.Hour(w.Start); h.Start < w.End; h = z.Hour(h.End) {
			if hour, _ := z.Clock(h.Start); h.Start >= w.Start && hour%step == 0 {
				text := clockText(z, h.Start)
				if hour == 0 {
					text = dayText(z.Date(h.Start), today)
				}
				out = append(out, views.XTick{At: int64(h.Start), Text: text})
			}
		}
		return out
	}
	first, last := z.Date(w.Start), z.Date(w.End-1)
	add := func(d timeline.Date) {
		if at := z.Midnight(d); at >= w.Start && at < w.End {
			out = append(out, views.XTick{At: int64(at), Text: dayText(d, today)})
		}
	}
	for _, step := range []int{1, 2, 3, 7, 14, 28} {
		if int(last-first)/step >= most {
			continue
		}
		d := first
		if step >= 7 { // weeks begin on Mondays
			d = following(metrics.Week, beginning(metrics.Week, d-1))
		}
		for ; d <= last; d = d.AddDays(step) {
			add(d)
		}
		return out
	}
	months := 0
	for d := beginning(metrics.Month, first); d <= last; d = following(metrics.Month, d) {
		months++
	}
	every := (months + most - 1) / most
	for i, d := 0, beginning(metrics.Month, first); d <= last; i, d = i+1, following(metrics.Month, d) {
		if i%every == 0 {
			add(d)
		}
	}
	return out
}
