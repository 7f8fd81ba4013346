package metrics

import (
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Name names a metric: pr_pickup_time. The order of rows within a round is by
// team, then metric name, service, grain and start.
type Name string

// Statistic is what a metric's value is.
type Statistic uint8

// Statistics.
const (
	MedianDuration Statistic = iota + 1 // seconds; the true median
	Count                               // n
	Share                               // numerator / denominator
	People                              // distinct people with a hit; n counts all that is observed, hit or not
	PerDay                              // a count; at day30 divided by 30
	MedianLines                         // lines
	Gauge                               // how many are open at an instant; see gauge.go
	Heat                                // n, spread over the weekday and hour of each
	CountLength                         // n; its sum is their length in seconds
)

// Unit returns the unit that points carry.
func (s Statistic) Unit(g Grain) string {
	switch s {
	case MedianDuration:
		return "seconds"
	case Share:
		return "share"
	case People:
		return "people"
	case MedianLines:
		return "lines"
	case PerDay:
		if g == Day30 {
			return "per_day"
		}
	}
	return "count"
}

// Policy says what is done with data that comes when a window's decisions have
// been made.
type Policy uint8

// Policies.
const (
	SideOutput Policy = iota + 1 // Late: to meridian.late and rejects, counted
	Revise                       // Refire: the window's row is emitted again, revised
	Freeze                       // Refire: the row stays, the change is counted
)

func (p Policy) String() string { return [...]string{"none", "side output", "revise", "freeze"}[p%4] }

// Sensitivity decides who may see a metric, and how finely.
type Sensitivity uint8

// Sensitivities.
const (
	Work       Sensitivity = iota + 1 // shown at team level
	PersonData                        // needs privacy.min_people; never below a day on a shared server
)

// Family groups metrics on pages.
type Family string

// Families.
const (
	PullRequests Family = "Pull requests"
	Deployments  Family = "Deployments"
	WorkItems    Family = "Work items"
	PeopleTime   Family = "People and time"
)

// Definition is a metric: a value, with its documentation beside its formula.
type Definition struct {
	Name        Name
	Family      Family
	Passport    Passport
	Statistic   Statistic
	Sources     []event.Source  // whose bounds its clock waits for
	Wait        timeline.Millis // beyond the largest bound
	Accept      timeline.Millis // how long after a window's end events change it; 0: the horizon
	Late        Policy
	Refire      Policy
	Sensitivity Sensitivity
	Services    bool // has a row per service beside the team's total
	Zones       bool // dated in people's own local time: points say how their zones were known
	Classes     bool // points count acts by class

	// Varies lists what a variation of it may choose; its formula reads these from
	// View.Vary. VariationOf and Vary are set where it is one itself.
	Varies      []Variable
	VariationOf Name
	Vary        Vary

	// Missing lists reasons of Excluded that, where nothing was observed, say
	// why better than nothing_observed does; the first that was counted is the
	// point's.
	Missing []Reason

	// Reads is which aspects of a Selective fold Observe looks at; where no other has
	// changed it is not asked again. 0: all of them.
	Reads Aspects

	Subject Subject                                       // which fold it reads
	Observe func(f Fold, v View, yield func(Observation)) // all observations of one entity, as of now; pure, in any order
}

// Subject is a kind of entity that a fold holds.
type Subject uint8

// Subjects.
const (
	SubjectPullRequest Subject = iota + 1
	SubjectDeployment
	SubjectIssue
	SubjectActivity
	SubjectBranch   // a branch with the pull requests that come from it
	SubjectPerson   // what a person does for one team
	SubjectDelivery // what a team delivers, and what comes of it
)

// Passport says what a metric shows, in the words that page, API, command and
// documentation share.
type Passport struct {
	Title     string // Pickup time
	Question  string // How long does a change wait for a reviewer?
	Start     string // the start fact, or ""
	End       string // the end fact, which dates an observation
	Shows     string // the statistic, in words
	Zone      string // whose local time
	Better    string // lower, higher, or "" where neither is
	LeftOut   []string
	Caveats   []string
	Reference string // where the definition comes from
}
