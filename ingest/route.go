package ingest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// RouteConfig is what the verdicts and copies of a generation depend on, besides
// the log. It stands in the generation's manifest.
type RouteConfig struct {
	Generation      streaming.Generation
	Partition       int32 // of deliveries
	EventPartitions int32 // how many the generation's events have; at least 1

	Horizon    timeline.Millis                  // H; a fact whose cell is older is late. At least an hour
	Bounds     map[event.Source]timeline.Millis // B of each source: how far out of order its facts come
	FutureSkew timeline.Millis                  // how far ahead of receipt and clock a fact may be dated

	// HistoryEnd is the last round of the history; 0 is none. Up to it nothing is
	// late, future is judged by receipt alone, and no id is forgotten.
	HistoryEnd streaming.Round

	Catalog *catalog.Catalog
}

// Validate reports all that is wrong.
func (c RouteConfig) Validate() error {
	var errs []error
	if c.EventPartitions < 1 {
		errs = append(errs, fmt.Errorf("route: %d partitions of events; there must be at least one", c.EventPartitions))
	}
	if c.Horizon < timeline.Hour {
		errs = append(errs, fmt.Errorf("route: a horizon of %s; it must be at least 1h", timeline.FormatLength(c.Horizon)))
	}
	for _, source := range event.Sources {
		if b := c.Bounds[source]; b < 0 || b > c.Horizon {
			errs = append(errs, fmt.Errorf("route: a bound of %s for %s; it must lie between 0 and the horizon of %s", timeline.FormatLength(b), source, timeline.FormatLength(c.Horizon)))
		}
	}
	if c.FutureSkew < 0 {
		errs = append(errs, errors.New("route: the future skew is negative"))
	}
	if c.Catalog == nil {
		errs = append(errs, errors.New("route: there is no catalog; use catalog.Empty"))
	}
	return errors.Join(errs...)
}

// Route gives each event of one partition of deliveries its verdict, its team and
// its copies, and forwards the ticks to every partition of events. It is a
// [streaming.Program]: pure, and called from one goroutine.
type Route struct {
	config RouteConfig
	ids    *memory
	places *places
	counts Counts

	// held are the records of a round that may belong to the history. Whether it
	// does is known at the tick that closes it: a partition's last tick of the
	// history may be earlier than HistoryEnd.
	held   []streaming.Record[Entry]
	heldAt streaming.Clock // of the round before

	direct Direct // nil: copies are emitted

	out   event.Routed // scratch: copies on the stack would escape, one allocation each
	acted event.Routed // scratch
	acts  []act        // scratch
	paths []string     // scratch
	home  [1]string    // scratch
	made  []event.Act  // allocated, and not used yet
}

var _ streaming.Program[Entry, Copy] = (*Route)(nil)

// NewRoute returns a route with nothing behind it.
func NewRoute(c RouteConfig) (*Route, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &Route{config: c}
	r.reset()
	return r, nil
}

// Direct has the route hand its copies to take instead of emitting them. A copy is
// most of a kilobyte, and emitting it copies it three times: a history, which
// knows what becomes of copies, takes them where they are made. Ticks are emitted
// as ever.
func (r *Route) Direct(take Direct) { r.direct = take }

func (r *Route) reset() {
	r.ids, r.places, r.counts = newMemory(r.config.Horizon), newPlaces(r.config.Horizon), Counts{ByReason: map[string]int64{}}
}

// TeamPartition returns the partition of events, out of n, that owns a team:
// xxHash64 of its name modulo n. It is part of what a generation's log means.
func TeamPartition(team string, n int32) int32 {
	return int32(xxhash.Sum64String(team) % uint64(n))
}

// Apply judges, places and copies the events of one record.
func (r *Route) Apply(c streaming.Clock, record streaming.Record[Entry], emit func(Copy)) {
	if end := r.config.HistoryEnd; end > 0 && c < end.Clock() {
		r.held, r.heldAt = append(r.held, record), c
		return
	}
	r.apply(c, record, false, emit)
}

