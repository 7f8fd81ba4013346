package ingest

import "errors"

var (
	// ErrMalformed is wrapped by decoders where the sender must mend its request.
	ErrMalformed = errors.New("malformed delivery")

	// ErrTooLarge is wrapped by an [Appender] for a record that the log cannot hold.
	ErrTooLarge = errors.New("record is too large for the log")
)
