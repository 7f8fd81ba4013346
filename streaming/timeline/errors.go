package timeline

import "errors"

var (
	// ErrUnknownZone says that a name is not in the pinned zone data.
	ErrUnknownZone = errors.New("unknown time zone")
	// ErrBadOffset says that no place on earth is that far from UTC.
	ErrBadOffset = errors.New("impossible zone offset")
	// ErrBadInstant says that a text is not an instant in RFC 3339.
	ErrBadInstant = errors.New("not an instant")
	// ErrBadLength says that a text is not a length of time.
	ErrBadLength = errors.New("not a length of time")
	// ErrBadDate says that a text is not a date.
	ErrBadDate = errors.New("not a date")
	// ErrBadSpans says that a text is not a list of working hours.
	ErrBadSpans = errors.New("not working hours")
)
