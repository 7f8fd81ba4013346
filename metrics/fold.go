package metrics

import (
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Fold holds one entity: for each fact its event time, so that any order of
// arrival gives the same state. Metrics of one Subject share a fold.
//
// A fold is a pointer to a struct whose slices are kept sorted: equal states must
// have equal bytes in a snapshot. It says its fields in a method `code` (see
// fold_codec.go); one that has none must have exported fields that CBOR can hold.
type Fold interface {
	// Apply takes one accepted copy of an event about the entity. r is only
	// lent: its strings may be kept, the pointer may not, nor anything be
	// written through it.
	Apply(r *event.Routed)

	// Life returns the time of the last fact, and whether the entity is still
	// open (then it is kept longer).
	Life() (last timeline.Millis, open bool)
}

// FoldKind says which records the entities of one Subject are made of.
type FoldKind struct {
	Subject Subject
	New     func() Fold

	// Entity names the entity that takes r, or "" when r is nothing to this
	// subject. It is asked for every accepted copy (home, activity and
	// reference), and must be quick. A person's acts are cut by UTC day of
	// Act.At ("person/<hex>/20514"), so that no fold grows for ever; the same
	// act always has the same time, so it always meets its own copies.
	Entity func(r *event.Routed) event.EntityID

	// Spell says what Entity says for kinds whose names have to be put together, and is
	// asked in its place: it appends the name to b, so that an entity which is there
	// already is found without making a string for each record.
	Spell func(b []byte, r *event.Routed) []byte

	// Entities names them where there may be several: a push that touches five
	// services is told to each. It yields no id twice, and may stand beside or
	// in place of Entity.
	Entities func(r *event.Routed, yield func(event.EntityID))

	// Returns says that an entity may be heard of long after its last fact, as
	// a pull request that is reopened. It then leaves a stub when it is
	// evicted, which remembers what was observed. Acts never return.
	Returns bool
}

// spelt is Entity for a kind with Spell.
func spelt(spell func(b []byte, r *event.Routed) []byte) func(r *event.Routed) event.EntityID {
	return func(r *event.Routed) event.EntityID { return event.EntityID(spell(nil, r)) }
}

// View is what an observe function may know beside its fold.
type View struct {
	Catalog *catalog.Catalog
	Team    string // the team in whose shard the fold lives
	Entity  event.EntityID
	Item    string // of an Itemized fold: the item that is asked for, and nothing else is wanted; else ""
	Part    string // of a Line: the part that is asked for, and nothing else is wanted; else ""
	Vary    Vary   // of a variation: how it differs from the built-in metric
}

// Observation is one measured thing, or one that was left out with its reason.
// Of one entity and metric, (Item, Service, Reason) is unique; of a Line it is
// so within each part, and Items differ between parts. The engine sets Metric
// and Entity.
type Observation struct {
	Metric  Name            // set by the engine
	Item    string          // which of the entity's: a review, an activity; "" for the entity itself
	Entity  event.EntityID  // set by the engine
	Service string          // "" where the metric has no services
	Start   timeline.Millis // the start fact, 0 where there is none
	At      timeline.Millis // the end fact, which dates it
	Value   int64           // milliseconds, lines, or 1
	Hit     bool            // a share's numerator
	Outcome Outcome
	Reason  Reason         // of Excluded and Ignored
	Person  event.PersonID // person metrics: who; else the zero value
	Primary bool           // counts in sums over teams
	Class   timeline.Class // acts: 0 elsewhere
	Slot    uint8          // of Heat: 1 + weekday*24 + hour, Monday 00 is 1; see SlotOf. 0 elsewhere
	Known   event.ZoneSource
	Basis   string // how it was known: measured, from_open, from_merge
	URL     string // the item in its source system
	Label   string // what a page calls the item: acme/web#7
}

// Outcome says whether an observation is in the population.
type Outcome uint8

// Outcomes.
const (
	Observed Outcome = iota + 1
	Excluded         // an item left out of the population
	Ignored          // a fact that did not count
)

// Reason is one of a closed list: why something was left out, or a number is missing.
type Reason string

// Reasons, each with its sentence in reasons.go.
const (
	NothingObserved  Reason = "nothing_observed"
	NoSource         Reason = "no_source"
	GapReason        Reason = "gap"
	Bot              Reason = "bot"
	Self             Reason = "self"
	Draft            Reason = "draft"
	DeletedUser      Reason = "deleted_user"
	Pending          Reason = "pending"
	AfterMerge       Reason = "after_merge"
	Anomaly          Reason = "anomaly"
	NoBaseline       Reason = "no_baseline"
	BeforeCoverage   Reason = "before_coverage"
	UnknownCommit    Reason = "unknown_commit"
	NeverSucceeded   Reason = "never_succeeded"
	NotProduction    Reason = "not_production"
	NoIncidentSource Reason = "no_incident_source"
	Unlinked         Reason = "unlinked"
	TeamRequest      Reason = "team_request"
	AutoMerge        Reason = "auto_merge"
	ZonesUnknown     Reason = "zones_unknown"
	TooOldToRevise   Reason = "too_old_to_revise"
	IDTimeConflict   Reason = "id_time_conflict"
	BelowMinPeople   Reason = "below_min_people"
)
