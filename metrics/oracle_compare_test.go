package metrics_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
)

// Every metric, over random organisations, is what the oracle says: in each hour
// and day of each team and service, and over 30 days. The rows of evidence add
// up to the same points.
//
// A failure is made as small as leaving out entities can make it.
func TestDefinitionsAgainstOracle(t *testing.T) {
	t.Parallel()
	const seeds = 300
	seen := map[string]int{}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 7))
		entities := make([]uint64, 1+r.IntN(24))
		for i := range entities {
			entities[i] = r.Uint64()
		}
		order := r.Uint64()
		wrong := compareWithOracle(t, entities, order, seen)
		if len(wrong) == 0 {
			continue
		}
		failSmall(t, seed, entities, wrong, func(fewer []uint64) []string {
			return compareWithOracle(t, fewer, order, map[string]int{})
		})
	}
	for _, d := range metrics.Definitions() {
		if n := seen[string(d.Name)]; n < 100 {
			t.Errorf("%s: only %d points, exclusions or intervals were compared", d.Name, n)
		}
	}
}

// failSmall fails with as few of the entities as still differ.
func failSmall(t *testing.T, seed uint64, entities []uint64, wrong []string, compare func([]uint64) []string) {
	for i := 0; i < len(entities); {
		fewer := slices.Delete(slices.Clone(entities), i, i+1)
		if w := compare(fewer); len(w) > 0 && len(fewer) > 0 {
			entities, wrong = fewer, w
		} else {
			i++
		}
	}
	o := organisationOf(entities, t.Fatalf)
	for _, f := range o.facts {
		t.Log(f.at, strings.Join(f.words, " "))
	}
	t.Fatalf("seed %d\n%s", seed, strings.Join(wrong, "\n"))
}

// ran is an organisation after all of it was delivered.
type ran struct {
	*stages
	rows     *evidence
	events   []event.Event
	happened map[event.ID]int
}

func runOrganisation(t *testing.T, entities []uint64, order uint64) *ran {
	o := organisationOf(entities, t.Fatalf)
	r := &ran{stages: newStages(t, staffCatalog(), metrics.Definitions(), metrics.Folds()), happened: map[event.ID]int{}}
	r.rows = &evidence{newOracle(r.catalog, nil, nil), map[string]*metrics.ObservationRow{}}
	r.emit = r.rows.take
	r.events = o.deliver(order, r.stages)
	for i, f := range o.facts {
		for _, e := range o.world.events(f) {
			r.happened[e.ID] = i
		}
	}
	return r
}

func compareWithOracle(t *testing.T, entities []uint64, order uint64, seen map[string]int) (wrong []string) {
	s := runOrganisation(t, entities, order)
	rows := s.rows
	want := newOracle(s.catalog, s.events, s.happened)
	want.work()
	got := observed(s.engine)
	differ := func(what string, got, want map[string]string) {
		for key, w := range want {
			if got[key] != w {
				wrong = append(wrong, what+" "+key+"\n    got  "+got[key]+"\n    want "+w)
			}
		}
		for key, g := range got {
			if want[key] == "" {
				wrong = append(wrong, what+" "+key+"\n    got  "+g+"\n    want nothing")
			}
		}
	}
	differ("", got, want.described())
	differ("gauge", rows.described(), counted(want.intervals))
	if len(wrong) == 0 {
		differ("evidence", rows.add().described(), got)
		wrong = append(wrong, want.wrong30(s.engine)...)
	}
	for key := range want.points {
		name, _, _ := strings.Cut(key, " | ")
		seen[name]++
	}
	for key := range want.intervals {
		name, _, _ := strings.Cut(key, " | ")
		seen[name]++
	}
	slices.Sort(wrong)
	return wrong
}

func (o *oracle) described() map[string]string {
	all := map[string]string{}
	for key, p := range o.points {
		all[key] = p.String()
	}
	return all
}

func counted(intervals map[string]int) map[string]string {
	all := map[string]string{}
	for key, n := range intervals {
		all[key] = fmt.Sprint(n, " of them")
	}
	return all
}

// observed describes the engine's points in the oracle's words.
func observed(engine *metrics.Engine) map[string]string {
	got := map[string]string{}
	for p := range engine.Final() {
		if p.Grain == metrics.Day30 || p.Aggregate.Empty() {
			continue
		}
		got[strings.Join([]string{string(p.Metric), p.Team, p.Service, string(p.Grain) + " " + p.Start.String()}, " | ")] = held(p).String()
	}
	return got
}

func held(p *metrics.Point) *expected {
	a := &p.Aggregate.All
	e := newExpected()
	e.values, e.hits, e.primary, e.classes = a.Values, a.Hits, a.N, a.Classes
	e.excluded, e.ignored, e.basis = a.Excluded.Map(), a.Ignored.Map(), a.Basis.Map()
	if p.Aggregate.Primary != nil {
		e.primary = p.Aggregate.Primary.N
	}
	if !exact(p.Definition) {
		e.values = slices.Repeat([]int64{1}, int(a.N))
	}
	if p.Definition.Statistic == metrics.CountLength {
		e.sum = a.Sum
	}
	for _, h := range a.Heat {
		e.heat[h.Slot] = h.N
	}
	for _, person := range p.Aggregate.People {
		for k, n := range person.Known {
			if n > 0 {
				e.people[person.ID] = event.ZoneSource(k + 1)
			}
		}
	}
	return e
}

func exact(d *metrics.Definition) bool {
	return d.Statistic == metrics.MedianDuration || d.Statistic == metrics.MedianLines
}

