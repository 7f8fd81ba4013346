package metrics

import (
	"fmt"
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
	} else if en.fold == nil {
		en.fold = e.kinds[k].New()
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
