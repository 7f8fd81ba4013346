package ingest

import (
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// idAgreement is how far the times of two copies of one fact may lie apart.
// Beyond it they are no copies: one of them is wrong, and route cannot know which.
const idAgreement = timeline.Hour

// Late reports whether a fact of time t is beyond the horizon of a partition
// whose clock is c. It asks for the whole cell of t, so a cell is either open or
// closed for all of its facts at once.
//
// It is asked for two things, and that is what makes double counting impossible:
// for an event's own time (is it late?), and for the time of an accepted one plus
// [idAgreement] (may its id be forgotten?). A copy whose time agrees within an
// hour has a cell that ends no later than that of t plus the hour; so when the id
// has been forgotten, the copy is late.
func Late(t, horizon timeline.Millis, c streaming.Clock) bool {
	if c == streaming.NoClock {
		return false
	}
	return timeline.CellOf(t).End()-1+horizon <= c
}
