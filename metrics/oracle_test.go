package metrics_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// The definitions of metrics.md once more, in batch, over a list of events: no
// folds, no cells, no order of arrival, and local time from package time. The
// catalog and the classes of local time are tested by themselves and taken from
// there; all else that a number is made of is worked out a second time.

type oracle struct {
	catalog    *catalog.Catalog
	events     []event.Event
	order      map[event.ID]int // in which they happened, where several have one time
	points     map[string]*expected
	intervals  map[string]int // of gauges: metric, team, service, start and end
	together   bool           // of all teams at once: points are of the organisation's dates, and each act counts once
	gauges     map[string][]metrics.Interval
	definition map[string]*metrics.Definition
}

func newOracle(known *catalog.Catalog, events []event.Event, order map[event.ID]int) *oracle {
	o := &oracle{catalog: known, events: events, order: order, points: map[string]*expected{}, intervals: map[string]int{}, definition: map[string]*metrics.Definition{}}
	for _, d := range metrics.Definitions() {
		o.definition[string(d.Name)] = d
	}
	return o
}

// work computes every metric.
func (o *oracle) work() {
	o.pullRequests()
	o.deployments()
	o.issues()
	o.deliveries()
	o.activities()
}

// expected is what a point should hold.
type expected struct {
	values            []int64
	sum               int64 // of lengths, where the statistic is a count of things that have one
	hits, primary     int64
	excluded, ignored map[string]int64
	classes           [4]int64
	people            map[event.PersonID]event.ZoneSource // the least sure
	heat              map[uint8]int64
	basis             map[string]int64
}

func newExpected() *expected {
	return &expected{
		excluded: map[string]int64{}, ignored: map[string]int64{}, people: map[event.PersonID]event.ZoneSource{},
		heat: map[uint8]int64{}, basis: map[string]int64{},
	}
}

func (e *expected) String() string {
	zones := map[string]int{}
	for _, z := range e.people {
		zones[z.String()]++
	}
	slices.Sort(e.values)
	return fmt.Sprint("n=", len(e.values), " primary=", e.primary, " values=", e.values, " hits=", e.hits,
		" sum=", e.sum, " excluded=", e.excluded, " ignored=", e.ignored, " classes=", e.classes, " zones=", zones, " heat=", e.heat, " basis=", e.basis)
}

// in returns the points that hold an instant: those of the team and of the
// service, of an hour and of a day.
func (o *oracle) in(metric, team, service string, at timeline.Millis) (points []*expected) {
	zone, err := time.LoadLocation(o.catalog.TeamZone(team, at).Name())
	if err != nil {
		panic(err)
	}
	local := at.Time().In(zone)
	if o.together {
		return o.of(metric, service, local.Format(time.DateOnly))
	}
	hour := timeline.FromTime(local.Add(-time.Duration(local.Minute())*time.Minute - time.Duration(local.Second())*time.Second - time.Duration(local.Nanosecond())))
	day := timeline.FromTime(time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, zone))
	services := []string{""}
	if service != "" && o.definition[metric].Services {
		services = append(services, service)
	}
	for _, s := range services {
		for _, window := range []string{"hour " + hour.String(), "day " + day.String()} {
			key := strings.Join([]string{metric, team, s, window}, " | ")
			if o.points[key] == nil {
				o.points[key] = newExpected()
			}
			points = append(points, o.points[key])
		}
	}
	return points
}

// of returns the points of the organisation that hold a date.
func (o *oracle) of(metric, service, date string) (points []*expected) {
	keys := []string{metric + " |  | " + date}
	if service != "" && o.definition[metric].Services {
		keys = append(keys, metric+" | "+service+" | "+date)
	}
	for _, key := range keys {
		if o.points[key] == nil {
			o.points[key] = newExpected()
		}
		points = append(points, o.points[key])
	}
	return points
}

func (o *oracle) value(metric, team, service string, at timeline.Millis, value int64) {
	for _, p := range o.in(metric, team, service, at) {
		p.values = append(p.values, value)
		p.primary++
	}
}

// known is a value of which it is said how it was known.
func (o *oracle) known(metric, team, service string, at timeline.Millis, value int64, basis string) {
	o.value(metric, team, service, at, value)
	for _, p := range o.in(metric, team, service, at) {
		p.basis[basis]++
	}
}

// open is an interval of a gauge; end is 0 while it is open.
func (o *oracle) open(metric, team, service string, start, end timeline.Millis) {
	o.intervals[interval(metric, team, service, start, end)]++
	if o.together {
		if end == 0 {
			end = 1 << 60
		}
		o.gauges[metric] = append(o.gauges[metric], metrics.Interval{Start: start, End: end})
	}
}

func interval(metric, team, service string, start, end timeline.Millis) string {
	until := "now"
	if end != 0 {
		until = end.String()
	}
	return strings.Join([]string{metric, team, service, "from " + start.String() + " until " + until}, " | ")
}

// ofPerson is a value with somebody's name to it.
func (o *oracle) ofPerson(metric, team string, at timeline.Millis, value int64, who event.PersonID, known event.ZoneSource) {
	o.value(metric, team, "", at, value)
	for _, p := range o.in(metric, team, "", at) {
		p.classes[0]++
		if known != 0 {
			p.people[who] = max(p.people[who], known)
		}
	}
}

func (o *oracle) excluded(metric, team, service string, at timeline.Millis, reason string) {
	for _, p := range o.in(metric, team, service, at) {
		p.excluded[reason]++
	}
}

func (o *oracle) ignored(metric, team string, at timeline.Millis, reason string) {
	for _, p := range o.in(metric, team, "", at) {
		p.ignored[reason]++
	}
}

// entities returns the events of each entity, oldest first.
func (o *oracle) entities(about func(*event.Event) bool) map[event.EntityID][]event.Event {
	of := map[event.EntityID][]event.Event{}
	for _, e := range o.events {
		if about(&e) {
			of[e.Entity] = append(of[e.Entity], e)
		}
	}
	for _, events := range of {
		slices.SortStableFunc(events, func(a, b event.Event) int { return cmp.Compare(a.Time, b.Time) })
	}
	return of
}
