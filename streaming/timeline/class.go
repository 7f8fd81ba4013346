package timeline

// Class is how an instant lies to somebody's working hours. Each has exactly one.
type Class uint8

// The classes. Evening is all of a workday outside its hours, nights included.
const (
	Working Class = iota
	Evening
	WeekendClass
	HolidayClass
)

// String is the class as it stands in points and evidence.
func (c Class) String() string {
	switch c {
	case Working:
		return "working"
	case Evening:
		return "evening"
	case WeekendClass:
		return "weekend"
	case HolidayClass:
		return "holiday"
	}
	return "unknown"
}

// Classify is the class of t for somebody with schedule s in zone z, by the clock
// on their wall: a span's start is in it, its end is not.
//
// The part of a night after midnight belongs to the day on which the night began:
// 03:00 on a Saturday is work in hours 22:00-06:00 of Friday, and 03:00 after a
// holiday is holiday. A span that is worked wins over one that is not.
func Classify(z *Zone, s Schedule, t Millis) Class {
	local := z.local(t)
	date := dateOf(local)
	today, before := s.On(date), s.On(date-1)
	if today.Kind != Holiday && holdsAny(today.Spans, local-date.local()) {
		return Working
	}
	if holdsAny(before.Spans, local-(date-1).local()) {
		if before.Kind != Holiday {
			return Working
		}
		return HolidayClass
	}
	switch today.Kind {
	case Weekend:
		return WeekendClass
	case Holiday:
		return HolidayClass
	}
	return Evening
}

func holdsAny(spans []Span, local Millis) bool {
	for _, span := range spans {
		if span.holds(local) {
			return true
		}
	}
	return false
}
