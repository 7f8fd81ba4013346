package metrics

import "meridian/streaming/timeline"

// running is a local day of a series added up, the one that was last asked for: of a day
// of many acts, a row would else cost as much as all that it holds, at each tick. Like the
// sliding window it is built from the cells, and never saved.
type running struct {
	from, to timeline.Cell
	sum      Aggregate
}

// fewEntries are added up anew each time: that costs no more than to keep their sum.
const fewEntries = 24

// aggregateDay is aggregate of a local day.
func (s *series) aggregateDay(a *Aggregate, from, to timeline.Cell) {
	if r := s.running; r != nil && r.from == from && r.to == to {
		a.set(&r.sum)
		return
	}
	s.aggregate(a, from, to)
	if a.All.items() >= fewEntries {
		s.running = &running{from: from, to: to}
		s.running.sum.set(a)
	}
}

// change puts settled changes into the sum.
func (r *running) change(s *series, changes []change) {
	y := s.team.engine.symbols
	for i := range changes {
		if c := changes[i].day.cell(changes[i].slot); r.from <= c && c < r.to {
			o := y.observation(changes[i].entry)
			r.sum.put(s.def.Statistic, &o, int64(changes[i].sign))
		}
	}
}
