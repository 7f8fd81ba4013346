package main

import (
	"context"
	"errors"
	"fmt"

	"meridian/cmd/meridian/config"
)

// Exit codes, which scripts rely on: they change only by addition.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitConfig      = 3   // bad configuration or catalog
	exitUnavailable = 4   // a dependency is unavailable, or a lock is held
	exitDifferences = 5   // differences found
	exitPartly      = 6   // partly failed
	exitInterrupted = 130 // Ctrl-C
)

// exitErr is an error that knows its exit code. A nil err means that what there
// was to say has been said.
type exitErr struct {
	code int
	err  error
}

// errInterrupted is of what was stopped by Ctrl-C, and has said what becomes of it.
var errInterrupted = &exitErr{code: exitInterrupted}

func (e *exitErr) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitErr) Unwrap() error { return e.err }

func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exitErr{code, err}
}

// codeOf returns the exit code of a command's error.
func codeOf(err error) int {
	var coded *exitErr
	var problems config.Problems
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &problems):
		return exitConfig
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitError
}
