package ingest

import (
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// latest is the end of the year 2199: no table holds much later ones.
const latest timeline.Millis = 7_258_118_400_000

// covered passes on what a control record says of a scope's time: a copy for
// each team that it concerns, or, where it speaks of a whole source, one for
// every partition, whose teams it all concerns. It is no event, and counts as
// none.
func (r *Route) covered(record streaming.Record[Entry], emit func(Copy)) {
	kind, of := event.ScopeGap, Coverage{}
	switch e := record.Value; {
	case e.Coverage != nil:
		kind, of = event.ScopeCovered, *e.Coverage
	case e.Gap != nil:
		of = Coverage(*e.Gap)
	default:
		return
	}
	during := timeline.Window{Start: max(of.From, 1), End: min(of.To, latest)}
	if during.Empty() {
		return
	}
	routed := event.Routed{Copy: event.Aside, Event: event.Event{Source: of.Source, Kind: kind, Created: during.Start, Time: during.End}}
	o := ordinals{record.Origin, r.config.EventPartitions, emit, r.direct}
	scope := &routed.Event.Scope
	switch {
	case of.Scope == "":
		for p := range r.config.EventPartitions {
			o.emitTo(p, &routed)
		}
		return
	case of.Source == event.GitHub:
		scope.Repository = of.Scope
	case of.Source == event.Jira:
		scope.Project = of.Scope
	default: // a deploy system sends what concerns many teams, and has no API to read
		return
	}
	for _, team := range r.config.Catalog.Covered(*scope, during) {
		routed.Team = team
		o.emit(&routed)
	}
}
