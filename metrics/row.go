package metrics

import (
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Grain is the width of a stored window.
type Grain string

// Grains that are stored; wider ones are merged from days at read.
const (
	Hour  Grain = "hour"
	Day   Grain = "day"
	Day30 Grain = "day30"

	Week    Grain = "week"
	Month   Grain = "month"
	Quarter Grain = "quarter"
	Range   Grain = "range"
)

// Status of a row.
type Status string

// Statuses. A row goes from provisional to final to revised and never back.
const (
	Provisional Status = "provisional"
	Final       Status = "final"
	Revised     Status = "revised"
)

// Row is what the engine emits: one of *Point, *ObservationRow, *QualityRow,
// *RejectRow, *CoverageRow.
type Row interface{ row() }

func (*Point) row()          {}
func (*ObservationRow) row() {}
func (*QualityRow) row()     {}
func (*RejectRow) row()      {}
func (*CoverageRow) row()    {}

// Point is one metric over one window, with the mergeable state that it was
// computed from.
type Point struct {
	Version   streaming.Version
	Team      string
	Metric    Name
	Service   string // "" for the team's total
	Grain     Grain
	Start     timeline.Millis
	End       timeline.Millis
	Zone      string
	Status    Status
	Withdrawn bool // its last fact was taken back: n 0, value null

	Definition *Definition // of Metric; nil where this program no longer has it

	// Aggregate is what all statistics are computed from; its canonical bytes
	// are the column `state`, of every grain. That of a day30 point holds
	// quantiles in place of values, so it can be shown and not merged.
	Aggregate *Aggregate

	LateAccepted int64
	LateDropped  int64
	Duplicates   int64
	Quarantined  int64
	Given        *Given // what it said when it was final, of a revised row; nil: nothing
	CoveredDays  int32  // day30: of its 30 days, those in coverage up to the clock; -1 elsewhere
	Missing      Reason

	Generation streaming.Generation // of a filled-in point, whose version is 0; elsewhere the version has it
}

// ObservationRow is an observation as evidence; a tombstone (Deleted) where it
// was withdrawn. Its stored key is team, metric, service, At, entity, item,
// outcome and reason: when one of these changes, the engine emits a tombstone
// under the old key and, later in the same round, a row under the new one. A
// tombstone holds no Start, URL or Label.
type ObservationRow struct {
	Version streaming.Version
	Team    string
	Deleted bool
	Observation
}

// QualityRow counts verdicts of one team, source and kind in one cell of event
// time. It is the whole count as of its version, not an increment.
type QualityRow struct {
	Version                                                                            streaming.Version
	Team                                                                               string
	Source                                                                             event.Source
	Kind                                                                               event.Kind
	Cell                                                                               timeline.Cell
	Decoded, Accepted, LateAccepted, Backfilled, Healed, Late, Duplicates, Quarantined int64
}

// RejectRow is one event that was not accepted, other than a duplicate.
type RejectRow struct {
	Version  streaming.Version
	Team     string
	Origin   streaming.Origin
	Source   event.Source
	Kind     event.Kind
	ID       event.ID
	Entity   event.EntityID
	Time     timeline.Millis
	Received timeline.Millis
	Clock    timeline.Millis // that judged it
	Verdict  event.Verdict
	Reason   string
	Detail   string
}

// CoverageRow says for which time a team's source is covered: from the receipt
// of its first delivery on, and for what APIs were read for; and of which time
// deliveries may be missing all the same.
type CoverageRow struct {
	Version streaming.Version
	Team    string
	Source  event.Source
	From    timeline.Millis // receipt of the first delivery; 0: none
	Last    timeline.Millis // receipt of the last delivery

	// Both are sets: sorted, and neither overlapping nor touching.
	Covered []timeline.Window // what APIs were read for; of any of the team's scopes
	Gaps    []timeline.Window // what is left of them
}

func rejectRow(o streaming.Origin, r *event.Routed) *RejectRow {
	return &RejectRow{
		Team: r.Team, Origin: o, Source: r.Event.Source, Kind: r.Event.Kind, ID: r.Event.ID, Entity: r.Event.Entity,
		Time: r.Event.Time, Received: r.Received, Clock: r.Clock, Verdict: r.Verdict, Reason: r.Reason, Detail: r.Event.Defect,
	}
}

func coverageRow(team string, s int, c, everyone *covered, v streaming.Version) *CoverageRow {
	return &CoverageRow{
		Version: v, Team: team, Source: event.Source(s), From: c.from, Last: c.last,
		Covered: c.spans(), Gaps: c.gaps(everyone),
	}
}
