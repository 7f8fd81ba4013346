package views

import "strings"

// Asides are what was set aside and is still open.
type Asides struct {
	Shown bool // the server knows
	Admin bool // bodies may be seen, and things done
	Said  string
	More  bool
	Items []Aside
}

// Aside is one delivery of which something was set aside.
type Aside struct {
	ID, Source, What, State string
	Since                   Time
	Kinds, Reasons          []string
	Detail                  string
	Done                    string // by whom and when, where it is not open
	Href, Retry, Drop       string
}

// Why is its reasons.
func (a Aside) Why() string { return strings.Join(a.Reasons, ", ") }

// Kind is what it would have been.
func (a Aside) Kind() string { return strings.Join(a.Kinds, ", ") }

// AsidePage is one delivery whole.
type AsidePage struct {
	Page       Page
	Aside      Aside
	Type, Sent string
	Headers    []Fact
	Body       string
	Kept       bool
	Back       string
}

// Late is what came late of one source for one cause.
type Late struct {
	Source, Cause, Effect, N string
	Days                     Bars
}
