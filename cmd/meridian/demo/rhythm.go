package demo

import (
	"strings"
	"time"

	"meridian/streaming/timeline"
)

func lower(s string) string { return strings.ToLower(s) }

// mustZone is for the names in this package, all of which a test loads.
func mustZone(name string) *timeline.Zone {
	z, err := timeline.LoadZone(name)
	if err != nil {
		panic(err)
	}
	return z
}

// scheduleOf reads hours as the catalog of this package writes them.
func scheduleOf(hours string) *timeline.WeeklySchedule {
	s := timeline.DefaultSchedule()
	if !strings.HasPrefix(hours, "{") {
		spans := mustSpans(hours)
		for day := time.Monday; day <= time.Friday; day++ {
			s.Hours[day] = spans
		}
		return s
	}
	names := [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	for day, name := range names {
		if _, rest, ok := strings.Cut(hours, name+`: "`); ok {
			text, _, _ := strings.Cut(rest, `"`)
			s.Hours[day] = mustSpans(text)
		}
	}
	return s
}

func mustSpans(text string) []timeline.Span {
	spans, err := timeline.ParseSpans(text)
	if err != nil {
		panic(err)
	}
	return spans
}

// local is the instant of a minute of local date d.
func (p *person) local(d timeline.Date, minute int) timeline.Millis {
	midnight := p.zone.Midnight(d)
	t := midnight + timeline.Millis(minute)*timeline.Minute
	return t - (p.zone.Offset(t) - p.zone.Offset(midnight)) // clocks may change in between
}

// works reports whether date d is one of p's working days.
func (p *person) works(d timeline.Date) bool {
	return len(p.schedule.On(d).Spans) > 0 && p.schedule.On(d).Kind == timeline.Workday && !p.leave[d]
}

// spans calls yield with the pieces of time that p works from t on.
func (p *person) spans(t timeline.Millis, yield func(timeline.Window) bool) {
	// A night that is still going on began yesterday.
	for d := p.zone.Date(t).AddDays(-1); ; d = d.AddDays(1) {
		if !p.works(d) {
			continue
		}
		for _, s := range p.schedule.On(d).Spans {
			w := timeline.Window{Start: max(t, p.local(d, s.From)), End: p.local(d, s.To)}
			if !w.Empty() && !yield(w) {
				return
			}
		}
	}
}

// after is when p has worked for that long since t.
func (p *person) after(t, work timeline.Millis) (at timeline.Millis) {
	p.spans(t, func(w timeline.Window) bool {
		if work < w.Length() {
			at = w.Start + work
			return false
		}
		work -= w.Length()
		return true
	})
	return at
}

// atWork reports whether p is at work at t.
func (p *person) atWork(t timeline.Millis) bool { return p.after(t, 0) == t }

// awake reports whether p may be up at t, at work or not.
func (p *person) awake(t timeline.Millis) bool {
	hour, _ := p.zone.Clock(t)
	return hour >= 7 && hour < 23
}

// seconds cuts t to the precision of GitHub's times.
func seconds(t timeline.Millis) timeline.Millis { return t - t%timeline.Second }
