package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Span is a piece of a local day in minutes after 00:00: From inclusive, To
// exclusive. To is above 1440 for a night that crosses midnight: 22:00-06:00 is
// {1320, 1800} of the day on which it begins.
type Span struct{ From, To int }

const dayMinutes = int(Day / Minute)

// ParseSpans reads hours such as "10:00-12:00, 13:00-15:00", in order of their
// start. "" is none. An end before its start crosses midnight; an end may be
// 24:00. Overlaps are refused, also of a night with the morning after it.
func ParseSpans(s string) ([]Span, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	bad := func(why string) ([]Span, error) {
		return nil, fmt.Errorf("%w: %q: %s; write them as 09:00-18:00 or 10:00-12:00, 13:00-15:00", ErrBadSpans, s, why)
	}
	var spans []Span
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		from, to, found := strings.Cut(part, "-")
		span := Span{parseClock(from), parseClock(to)}
		switch {
		case !found || span.From < 0 || span.To < 0 || span.From == dayMinutes:
			return bad(fmt.Sprintf("%q is no span of hours and minutes", part))
		case span.From == span.To:
			return bad(fmt.Sprintf("%q is empty, a whole day is 00:00-24:00", part))
		case span.To < span.From:
			span.To += dayMinutes
		}
		spans = append(spans, span)
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	for i, span := range spans {
		next := spans[(i+1)%len(spans)].From
		if i == len(spans)-1 {
			next += dayMinutes
		}
		if span.To > next {
			return bad("two spans overlap")
		}
	}
	return spans, nil
}

// parseClock reads 9:00, 09:00 or 24:00 as minutes; -1 is no time of day.
func parseClock(s string) int {
	h, m, found := strings.Cut(strings.TrimSpace(s), ":")
	hour, err1 := strconv.ParseUint(h, 10, 8)
	minute, err2 := strconv.ParseUint(m, 10, 8)
	if !found || err1 != nil || err2 != nil || len(h) > 2 || len(m) != 2 || minute > 59 || hour*60+minute > uint64(dayMinutes) {
		return -1
	}
	return int(hour*60 + minute)
}

// String is the span as 22:00-06:00.
func (s Span) String() string {
	to := s.To
	if to > dayMinutes {
		to -= dayMinutes
	}
	return fmt.Sprintf("%02d:%02d-%02d:%02d", s.From/60, s.From%60, to/60, to%60)
}

// FormatSpans writes spans so that [ParseSpans] reads them again.
func FormatSpans(spans []Span) string {
	parts := make([]string, len(spans))
	for i, span := range spans {
		parts[i] = span.String()
	}
	return strings.Join(parts, ", ")
}

// holds reports whether a local time, counted from 00:00 of the day on which the
// span begins, is in the span.
func (s Span) holds(local Millis) bool {
	return Millis(s.From)*Minute <= local && local < Millis(s.To)*Minute
}
