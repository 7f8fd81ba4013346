package main

import (
	"slices"

	"meridian/streaming"
)

// Metrics beside the counts of kinds, and the bounds of the job.
const (
	pickup, review, afterHours = 9, 10, 11
	metricCount                = 12

	bound    = 5 * minute // how far out of order facts come: a window closes so long after its end
	remember = 7          // days for which an id is known
	trailing = 30         // days of the longer window
	quietEnd = historyStart + (historyDays+trailing+1)*day
)

// row is a window as it stands; one with a count of 0 is withdrawn. The last of a
// shard has no team.
type row struct {
	team   string
	metric int32
	days   bool // 30 days, else an hour
	end    int64
	window
}

// window is what a window shows. median is twice the median, 0 without values.
type window struct{ count, sum, median int64 }

// job is the program of one partition.
type job struct {
	names *decoder
	teams []*team
	seen  map[int64]map[[2]uint64]struct{} // by day of event time
	pulls []pull
	hours int64 // all hours before it are closed
	days  int64 // all days before it are closed

	duplicates int64
}

var _ streaming.Program[event, row] = (*job)(nil)

// Apply folds one fact into the cells of its team.
func (j *job) Apply(_ streaming.Clock, r streaming.Record[event], _ func(row)) {
	e := &r.Value
	ids := j.seen[e.time/day]
	if _, again := ids[e.id]; again {
		j.duplicates++
		return
	}
	if ids == nil {
		ids = map[[2]uint64]struct{}{}
		j.seen[e.time/day] = ids
	}
	ids[e.id] = struct{}{}

	for int(e.team) >= len(j.teams) {
		j.teams = append(j.teams, &team{})
	}
	t := j.teams[e.team]
	t.put(j, int32(e.kind), e.time, 0, 1)
	t.put(j, afterHours, e.time, outside(e.time+int64(e.offset)*minute), 1)
	if e.kind <= merged {
		for int(e.entity) >= len(j.pulls) {
			j.pulls = append(j.pulls, pull{})
		}
		j.pulls[e.entity].fold(j, t, e)
	}
}

// outside is 1 on weekends and before 9 or from 18 on.
func outside(local int64) int64 {
	h, weekday := local/hour%24, (local/day+4)%7 // 1970-01-01 was a Thursday
	if h < 9 || h > 17 || weekday == 0 || weekday == 6 {
		return 1
	}
	return 0
}

// pull is a pull request: its facts by time, and what was observed of it.
type pull struct {
	facts    []pullFact
	observed []observation
}

type pullFact struct {
	time  int64
	actor int32
	kind  uint8
}

type observation struct {
	metric      int32
	time, value int64
}

// fold takes a fact in whatever order it comes, and makes the difference between
// what was observed and what is now.
func (p *pull) fold(j *job, t *team, e *event) {
	f := pullFact{e.time, e.actor, e.kind}
	i := len(p.facts)
	for i > 0 && p.facts[i-1].time > f.time {
		i--
	}
	p.facts = slices.Insert(p.facts, i, f)
	var room [8]observation
	now := p.observe(room[:0])
	for _, o := range p.observed {
		if !slices.Contains(now, o) {
			t.put(j, o.metric, o.time, o.value, -1)
		}
	}
	for _, o := range now {
		if !slices.Contains(p.observed, o) {
			t.put(j, o.metric, o.time, o.value, 1)
		}
	}
	p.observed = append(p.observed[:0], now...)
}

// observe appends how long it waited for the first review by somebody else, and
// from then on for each merge.
func (p *pull) observe(out []observation) []observation {
	open := slices.IndexFunc(p.facts, func(f pullFact) bool { return f.kind == opened })
	if open < 0 {
		return out
	}
	o := p.facts[open]
	first := slices.IndexFunc(p.facts, func(f pullFact) bool { return f.kind == reviewed && f.time >= o.time && f.actor != o.actor })
	if first < 0 {
		return out
	}
	began := p.facts[first].time
	out = append(out, observation{pickup, began, began - o.time})
	for _, f := range p.facts {
		if f.kind == merged && f.time >= began {
			out = append(out, observation{review, f.time, f.time - began})
		}
	}
	return out
}

// Tick closes the hours and days that the clock has passed, and gives out again
// those closed ones that have changed.
func (j *job) Tick(c streaming.Clock, _ streaming.Version, emit func(row)) {
	hours, days := max(j.hours, (int64(c)-bound)/hour), max(j.days, (int64(c)-bound)/day)
	for number, t := range j.teams {
		name := j.names.teams.list[number]
		for m := range t.metrics {
			if s := t.metrics[m]; s != nil {
				s.tick(j, hours, days, func(r row) {
					r.team, r.metric = name, int32(m)
					emit(r)
				})
			}
		}
	}
	j.hours, j.days = hours, days
	for d := range j.seen {
		if d < days-remember {
			delete(j.seen, d)
		}
	}
	if int64(c) >= quietEnd {
		emit(row{window: window{count: j.duplicates}}) // the last of this shard
	}
}

// Save and Load do nothing; see the package's comment.
func (*job) Save(func(string, []byte))               {}
func (*job) Load(func(string) ([]byte, error)) error { return nil }
