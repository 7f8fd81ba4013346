package webtest

import (
	"errors"
	"time"

	"meridian/web"
)

// State is an organisation in a state that pages have a design for.
type State struct {
	Name         string
	Organisation *Organisation
	Behind       time.Duration // by which the wall clock is ahead of the numbers
}

// States are all of them, for the storybook and the golden files.
func States() []State {
	importing := Acme()
	importing.EngineState.Importing = "41 of 90 days"
	beginning := Empty()
	beginning.List, beginning.EngineState.Importing = importing.List, "41 of 90 days"
	pinged := Empty()
	pinged.SourceList[0].Pings, pinged.SourceList[0].Last, pinged.SourceList[0].Taken, pinged.SourceList[0].LastType = 1, Clock, Clock, "ping"
	doubt := Acme()
	doubt.Parts = append(doubt.Parts, web.Health{Name: "clock", Detail: "this machine's clock shows 2026-04-27T14:05:00Z, which is more than a day after the last tick (2026-03-03T14:05:00Z); ticks go on when a signed delivery agrees with it, or somebody says `meridian clock trust`"})
	broken := Acme()
	broken.Err = errors.New("connection refused")
	broken.Parts[1].OK, broken.Parts[1].Detail = false, "does not answer: start it, or look at its log"
	return []State{
		{"acme", Acme(), 20 * time.Second},
		{"empty", Empty(), 0},
		{"behind", Acme(), 47 * time.Minute},
		{"importing", importing, 0},
		{"broken", broken, 0},
		{"beginning", beginning, 0},
		{"pinged", pinged, 0},
		{"doubt", doubt, 55 * 24 * time.Hour},
	}
}
