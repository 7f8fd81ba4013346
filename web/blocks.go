package web

import (
	"cmp"
	"maps"
	"slices"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// A person metric is shown where the people behind it cannot be told apart, and
// that has to hold for what can be worked out of several answers, too: a team and
// its group, two windows that overlap, a month and its days. So what may be shown
// is chosen once, for all questions together:
//
// Days are cut into blocks that never overlap, each of which holds the acts of at
// least MinPeople people. A value is shown if its window is a union of whole
// blocks, and else it is not. Every sum that can be made of shown values by adding
// and subtracting is then a sum of whole blocks, whichever questions were asked;
// there is no question whose answer is finer than that.
//
// The price is paid by windows that cut a block. A team that works from Monday to
// Friday, and of which one person works on Sundays, has blocks Monday, Tuesday,
// Wednesday, Thursday, and Friday to Sunday; three of seven windows of 30 days are
// made of whole blocks. Withholding one cell more at each question, the usual way,
// shows more and has to know all earlier questions.

// periodDays is how many days are cut at once: four weeks from a Monday. Blocks
// do not go beyond, so that a look at a month reads a month and no more.
const periodDays = 28

// firstMonday is 1970-01-05.
const firstMonday timeline.Date = 4

// periodOf is the number of the period in which a date lies.
func periodOf(d timeline.Date) int {
	n := int(d - firstMonday)
	if n < 0 {
		n -= periodDays - 1
	}
	return n / periodDays
}

func periodStart(period int) timeline.Date { return firstMonday + timeline.Date(period*periodDays) }

// strand is what one team reads of some people: of those whose first team it is,
// or of those who also work for it. The organisation merges the first alone, so
// that nobody counts twice, and so these two can be told apart by subtraction.
type strand struct {
	team   string
	second bool
}

// activity is who was active, by day of a period.
type activity [periodDays]map[event.PersonID]bool

func (a *activity) all() map[event.PersonID]bool {
	all := map[event.PersonID]bool{}
	for _, day := range a {
		maps.Copy(all, day)
	}
	return all
}

// unit are strands that are shown together or not at all, and the blocks of their
// days.
type unit struct {
	strands []strand
	active  activity

	begins [periodDays + 1]bool // a block begins on the day; the last is the period's end
	shown  [periodDays]bool     // the day is in a block, and that is settled
}

func (u *unit) join(o *unit) {
	u.strands = append(u.strands, o.strands...)
	for day := range o.active {
		if u.active[day] == nil {
			u.active[day] = map[event.PersonID]bool{}
		}
		maps.Copy(u.active[day], o.active[day])
	}
}

// cut makes the blocks of the days that are over. A block ends with the day on
// which it holds enough people; what is left of a week goes to the week's last
// block, so that weeks are whole, and a week with too few goes on into the next.
//
// Strictly, days without anybody are in blocks, too, for that nobody was active
// says the same of each; and the last block is not settled before another has
// begun or the period is over, since it could still have to take something in, and
// who has kept its value could take that away again. On one's own machine, where
// every delivery is, a day without anybody is a block, and what is over is shown.
func (u *unit) cut(enough, over int, strict bool) {
	type block struct{ from, to int }
	var blocks []block
	people, from, closedInWeek := map[event.PersonID]bool{}, -1, false // from: of what waits for more people
	for day := range over {
		if day%7 == 0 {
			closedInWeek = false
		}
		if from < 0 && (strict || len(u.active[day]) > 0) {
			from = day
		}
		maps.Copy(people, u.active[day])
		if len(people) >= enough {
			blocks = append(blocks, block{from, day + 1})
			people, from, closedInWeek = map[event.PersonID]bool{}, -1, true
		}
		if day%7 == 6 && from >= 0 && closedInWeek {
			blocks[len(blocks)-1].to = day + 1
			people, from = map[event.PersonID]bool{}, -1
		}
	}
	if n := len(blocks); from >= 0 && n > 0 && over == periodDays {
		blocks[n-1].to = over
		from = -1
	}
	u.begins, u.shown = [periodDays + 1]bool{}, [periodDays]bool{}
	covered := [periodDays]bool{}
	for i, b := range blocks {
		u.begins[b.from], u.begins[b.to] = true, true
		for day := b.from; day < b.to; day++ {
			covered[day] = true
			u.shown[day] = !strict || over == periodDays || i < len(blocks)-1
		}
	}
	for day := range over {
		if !strict && !covered[day] && (from < 0 || day < from) {
			u.shown[day], u.begins[day], u.begins[day+1] = true, true, true
		}
	}
}

// partition is one period of one metric, cut into blocks.
type partition struct{ units []*unit }

// census is who was active in a period, as the rows of days say it.
type census struct {
	strands map[strand]*activity
	groups  map[string]string // of teams
	unsure  bool              // a row says that people count elsewhere whom the catalog does not name
}

// newPartition cuts a period. over is how many of its days are over for
// everybody. While it runs, whom a unit holds follows the period before: it would
// else change with each day, and what was shown with it.
func newPartition(now, before *census, enough, over int, strict bool) *partition {
	judged := now
	if over < periodDays {
		judged = before
	}
	members := map[strand]bool{}
	for s := range now.strands {
		members[s] = true
	}
	if over < periodDays {
		for s := range before.strands {
			members[s] = true
		}
	}
	// Sizes are of the period that is judged by; days of this one.
	type sized struct {
		*unit
		judged activity
	}
	count := func(s *sized) int { return len(s.judged.all()) }
	var all []*sized
	ordered := slices.SortedFunc(maps.Keys(members), func(a, b strand) int {
		return cmp.Or(cmp.Compare(a.team, b.team), compareBool(a.second, b.second))
	})
	for _, s := range ordered {
		one := &sized{unit: &unit{strands: []strand{s}}}
		if a := now.strands[s]; a != nil {
			one.active = *a
		}
		if a := cmp.Or(judged.strands[s], now.strands[s]); a != nil { // a new team has no period before
			one.judged = *a
		}
		all = append(all, one)
	}
	merge := func(into, from *sized) {
		if into == from {
			return
		}
		joined := &unit{}
		joined.join(&unit{active: into.judged})
		joined.join(&unit{active: from.judged})
		into.judged = joined.active
		fresh := &unit{}
		fresh.join(into.unit)
		fresh.join(from.unit)
		into.unit = fresh
		all = slices.DeleteFunc(all, func(s *sized) bool { return s == from })
	}
	// Both strands of a team stand alone, or are one.
	for i := 0; i < len(all); i++ {
		if s := all[i].strands[0]; s.second {
			if j := slices.IndexFunc(all, func(o *sized) bool { return o.strands[0] == strand{s.team, false} }); j >= 0 && (count(all[i]) < enough || count(all[j]) < enough) {
				merge(all[j], all[i])
				i--
			}
		}
	}
	// Who is too few goes with others who are, of the same group first, and where
	// that is not enough with the smallest that there is.
	for {
		i := slices.IndexFunc(all, func(s *sized) bool { return count(s) < enough })
		if i < 0 || len(all) < 2 {
			break
		}
		small := all[i]
		group := now.group(before, small.strands[0].team)
		var best *sized
		rank := func(s *sized) [3]int {
			r := [3]int{1, 1, count(s)}
			if now.group(before, s.strands[0].team) == group {
				r[0] = 0
			}
			if count(s) < enough {
				r[1] = 0
			}
			return r
		}
		for _, s := range all {
			if s != small && (best == nil || slices.Compare(slicesOf(rank(s)), slicesOf(rank(best))) < 0) {
				best = s
			}
		}
		merge(small, best)
	}
	p := &partition{}
	for _, s := range all {
		s.cut(enough, over, strict)
		p.units = append(p.units, s.unit)
	}
	return p
}

func slicesOf(r [3]int) []int { return r[:] }

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (c *census) group(before *census, team string) string {
	if g, ok := c.groups[team]; ok {
		return g
	}
	return before.groups[team]
}

// whole reports whether days [from, to) of the period and the strands that in
// names are whole blocks.
func (p *partition) whole(in func(strand) bool, from, to int) bool {
	for _, u := range p.units {
		n := 0
		for _, s := range u.strands {
			if in(s) {
				n++
			}
		}
		switch {
		case n == 0:
		case n < len(u.strands), !u.begins[from], !u.begins[to], slices.Contains(u.shown[from:to], false):
			return false
		}
	}
	return true
}
