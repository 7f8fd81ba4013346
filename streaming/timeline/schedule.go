package timeline

import "time"

// DayKind is what a date is for somebody.
type DayKind uint8

// The kinds of a date.
const (
	Workday DayKind = iota
	Weekend
	Holiday
)

// String is the kind as a word.
func (k DayKind) String() string {
	switch k {
	case Workday:
		return "workday"
	case Weekend:
		return "weekend"
	case Holiday:
		return "holiday"
	}
	return "unknown"
}

// DayPlan is what a schedule says about one date.
//
// Spans on a weekend are worked: somebody whose hours name Saturday works on it.
// Spans on a holiday are not worked; they only tell how far a night that begins
// on the holiday reaches into the date after it.
type DayPlan struct {
	Kind  DayKind
	Spans []Span // sorted, without overlap, as from ParseSpans
}

// Schedule is the working hours of a person or team. It is asked for each date by
// itself, so hours that change on some date are just another answer.
//
// On is a pure function, safe for concurrent use, and cheap: it is called for
// every event and for every day of a working-hours clock. The caller does not
// change the spans.
type Schedule interface {
	On(d Date) DayPlan
}

// WeeklySchedule is the same hours every week, except on holidays. It must not be
// changed once it is in use.
type WeeklySchedule struct {
	Hours    [7][]Span // by time.Weekday, Sunday is 0
	Weekend  [7]bool
	Holidays map[Date]bool
}

// DefaultSchedule is 09:00-18:00 from Monday to Friday, without holidays. Each
// call returns a new one.
func DefaultSchedule() *WeeklySchedule {
	s := &WeeklySchedule{}
	for day := time.Monday; day <= time.Friday; day++ {
		s.Hours[day] = []Span{{9 * 60, 18 * 60}}
	}
	s.Weekend[time.Saturday] = true
	s.Weekend[time.Sunday] = true
	return s
}

// On is the plan for date d; a holiday wins over a weekend.
func (s *WeeklySchedule) On(d Date) DayPlan {
	day := d.Weekday()
	plan := DayPlan{Workday, s.Hours[day]}
	if s.Weekend[day] {
		plan.Kind = Weekend
	}
	if s.Holidays[d] {
		plan.Kind = Holiday
	}
	return plan
}