func (r *Route) apply(c streaming.Clock, record streaming.Record[Entry], history bool, emit func(Copy)) {
	d := record.Value.Delivery
	if d == nil {
		r.covered(record, emit) // an erasure is read by others
		return
	}
	r.counts.delivery(d.Outcome)
	o := ordinals{record.Origin, r.config.EventPartitions, emit, r.direct}
	if d.Outcome == OutcomeUndecodable {
		aside := setAside(c, d)
		o.emit(&aside)
	}
	for i := range d.Events {
		e := &d.Events[i]
		j := r.judge(c, &d.Delivery, e, history)
		r.counts.event(j)
		if r.meansNothing(e) {
			dull := bare(*e)
			dull.Actor = event.Account{}
			e = &dull
		}
		home, p := r.place(c, e, j.verdict, history)
		r.out = event.Routed{
			Verdict:      j.verdict,
			Reason:       j.reason,
			Received:     d.Delivery.Received,
			LateAccepted: j.lateAccepted,
			Healed:       j.healed,
			Backfilled:   j.backfilled,
			Clock:        c,
			Event:        *e,
		}
		r.fanOut(&o, &r.out, home, p)
	}
}

// place returns an event's home team, and fixes it when the event counts; then
// the place of its entity too, if it has one. It is good until the next one is added.
func (r *Route) place(c streaming.Clock, e *event.Event, v event.Verdict, history bool) (home string, of *place) {
	if !hasLife(e) {
		return r.config.Catalog.Home(*e), nil
	}
	hash := hashEntity(e.Entity)
	p := r.places.find(hash, e.Entity, forgetting(c, history))
	if v != event.Accepted {
		if p == nil {
			return r.config.Catalog.Home(*e), nil
		}
		return p.team, nil
	}
	if p == nil {
		p = r.places.add(hash, e.Entity, place{team: r.config.Catalog.Home(*e), last: e.Time})
	}
	r.places.touch(hash, p, e.Time, r.stillOpen(e))
	return p.team, p
}

// Tick judges what the history held, forgets what is due, and forwards the tick.
func (r *Route) Tick(c streaming.Clock, v streaming.Version, emit func(Copy)) {
	end := r.config.HistoryEnd
	if len(r.held) > 0 {
		history := v.Round() <= end
		for i := range r.held {
			r.apply(r.heldAt, r.held[i], history, emit)
		}
		clear(r.held)
		r.held = r.held[:0]
	}
	if v.Round() >= end {
		r.ids.forget(c)
		r.places.sweep(c)
	}
	for p := range r.config.EventPartitions {
		emit(Copy{Partition: p, Message: streaming.Message[event.Routed]{
			Record: streaming.Record[event.Routed]{Origin: streaming.Origin{Partition: r.config.Partition}},
			IsTick: true,
			Tick:   c,
		}})
	}
}

// Counts returns what has been seen so far.
func (r *Route) Counts() Counts { return r.counts.clone() }

// Describe says where the route stands, for debug pages and tests.
func (r *Route) Describe() string {
	var b strings.Builder
	n := r.counts
	fmt.Fprintf(&b, "route of partition %d, generation %d: %d deliveries (%d ignored, %d undecodable)\n",
		r.config.Partition, r.config.Generation, n.Deliveries, n.Ignored, n.Undecodable)
	fmt.Fprintf(&b, "%d events: %d accepted (%d behind the bound, %d backfilled, %d healed), %d late, %d duplicate, %d quarantined",
		n.Decoded, n.Accepted, n.LateAccepted, n.Backfilled, n.Healed, n.Late, n.Duplicates, n.Quarantined)
	for i, reason := range slices.Sorted(maps.Keys(n.ByReason)) {
		if i == 0 {
			b.WriteString(":")
		}
		fmt.Fprintf(&b, " %s %d", reason, n.ByReason[reason])
	}
	fmt.Fprintf(&b, "\nremembers %d ids of %d days and the homes of %d entities\n", r.ids.times.size, len(r.ids.days), r.places.of.size)
	if end := r.config.HistoryEnd; end > 0 {
		fmt.Fprintf(&b, "history until %s\n", end.Clock())
	}
	return b.String()
}
