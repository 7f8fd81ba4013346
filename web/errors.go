package web

import (
	"fmt"
	"net/http"
)

// Error is an answer other than what was asked for. Title and Detail are for
// whoever asked; Cause is for the log alone.
type Error struct {
	Status int
	Title  string
	Detail string
	Cause  error
}

// Error implements error.
func (e *Error) Error() string {
	s := fmt.Sprintf("%d %s: %s", e.Status, e.Title, e.Detail)
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

func badRequest(format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Title: "The request is not right", Detail: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) *Error {
	return &Error{Status: http.StatusNotFound, Title: "There is no such page", Detail: fmt.Sprintf(format, args...)}
}

// unavailable says that results cannot be read just now. The cause may hold
// addresses, so it is only logged.
func unavailable(cause error) *Error {
	return &Error{
		Status: http.StatusServiceUnavailable, Title: "The numbers cannot be read just now",
		Detail: "The store of results does not answer. Webhooks are still taken; try again in a moment, or look at the status page.",
		Cause:  cause,
	}
}

// withheld says that a person metric may not be shown so finely.
func withheld(detail string) *Error {
	return &Error{Status: http.StatusForbidden, Title: "Withheld to protect people", Detail: detail}
}
