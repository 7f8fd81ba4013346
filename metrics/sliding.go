package metrics

import "meridian/streaming/timeline"

// sliding is the running window of 30 local days of a series: entries go in
// and out one by one, so that a row costs the same however full its hours are.
// It is built from the cells when it is first asked for, and never saved.
type sliding struct {
	set   bool
	end   timeline.Date // its last day
	from  timeline.Cell
	to    timeline.Cell
	sum   Aggregate // of All, without values
	ranks ranks
}

func (w *sliding) put(y *symbols, s Statistic, e *entry, sign int64) {
	w.sum.All.putEntry(y, e, sign)
	w.sum.putPerson(y, s, e, sign)
	if s.exact() && e.flags.outcome() == Observed {
		if sign > 0 {
			w.ranks.put(e.value)
		} else {
			w.ranks.take(e.value)
		}
	}
}

// slide moves the window to end with date d.
func (s *series) slide(d timeline.Date) {
	w, y, statistic, cal := &s.sliding, s.team.engine.symbols, s.def.Statistic, s.team.calendar
	add := func(day timeline.Date, sign int64) {
		from, to := cellsOf(cal.day(day))
		for entries := range s.chunks.in(s.team, from, to) {
			for i := range entries {
				w.put(y, statistic, &entries[i], sign)
			}
		}
	}
	if !w.set || d-w.end >= 30 || w.end-d >= 30 {
		*w = sliding{set: true, end: d}
		for day := d - 29; day <= d; day++ {
			add(day, 1)
		}
	}
	for ; w.end < d; w.end++ {
		add(w.end-29, -1)
		add(w.end+1, 1)
	}
	for ; w.end > d; w.end-- {
		add(w.end, -1)
		add(w.end-30, 1)
	}
	w.from, w.to = cellsOf(cal.days30(d))
}

// aggregate30 puts the aggregate of the 30 days that end with d in a point.
func (s *series) aggregate30(made *madePoint, d timeline.Date) {
	s.slide(d)
	s.slid(made)
}

// slid puts the aggregate of the sliding window as it stands in a point.
func (s *series) slid(made *madePoint) {
	w, a := &s.sliding, &made.Aggregate
	a.set(&w.sum)
	if w.ranks.n > 0 {
		a.Quantiles = made.room[:]
		putQuantiles(a.Quantiles, w.ranks.n, w.ranks.at)
	}
}

// putQuantiles is quantiles in memory that is there.
func putQuantiles(q []int64, n int, at func(i int) int64) {
	q[0] = interpolate(n, 1, 2, at) * (quantileDenominator / 2)
	q[1] = interpolate(n, 3, 4, at) * (quantileDenominator / 4)
	q[2] = interpolate(n, 9, 10, at) * (quantileDenominator / 10)
}
