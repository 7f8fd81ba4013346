package timeline

import (
	"sort"
	"time"
)

// run is the longest window around an instant with one offset.
type run struct {
	start, end Millis
	offset     Millis // east of UTC
}

// runs answers which run an instant is in.
//
// All runs until 2100 are a table, in order. For the years from 1970 there is an
// index: for every bucket of 2^34 ms (199 days) the run at its start, so that a
// look-up is one index and nearly always at most two comparisons. Instants after
// the table ask time.Location, which takes ten times as long because it
// evaluates the zone's rule each time.
type runs struct {
	table []run
	index []uint16
	loc   *time.Location // nil when the table covers everything
}

const (
	bucketBits = 34
	buckets    = 240 // 240 × 2^34 ms end in August 2100
)

func fixedRuns(offset Millis) runs {
	return runs{table: []run{{minMillis, maxMillis, offset}}}
}

// locationRuns walks through a location by the ends of its zones. Their starts are
// not used: where a rule took over in the middle of a year, time.Location (Go 1.26)
// gives the start that the rule would have had (America/Ciudad_Juarez 2022-11-30).
func locationRuns(loc *time.Location) runs {
	rs := runs{loc: loc}
	start, here := minMillis, MakeDate(1800, time.January, 1).local() // no zone is as old
	for here < buckets<<bucketBits {
		offset, end := nextChange(loc, here)
		rs.table = append(rs.table, run{start, end, offset})
		start, here = end, end
	}
	if here == maxMillis {
		rs.loc = nil
	}
	if len(rs.table) == 1 {
		return rs
	}
	rs.index = make([]uint16, buckets)
	i := 0
	for b := range rs.index {
		for rs.table[i].end <= Millis(b)<<bucketBits {
			i++
		}
		rs.index[b] = uint16(i)
	}
	return rs
}

// at is the run that holds t.
func (rs *runs) at(t Millis) run {
	// An instant before 1970 becomes a bucket far behind the last one.
	if b := uint64(t) >> bucketBits; b < uint64(len(rs.index)) {
		i := rs.index[b]
		for rs.table[i].end <= t {
			i++
		}
		return rs.table[i]
	}
	return rs.search(t)
}

func (rs *runs) search(t Millis) run {
	last := rs.table[len(rs.table)-1]
	if t < last.end || rs.loc == nil {
		return rs.table[sort.Search(len(rs.table)-1, func(i int) bool { return t < rs.table[i].end })]
	}
	// By rule, for ever. The year before holds a change, or there never is one.
	start := last.end
	here := max(start, t-400*Day)
	for {
		offset, end := nextChange(rs.loc, here)
		if t < end {
			return run{start, end, offset}
		}
		start, here = end, end
	}
}

// nextChange is the offset at t and the instant at which another follows.
func nextChange(loc *time.Location, t Millis) (offset, end Millis) {
	here := t.Time().In(loc)
	_, seconds := here.Zone()
	for {
		// The bounds are those of a name or of a calendar year too.
		_, next := here.ZoneBounds()
		if next.IsZero() {
			return Millis(seconds) * Second, maxMillis
		}
		// On 31 December of a leap year time.Location (Go 1.26) gives an end that has
		// passed: it takes every year to have 365 days. No change is left in that year.
		if !next.After(here) {
			next = time.Date(here.UTC().Year()+1, time.January, 1, 0, 0, 0, 0, time.UTC).In(loc)
		}
		if _, s := next.Zone(); s != seconds {
			return Millis(seconds) * Second, FromTime(next)
		}
		here = next
	}
}
