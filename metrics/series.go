package metrics

import (
	"slices"

	"meridian/streaming/timeline"
)

// grainIndex orders the stored grains as rows of a series come out: by name.
type grainIndex uint8

const (
	dayGrain grainIndex = iota
	day30Grain
	hourGrain
)

const grainCount = 3

func (g grainIndex) grain() Grain { return [grainCount]Grain{Day, Day30, Hour}[g] }

// series is one metric of one team and service: its cells, and what has been
// said about its windows.
type series struct {
	team    *team
	def     *Definition
	metric  uint16
	service string // "" for the total
	lag     timeline.Millis

	chunks  chunks
	sliding sliding
	running *running // nil: no full day was asked for of late
	windows [grainCount]windows
	kept    map[keptWindow]*Aggregate // rows that stay as they are although their cells have changed
	given   map[keptWindow]Given      // what final rows said that were revised

	// Of the round that is closing.
	active  bool
	pending []change
	due     [grainCount][]int64
}

// apply makes the pending changes and returns those that were left of them,
// in order of their cells.
func (s *series) apply() []change {
	changes := s.team.engine.sorter.settle(s.pending)
	s.chunks.apply(s.team, changes)
	for i := range changes {
		if i == 0 || changes[i].day != changes[i-1].day {
			s.team.engine.kept.changed(keptCells, s.team, changes[i].day)
		}
	}
	if w := &s.sliding; w.set {
		y := s.team.engine.symbols
		for i := range changes {
			if c := changes[i].day.cell(changes[i].slot); w.from <= c && c < w.to {
				w.put(y, s.def.Statistic, &changes[i].entry, int64(changes[i].sign))
			}
		}
	}
	if s.running != nil {
		s.running.change(s, changes)
	}
	return changes
}

// aggregate adds up cells [from, to) in a, which is empty.
func (s *series) aggregate(a *Aggregate, from, to timeline.Cell) {
	sum := s.sum(a)
	for entries := range s.chunks.in(s.team, from, to) {
		sum.put(entries)
	}
	sum.end()
}

// sum adds up entries in an aggregate that was empty.
type sum struct {
	*Aggregate
	y         *symbols
	statistic Statistic
	exact     bool
}

func (s *series) sum(a *Aggregate) sum {
	return sum{a, s.team.engine.symbols, s.def.Statistic, s.def.Statistic.exact()}
}

// put puts in entries; values come last and unsorted.
func (s *sum) put(entries []entry) {
	for i := range entries {
		e := &entries[i]
		if s.Primary == nil && !e.flags.primary() {
			p := s.All.clone()
			s.Primary = &p
		}
		s.All.putEntry(s.y, e, 1)
		observed := e.flags.outcome() == Observed
		if observed && s.exact {
			s.All.Values = roomFor(s.All.Values, len(entries)-i)
			s.All.Values = append(s.All.Values, e.value)
		}
		if observed && e.person != 0 && s.statistic.counts(e.flags.hit()) {
			s.y.crowd.put(s.y, e)
		}
		if s.Primary != nil && e.flags.primary() {
			s.Primary.putEntry(s.y, e, 1)
			if observed && s.exact {
				s.Primary.Values = append(s.Primary.Values, e.value)
			}
		}
	}
}

// roomFor makes the first memory of values as large as they will be.
func roomFor(values []int64, n int) []int64 {
	if cap(values) == 0 {
		return make([]int64, 0, n)
	}
	return values
}

// end puts everything in order.
func (s *sum) end() {
	s.People = s.y.crowd.take(s.People)
	slices.Sort(s.All.Values)
	if s.Primary != nil {
		slices.Sort(s.Primary.Values)
	}
}
