package metrics

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// touch is an entity that the round at hand has told something, until its tick.
type touch struct {
	entity *entity

	// judge is the lowest clock that judged one of its records: route has let
	// them in by that clock, so by it and by no later one is it decided which
	// observations are too old to change.
	judge streaming.Clock

	cause int32 // 1 + the place in team.causes of the first of its records; 0 in a history, which refuses nothing
}

// cause is a record by which a change that was refused is told of.
type cause struct {
	Origin   streaming.Origin
	Source   event.Source
	Kind     event.Kind
	ID       event.ID
	Entity   event.EntityID
	Time     timeline.Millis
	Received timeline.Millis
	Clock    timeline.Millis
}

func causeOf(o streaming.Origin, r *event.Routed) cause {
	return cause{
		Origin: o, Source: r.Event.Source, Kind: r.Event.Kind, ID: r.Event.ID, Entity: r.Event.Entity,
		Time: r.Event.Time, Received: r.Received, Clock: r.Clock,
	}
}

// touch folds a record into an entity. lent says that the memory of its id is somebody's
// who will use it again.
func (t *team) touch(k int, id event.EntityID, lent bool, o streaming.Origin, r *event.Routed) {
	e := t.engine
	en := t.entities[k][id]
	if en == nil {
		if lent {
			id = event.EntityID(strings.Clone(string(id)))
		}
		en = &entity{id: id, kind: uint8(k)}
		t.join(en)
	}
	if en.rest != "" {
		e.awaken(en)
	} else if en.awake == nil {
		e.rouse(en, e.kinds[k].New(), nil)
		if f, ok := en.fold.(Identified); ok {
			f.Identify(en.id)
		}
	}
	en.fold.Apply(r)
	e.changedFold(en)
	if en.touched == 0 {
		t.touched = append(t.touched, touch{entity: en, judge: streaming.NoClock})
		en.touched = int32(len(t.touched))
		if !e.history() {
			t.causes = append(t.causes, causeOf(o, r))
			last := &t.touched[en.touched-1]
			last.judge, last.cause = r.Clock, int32(len(t.causes))
		}
		return
	}
	at := &t.touched[en.touched-1]
	switch {
	case e.history():
		at.judge = streaming.NoClock
	case at.cause == 0: // its first record came when history had not ended
	default:
		at.judge = min(at.judge, r.Clock)
		if c := &t.causes[at.cause-1]; o.Compare(c.Origin) < 0 {
			*c = causeOf(o, r)
		}
	}
}

// touchOrder is a touch as it is sorted: a look at its entity for each comparison would
// be a cache miss each.
type touchOrder struct {
	head  uint64 // what stands behind that which all names of the kind begin with
	id    event.EntityID
	kind  uint8
	place int32 // among the touches
}

// orderOf appends the places of touches in the order of kind and name.
func orderOf(touched []touch, order []touchOrder) []touchOrder {
	for i := range touched {
		en := touched[i].entity
		order = append(order, touchOrder{id: en.id, kind: en.kind, place: int32(i)})
	}
	if len(order) > fewTouches {
		findHeads(order)
	}
	slices.SortFunc(order, func(a, b touchOrder) int {
		switch {
		case a.kind != b.kind:
			return int(a.kind) - int(b.kind)
		case a.head < b.head:
			return -1
		case a.head > b.head:
			return 1
		}
		return strings.Compare(string(a.id), string(b.id))
	})
	return order
}

// fewTouches are compared by their names alone.
const fewTouches = 32

// findHeads fills in heads: of many names the first bytes are the same in all.
func findHeads(order []touchOrder) {
	var first [math.MaxUint8 + 1]event.EntityID // by kind
	var common [math.MaxUint8 + 1]int           // how many bytes of it all names begin with
	for i := range order {
		k, id := order[i].kind, order[i].id
		if first[k] == "" {
			first[k], common[k] = id, len(id)
		}
		n := 0
		for n < common[k] && n < len(id) && first[k][n] == id[n] {
			n++
		}
		common[k] = n
	}
	for i := range order {
		var head [8]byte
		copy(head[:], order[i].id[common[order[i].kind]:])
		order[i].head = binary.BigEndian.Uint64(head[:])
	}
}

// refuse counts a change to an observation that is too old to be changed: for
// the engine, and for the team beside the record that brought it.
func (t *tick) refuse(metric Name) {
	t.counters.TooOld++
	t.refused.add(string(metric), 1)
}

// refusals tells the team which changes its entity did not make. They have a
// row among the rejects, one for each record, although the record was accepted.
func (t *tick) refusals(tm *team, touch *touch) {
	if len(t.refused) == 0 {
		return
	}
	c := &tm.causes[touch.cause-1]
	var b strings.Builder
	for i, m := range t.refused {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(m.Name)
		if m.N > 1 {
			fmt.Fprintf(&b, " (%d)", m.N)
		}
	}
	t.refused = t.refused[:0]
	for _, r := range tm.rejects {
		if r.Origin == c.Origin { // it has told several entities
			r.Detail += "; " + b.String()
			return
		}
	}
	tm.rejects = append(tm.rejects, &RejectRow{
		Team: tm.name, Origin: c.Origin, Source: c.Source, Kind: c.Kind, ID: c.ID, Entity: c.Entity, Time: c.Time, Received: c.Received, Clock: c.Clock,
		Verdict: event.Accepted, Reason: string(TooOldToRevise), Detail: b.String(),
	})
}
