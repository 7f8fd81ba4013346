package event

import "meridian/streaming/timeline"

// Verdict is route's judgement of an event, given once and for ever.
type Verdict uint8

// Verdicts. Of every decoded event exactly one is given.
const (
	Accepted    Verdict = iota + 1
	Late                // cell end - 1 + H <= clock
	Duplicate           // the same id was accepted and is still remembered
	Quarantined         // see Routed.Reason
)

func (v Verdict) String() string {
	return [...]string{"none", "accepted", "late", "duplicate", "quarantined"}[v%5]
}

// Reasons for quarantine.
const (
	ReasonFuture       = "future"           // t > max(received, clock) + future skew
	ReasonInvalid      = "invalid"          // the decoder found a defect
	ReasonTimeConflict = "id_time_conflict" // a copy's time differs by more than an hour
	ReasonUndecodable  = "undecodable"      // no event could be made of the delivery; see Aside
)

// Copy says why a team's shard gets an event.
type Copy uint8

// Copies. Only Home is counted in quality; only Activity feeds person metrics.
const (
	Home      Copy = iota + 1 // the entity's team: every event, whatever its verdict
	Activity                  // one of the actor's teams: one act of one human
	Reference                 // a team whose service needs the fact; feeds folds, counted nowhere
	Aside                     // no event at all, counted nowhere: a delivery that could not be read, for the list of what was set aside; a scope's coverage or gap
)

func (c Copy) String() string {
	return [...]string{"none", "home", "activity", "reference", "aside"}[c%5]
}

// Routed is one copy of an event on its way to a team's shard, with all that
// the catalog had to say about it.
type Routed struct {
	Copy     Copy
	Team     string
	Verdict  Verdict
	Reason   string // of a quarantine
	Received timeline.Millis

	// How it was accepted, for quality: late_accepted (behind the source's
	// bound), healed (beyond the horizon, in a recomputed history), backfilled
	// (read from an API).
	LateAccepted bool
	Healed       bool
	Backfilled   bool

	// Clock that judged it; NoClock's value before the first tick.
	Clock timeline.Millis

	Event Event // of an Activity copy: without its body

	Service    string   // resolved; "" where nothing names one
	Services   []string // of pushes: services that the paths touch
	Production bool     // of deployments

	Actor  Person // Event.Actor, resolved
	Author Person // the pull request's author, resolved

	Act *Act // Activity copies

	Commits []RoutedCommit // of a push to the default branch: one for each of its commits
}

// RoutedCommit is what the catalog has to say about a commit of a push.
type RoutedCommit struct {
	Touches uint64 // of Routed.Services, by place: those that its own paths touch
	Bot     bool   // its author is one
}

// EveryService is the Touches of a commit whose paths are not known. A service
// from the 65th on is touched by all.
const EveryService = ^uint64(0)

// TouchesService reports whether a commit touches the service at a place.
func (c RoutedCommit) TouchesService(place int) bool {
	return place >= 64 || c.Touches&(1<<place) != 0
}

// PersonID is a pseudonym: HMAC-SHA256 under the instance's key, cut to 128
// bits; one per person and not per account. The zero PersonID is nobody.
type PersonID [16]byte

// Person is an account as the catalog resolves it.
type Person struct {
	ID      PersonID
	Known   bool // the catalog names them
	Bot     bool
	Deleted bool
}

// ZoneSource says how the zone of an act was known.
type ZoneSource uint8

// From the surest to the least sure.
const (
	ZoneConfigured ZoneSource = iota + 1 // the catalog names the person's zone
	ZoneInferred                         // this event's own offset or profile zone
	ZoneAssumed                          // the team's zone
)

func (z ZoneSource) String() string {
	return [...]string{"none", "configured", "inferred", "assumed"}[z%4]
}

// ActKind is a class of human activity.
type ActKind uint8

// Acts: what counts as somebody's activity.
const (
	ActCommit ActKind = iota + 1
	ActOpened
	ActReviewed
	ActCommented
	ActMerged
	ActTransitioned
	ActDeployed
)

// Act is one activity of one human, placed in their own local time.
type Act struct {
	Key     string // what makes it one activity: a rebase gives the same key again
	Kind    ActKind
	At      timeline.Millis // when they did it (a commit's author time), not the event's time
	Primary bool            // this team is the person's first, so that sums over teams count it once
	Zone    string
	Known   ZoneSource
	Class   timeline.Class
	Ignored string // reason for which it does not count (auto_merge, bot, deleted_user), or ""
}
