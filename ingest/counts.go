package ingest

import (
	"maps"

	"meridian/ingest/event"
)

// Counts is what a route has seen since its generation began. Events are counted
// once, however many copies they got. It is part of the state, so that
// Accepted + Late + Duplicates + Quarantined == Decoded holds at every tick,
// restarts or not.
type Counts struct {
	Deliveries  int64 `cbor:"1,keyasint" json:"deliveries"`
	Ignored     int64 `cbor:"2,keyasint" json:"ignored"` // pings and unknown types
	Undecodable int64 `cbor:"3,keyasint" json:"undecodable"`

	Decoded     int64 `cbor:"4,keyasint" json:"decoded"`
	Accepted    int64 `cbor:"5,keyasint" json:"accepted"` // with the next three
	Late        int64 `cbor:"6,keyasint" json:"late_dropped"`
	Duplicates  int64 `cbor:"7,keyasint" json:"duplicates"`
	Quarantined int64 `cbor:"8,keyasint" json:"quarantined"`

	LateAccepted int64 `cbor:"9,keyasint" json:"late_accepted"`
	Backfilled   int64 `cbor:"10,keyasint" json:"backfilled"`
	Healed       int64 `cbor:"11,keyasint" json:"healed"`

	ByReason map[string]int64 `cbor:"12,keyasint" json:"by_reason"` // of Quarantined

	// LateByAPI is how many of Late an API read has brought: they are not dropped, but
	// wait for the next generation, whose history takes them.
	LateByAPI int64 `cbor:"13,keyasint,omitempty" json:"late_by_api,omitempty"`
}

func (n Counts) clone() Counts {
	n.ByReason = maps.Clone(n.ByReason)
	if n.ByReason == nil {
		n.ByReason = map[string]int64{}
	}
	return n
}

func (n *Counts) delivery(o Outcome) {
	n.Deliveries++
	switch o {
	case OutcomePing, OutcomeIgnored:
		n.Ignored++
	case OutcomeUndecodable:
		n.Undecodable++
	}
}

func (n *Counts) event(j judgement) {
	n.Decoded++
	switch j.verdict {
	case event.Accepted:
		n.Accepted++
		if j.lateAccepted {
			n.LateAccepted++
		}
		if j.backfilled {
			n.Backfilled++
		}
		if j.healed {
			n.Healed++
		}
	case event.Late:
		n.Late++
		if j.backfilled {
			n.LateByAPI++
		}
	case event.Duplicate:
		n.Duplicates++
	case event.Quarantined:
		n.Quarantined++
		n.ByReason[j.reason]++
	}
}
