package catalog

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"meridian/streaming/timeline"
)

// hours are working hours as somebody wrote them down: one text for all days
// that are no weekend, or a mapping of weekdays, in which days that are not
// named keep what they would have had.
type hours struct {
	every []timeline.Span // of the one text
	days  *[7]daySpans    // of a mapping, by time.Weekday; nil for one text
}

type daySpans struct {
	named bool
	spans []timeline.Span
}

// on is what the hours say of a weekday; false where they say nothing.
func (h hours) on(day time.Weekday, weekend bool) ([]timeline.Span, bool) {
	switch {
	case h.days != nil:
		return h.days[day].spans, h.days[day].named
	case weekend:
		return nil, true
	}
	return h.every, true
}

// defaultHours hold where nobody says anything: 09:00-18:00, not on weekends.
var defaultHours = hours{every: timeline.DefaultSchedule().Hours[time.Monday]}

// defaultWeekend is Saturday and Sunday.
var defaultWeekend = timeline.DefaultSchedule().Weekend

// weekdays in the order in which people write them.
var weekdays = [...]struct {
	day         time.Weekday
	short, long string
}{
	{time.Monday, "mon", "monday"}, {time.Tuesday, "tue", "tuesday"}, {time.Wednesday, "wed", "wednesday"},
	{time.Thursday, "thu", "thursday"}, {time.Friday, "fri", "friday"},
	{time.Saturday, "sat", "saturday"}, {time.Sunday, "sun", "sunday"},
}

func parseWeekday(s string) (time.Weekday, bool) {
	for _, w := range weekdays {
		if strings.EqualFold(s, w.short) || strings.EqualFold(s, w.long) {
			return w.day, true
		}
	}
	return 0, false
}

const weekdayHint = "write mon, tue, wed, thu, fri, sat or sun"

func (r *reader) hours(n *yaml.Node) (h hours, ok bool) {
	if real(n).Kind != yaml.MappingNode {
		h.every, ok = r.spans(n)
		return h, ok
	}
	h.days = new([7]daySpans)
	r.pairs(n, "hours", func(key, value *yaml.Node) {
		day, known := parseWeekday(key.Value)
		if !known {
			r.problem(key, "%q is no day of the week; %s", key.Value, weekdayHint)
			return
		}
		if h.days[day].named {
			r.problem(key, "hours say %s twice; keep one", day)
		}
		if spans, ok := r.spans(value); ok {
			h.days[day] = daySpans{true, spans}
		}
	})
	return h, true
}

func (r *reader) spans(n *yaml.Node) ([]timeline.Span, bool) {
	n = real(n)
	if n.Kind != yaml.ScalarNode || absent(n) {
		r.problem(n, `hours must be a text such as "09:00-18:00"; write "" for a day without work`)
		return nil, false
	}
	spans, err := timeline.ParseSpans(n.Value)
	if err != nil {
		r.problem(n, "%s", sentence(err))
		return nil, false
	}
	for _, s := range spans {
		if length := s.To - s.From; s.To > 24*60 && length > longestNight {
			from, to, _ := strings.Cut(s.String(), "-")
			r.problem(n, "%q goes past midnight and is %d hours long; if that is meant, write 00:00-%s, %s-24:00", n.Value, length/60, to, from)
			return nil, false
		}
	}
	return spans, true
}

// longestNight is how many minutes hours past midnight may be long: 09:00-8:00 is
// more likely a slip than a day of 23 hours.
const longestNight = 16 * 60

func (r *reader) weekend(n *yaml.Node) (weekend [7]bool, ok bool) {
	for _, element := range r.elements(n) {
		s, isText := r.text(element, "a day of the weekend")
		if !isText {
			continue
		}
		day, known := parseWeekday(s)
		if !known {
			r.problem(element, "%q is no day of the week; %s", s, weekdayHint)
			continue
		}
		weekend[day] = true
	}
	return weekend, true
}

func (r *reader) zone(n *yaml.Node) (*timeline.Zone, bool) {
	name, ok := r.text(n, "a zone")
	if !ok {
		return nil, false
	}
	z, err := timeline.LoadZone(name)
	if err != nil {
		r.problem(n, "%s", sentence(err))
		return nil, false
	}
	return z, true
}
