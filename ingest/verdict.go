package ingest

import (
	"meridian/ingest/event"
	"meridian/streaming"
)

// judgement is a verdict with how it came about.
type judgement struct {
	verdict event.Verdict
	reason  string // of a quarantine

	lateAccepted, healed, backfilled bool
}

func quarantined(reason string) judgement {
	return judgement{verdict: event.Quarantined, reason: reason}
}

// judge gives an event its verdict, for ever, and remembers it when it is
// accepted. c is the clock of the delivery's own partition before the record.
// The questions are asked in this order:
//
//	defect?    the decoder could read that it is there, and not what it says
//	future?    its time is beyond what anybody could know yet
//	late?      its cell is closed; never so in history
//	duplicate? its id was accepted and is remembered
//	apply
//
// Late comes before duplicate: a copy of a fact beyond the horizon is late, even
// in the hour for which its id is remembered longer, so that the two verdicts
// meet without an instant between them.
//
// What an API read brings is never late by its own fault. Inside the horizon it
// is accepted and counted as backfilled; beyond it, it waits with that mark for
// the next generation, in whose history it will be accepted.
func (r *Route) judge(c streaming.Clock, d *Delivery, e *event.Event, history bool) judgement {
	if e.Defect != "" {
		return quarantined(event.ReasonInvalid)
	}

	known := d.Received
	if !history {
		known = max(known, c)
	}
	if e.Time > known+r.config.FutureSkew {
		return quarantined(event.ReasonFuture)
	}

	beyond := Late(e.Time, r.config.Horizon, c)
	if beyond && !history {
		return judgement{verdict: event.Late, backfilled: d.ViaAPI}
	}

	if t, fresh := r.ids.claim(e.ID, e.Time, forgetting(c, history)); !fresh {
		if apart := e.Time - t; apart > idAgreement || apart < -idAgreement {
			return quarantined(event.ReasonTimeConflict)
		}
		return judgement{verdict: event.Duplicate}
	}

	return judgement{
		verdict:      event.Accepted,
		backfilled:   d.ViaAPI,
		healed:       !d.ViaAPI && beyond,
		lateAccepted: !d.ViaAPI && !beyond && r.behind(c, e),
	}
}

// behind reports whether an event is behind the bound of its source: windows that
// hold it may have been called final.
func (r *Route) behind(c streaming.Clock, e *event.Event) bool {
	return c != streaming.NoClock && e.Time <= c-r.config.Bounds[e.Source]
}

// forgetting is the clock that ids and places are forgotten by: none in history,
// where a copy can be a year behind the fact.
func forgetting(c streaming.Clock, history bool) streaming.Clock {
	if history {
		return streaming.NoClock
	}
	return c
}