// wrong30 compares the points of 30 days with what the oracle's days come to.
func (o *oracle) wrong30(engine *metrics.Engine) (wrong []string) {
	type day struct {
		at timeline.Millis
		of *expected
	}
	days := map[string][]day{}
	for key, p := range o.points {
		series, start, isDay := strings.Cut(key, " | day ")
		if !isDay {
			continue
		}
		at, err := timeline.ParseInstant(start)
		if err != nil {
			panic(err)
		}
		days[series] = append(days[series], day{at, p})
	}
	for p := range engine.Final() {
		if p.Grain != metrics.Day30 {
			continue
		}
		want := newExpected()
		for _, d := range days[strings.Join([]string{string(p.Metric), p.Team, p.Service}, " | ")] {
			if p.Start <= d.at && d.at < p.End {
				want.merge(d.of)
			}
		}
		got := held(p)
		if exact(p.Definition) { // it holds quantiles, and no values
			got.values, want.values = nil, slices.Sorted(slices.Values(want.values))
			p50, p75, p90, ok := p.Quantiles()
			scale := map[metrics.Statistic]float64{metrics.MedianDuration: 1000, metrics.MedianLines: 1}[p.Definition.Statistic]
			for i, q := range []metrics.Number{p50, p75, p90} {
				if ok != (len(want.values) > 0) || ok && !near(float64(q), between(want.values, []float64{0.5, 0.75, 0.9}[i])/scale) {
					wrong = append(wrong, fmt.Sprintf("%s %s %s 30 days from %s: quantile %d is %v of %v", p.Metric, p.Team, p.Service, p.Start, i, q, want.values))
				}
			}
			if int(p.N()) != len(want.values) {
				wrong = append(wrong, fmt.Sprintf("%s %s %s 30 days from %s: n is %d, not %d", p.Metric, p.Team, p.Service, p.Start, p.N(), len(want.values)))
			}
			want.values = nil
		}
		want.primary, got.primary = 0, 0 // a window that slides is never merged over teams
		if got.String() != want.String() {
			wrong = append(wrong, fmt.Sprintf("%s %s %s 30 days from %s\n    got  %s\n    want %s", p.Metric, p.Team, p.Service, p.Start, got, want))
		}
	}
	return wrong
}

func near(a, b float64) bool { return a-b < 0.001 && b-a < 0.001 }

// between is a quantile with linear interpolation.
func between(sorted []int64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return float64(sorted[low])
	}
	return float64(sorted[low]) + (at-float64(low))*float64(sorted[low+1]-sorted[low])
}

func (e *expected) merge(o *expected) {
	e.values = append(e.values, o.values...)
	e.sum, e.hits, e.primary = e.sum+o.sum, e.hits+o.hits, e.primary+o.primary
	for to, from := range map[*map[string]int64]map[string]int64{&e.excluded: o.excluded, &e.ignored: o.ignored, &e.basis: o.basis} {
		for k, n := range from {
			(*to)[k] += n
		}
	}
	for c := range e.classes {
		e.classes[c] += o.classes[c]
	}
	for who, known := range o.people {
		e.people[who] = max(e.people[who], known)
	}
	for slot, n := range o.heat {
		e.heat[slot] += n
	}
}

// evidence is the rows of observations as a table holds them.
type evidence struct {
	*oracle
	rows map[string]*metrics.ObservationRow
}

func (e *evidence) take(row metrics.Row) {
	if r, ok := row.(*metrics.ObservationRow); ok {
		// As the table is sorted: of one key, the later row counts.
		key := fmt.Sprint(r.Team, "|", r.Metric, "|", r.Service, "|", r.At, "|", r.Entity, "|", r.Item, "|", r.Outcome, "|", r.Reason)
		e.rows[key] = r
	}
}

// described is the intervals of gauges, which are no points.
func (e *evidence) described() map[string]string {
	intervals := map[string]int{}
	for _, r := range e.rows {
		if r.Deleted || e.definition[string(r.Metric)].Statistic != metrics.Gauge {
			continue
		}
		var end timeline.Millis
		if r.Value != metrics.StillOpen {
			end = r.At + timeline.Millis(r.Value)
		}
		intervals[interval(string(r.Metric), r.Team, r.Service, r.At, end)]++
	}
	return counted(intervals)
}

// add makes points of the rows.
func (e *evidence) add() *oracle {
	for _, r := range e.rows {
		d := e.definition[string(r.Metric)]
		if r.Deleted || d.Statistic == metrics.Gauge {
			continue
		}
		for _, p := range e.in(string(r.Metric), r.Team, r.Service, r.At) {
			switch r.Outcome {
			case metrics.Excluded:
				p.excluded[string(r.Reason)]++
				continue
			case metrics.Ignored:
				p.ignored[string(r.Reason)]++
				continue
			}
			if exact(d) {
				p.values = append(p.values, r.Value)
			} else {
				p.values = append(p.values, 1)
			}
			if d.Statistic == metrics.CountLength {
				p.sum += r.Value
			}
			if r.Hit {
				p.hits++
			}
			if r.Primary {
				p.primary++
			}
			if r.Basis != "" {
				p.basis[r.Basis]++
			}
			if r.Slot != 0 {
				p.heat[r.Slot]++
			}
			if r.Person != (event.PersonID{}) {
				p.classes[r.Class]++
				if r.Known != 0 && (d.Statistic != metrics.People || r.Hit) {
					p.people[r.Person] = max(p.people[r.Person], r.Known)
				}
			}
		}
	}
	return e.oracle
}
