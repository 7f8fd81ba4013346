package ingest

import (
	"fmt"
	"time"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

const (
	// maxStep is how far wall and monotonic clock may drift apart between two ticks.
	// Slewing by NTP moves both; a step of the wall moves one. It is also how far this
	// machine may be behind another one's ticks.
	maxStep = 10 * timeline.Second

	// maxJump is how far a tick may be ahead of the one before on this clock's word
	// alone. A tick cannot be taken back, and one in 2099 would make everything late.
	maxJump = 24 * timeline.Hour

	// agreement is how close to the wall clock the newest event of a signed delivery
	// must be to vouch for it. Webhooks come within seconds; a clock that is an hour
	// off finds no witness.
	agreement = 10 * timeline.Minute
)

// guard decides whether the wall clock can be believed. It is a pure state machine
// over moments; the ticker asks it before each tick.
type guard struct {
	last    streaming.Clock // the highest tick that it gave, or found on the log
	others  streaming.Clock // the highest that other ingesters have told of
	base    moment          // when the two clocks were last known to agree
	vouched bool            // somebody else has confirmed the wall since its last step
	doubt   string          // of the last check that failed, a sentence
}

func newGuard(last streaming.Clock, now moment) guard {
	return guard{last: last, others: streaming.NoClock, base: now}
}

// check reports whether a tick may be given at now; doubt says why not.
func (g *guard) check(now moment) bool {
	passed := timeline.Millis((now.mono - g.base.mono) / time.Millisecond)
	step := now.wall - g.base.wall - passed
	tick := streaming.RoundOf(now.wall).Clock()
	switch {
	case step > maxStep || step < -maxStep:
		way := "ahead"
		if step < 0 {
			way, step = "back", -step
		}
		g.doubt = fmt.Sprintf("this machine's clock was set %s by %s and shows %s; ticks are stopped until it is set right, a signed delivery agrees with it, or somebody says `meridian clock trust`",
			way, timeline.FormatLength(step), now.wall)
	case g.others != streaming.NoClock && tick < g.others-maxStep:
		g.doubt = fmt.Sprintf("this machine's clock shows %s, and another ingester has given a tick at %s: one of the two clocks is wrong, and numbers go by the later one; ticks of this machine go on when it is past that: check both clocks", now.wall, g.others)
	case g.last == streaming.NoClock:
		return true
	case tick < g.last:
		g.doubt = fmt.Sprintf("this machine's clock shows %s, which is before the last tick (%s); ticks go on when it is past that: check the clock", now.wall, g.last)
	case tick-g.last > maxJump && !g.vouched:
		g.doubt = fmt.Sprintf("this machine's clock shows %s, which is more than a day after the last tick (%s); ticks go on when a signed delivery agrees with it, or somebody says `meridian clock trust`", now.wall, g.last)
	default:
		return true
	}
	return false
}

// ticked notes a tick that was given at now. The base moves along, so that many
// small corrections over months are no step.
func (g *guard) ticked(tick timeline.Millis, now moment) {
	g.last, g.base = max(g.last, tick), now
}

// delivered lets a signed delivery vouch for the wall clock.
func (g *guard) delivered(d *LoggedDelivery, now moment) {
	for i := range d.Events {
		e := &d.Events[i]
		if apart := now.wall - e.Time; e.Defect == "" && apart <= agreement && apart >= -agreement {
			g.trust(now)
			return
		}
	}
}

func (g *guard) trust(now moment) { g.base, g.vouched = now, true }
