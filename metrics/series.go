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
	windows [grainCount]windows
	kept    map[keptWindow]*Aggregate // rows that stay as they are although their cells have changed

	// Of the round that is closing.
	active  bool
	pending []change
	due     [grainCount][]int64
}

// apply makes the pending changes and returns those that were left of them,
// in order of their cells.
func (s *series) apply() []change {
	changes := settle(s.pending)
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
	return changes
}

// aggregate adds up cells [from, to) in a, which is empty.
func (s *series) aggregate(a *Aggregate, from, to timeline.Cell) {
	y, statistic := s.team.engine.symbols, s.def.Statistic
	exact, second := statistic.exact(), false
	c := &y.crowd
	for entries := range s.chunks.in(s.team, from, to) {
		a.All.putEntries(y, entries, exact, false)
		for i := range entries {
			e := &entries[i]
			if e.person != 0 && e.flags.outcome() == Observed && statistic.counts(e.flags.hit()) {
				c.put(y, e)
			}
			second = second || !e.flags.primary()
		}
	}
	a.People = c.take()
	slices.Sort(a.All.Values)
	if second {
		a.Primary = new(Part)
		for entries := range s.chunks.in(s.team, from, to) {
			a.Primary.putEntries(y, entries, exact, true)
		}
		slices.Sort(a.Primary.Values)
	}
}

// putEntries puts in entries, or the primary ones of them; values come last and
// unsorted.
func (p *Part) putEntries(y *symbols, entries []entry, exact, primary bool) {
	for i := range entries {
		e := &entries[i]
		if primary && !e.flags.primary() {
			continue
		}
		p.putEntry(y, e, 1)
		if exact && e.flags.outcome() == Observed {
			if p.Values == nil {
				p.Values = make([]int64, 0, len(entries)-i)
			}
			p.Values = append(p.Values, e.value)
		}
	}
}
