package metrics

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// oracle recomputes every point from nothing at each tick, in the plainest way.
type oracle struct {
	config Config
	zone   *timeline.Zone
	homes  []event.Routed
	folds  map[string]Fold // team and entity
	last   map[oracleKey]oracleSaid
	from   map[string]timeline.Millis // team and source
}

type oracleKey struct {
	team, metric, service string
	grain                 Grain
	start                 timeline.Millis
}

type oracleSaid struct {
	content   string
	status    Status
	withdrawn bool
	end       timeline.Millis
}

func (o *oracle) apply(r event.Routed) {
	source := r.Team + r.Event.Source.String()
	if f := o.from[source]; f == 0 || r.Received < f {
		o.from[source] = r.Received
	}
	if r.Copy == event.Home {
		o.homes = append(o.homes, r)
	}
	if r.Verdict != event.Accepted {
		return
	}
	for _, k := range o.config.Folds {
		take := func(id event.EntityID) {
			key := r.Team + "\x00" + string(id)
			if o.folds[key] == nil {
				o.folds[key] = k.New()
				if f, ok := o.folds[key].(Identified); ok {
					f.Identify(id)
				}
			}
			o.folds[key].Apply(&r)
		}
		if k.Entities != nil {
			k.Entities(&r, take)
		} else if id := k.Entity(&r); id != "" {
			take(id)
		}
	}
}

func (o *oracle) tick(clock timeline.Millis) []string {
	groups := map[oracleKey][]Observation{}
	ends := map[oracleKey]timeline.Millis{}
	today := o.zone.Date(clock)
	for key, fold := range o.folds {
		team, _, _ := strings.Cut(key, "\x00")
		for _, d := range o.config.Definitions {
			if d.Subject != subjectOf(fold) || d.Statistic == Gauge {
				continue
			}
			d.Observe(fold, View{Team: team}, func(ob Observation) {
				services := []string{""}
				if d.Services && ob.Service != "" {
					services = append(services, ob.Service)
				}
				for _, s := range services {
					put := func(g Grain, w timeline.Window) {
						k := oracleKey{team, string(d.Name), s, g, w.Start}
						groups[k], ends[k] = append(groups[k], ob), w.End
					}
					put(Hour, o.zone.Hour(ob.At))
					date := o.zone.Date(ob.At)
					put(Day, o.zone.Day(date))
					for e := date; e < date+30 && e <= today; e++ {
						put(Day30, o.zone.Days30(e))
					}
				}
			})
		}
	}
	for k, said := range o.last {
		if ends[k] == 0 {
			ends[k] = said.end
		}
	}
	keys := make([]oracleKey, 0, len(ends))
	for k := range ends {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		return cmp.Or(cmp.Compare(a.team, b.team), cmp.Compare(a.metric, b.metric), cmp.Compare(a.service, b.service), cmp.Compare(a.grain, b.grain), cmp.Compare(a.start, b.start)) < 0
	})
	var lines []string
	for _, k := range keys {
		d := o.definition(k.metric)
		content := fingerprint(groups[k])
		was, known := o.last[k]
		closed := ends[k]+o.config.lag(d) <= clock
		if clock == o.config.HistoryEnd.Clock() { // a history waits for nothing
			closed = ends[k] <= clock
		}
		if known && was.content == content && !(was.status == Provisional && closed) {
			continue
		}
		said := oracleSaid{content: content, end: ends[k], withdrawn: len(groups[k]) == 0}
		switch {
		case said.withdrawn || known && was.status != Provisional:
			said.status = Revised
		case closed:
			said.status = Final
		default:
			said.status = Provisional
		}
		o.last[k] = said
		lines = append(lines, o.line(k, said, groups[k], clock))
	}
	return lines
}

func (o *oracle) definition(name string) *Definition {
	i := slices.IndexFunc(o.config.Definitions, func(d *Definition) bool { return string(d.Name) == name })
	return o.config.Definitions[i]
}

// fingerprint is what a window holds, as far as points can show it.
func fingerprint(obs []Observation) string {
	var parts []string
	for _, o := range obs {
		parts = append(parts, fmt.Sprint(timeline.CellOf(o.At), o.Value, o.Hit, o.Outcome, o.Reason, o.Person, o.Primary, o.Class, o.Known, o.Basis, o.Slot))
	}
	slices.Sort(parts)
	return strings.Join(parts, "\n")
}

// line is the point of a window, worked out by hand.
func (o *oracle) line(k oracleKey, said oracleSaid, obs []Observation, clock timeline.Millis) string {
	d := o.definition(k.metric)
	j := PointJSON{
		Metric: k.metric, Team: k.team, Service: k.service, Grain: string(k.grain), Start: k.start.String(), End: said.end.String(), Zone: o.zone.Name(),
		Unit: d.Statistic.Unit(k.grain), Status: string(said.status), Excluded: map[string]int64{}, Ignored: map[string]int64{},
		Generation: 1, Version: streaming.NewVersion(1, streaming.RoundOf(clock)).String(),
	}
	var values []float64
	var sum, hits int64
	var heat [7][24]int64
	basis, people, classes := map[string]int64{}, map[event.PersonID]event.ZoneSource{}, [4]int64{}
	for _, ob := range obs {
		switch ob.Outcome {
		case Excluded:
			j.Excluded[string(ob.Reason)]++
		case Ignored:
			j.Ignored[string(ob.Reason)]++
		default:
			j.N++
			values, sum = append(values, float64(ob.Value)/1000), sum+ob.Value
			if ob.Hit {
				hits++
			}
			if ob.Basis != "" {
				basis[ob.Basis]++
			}
			people[ob.Person] = max(people[ob.Person], ob.Known)
			classes[ob.Class]++
			if ob.Slot > 0 {
				heat[(ob.Slot-1)/24][(ob.Slot-1)%24]++
			}
		}
	}
	if len(basis) > 0 {
		j.Basis = basis
	}
	number := func(v float64) *Number { n := Number(v); return &n }
	switch {
	case said.withdrawn || j.N == 0 && (d.Statistic == MedianDuration || d.Statistic == Share):
		j.Missing = string(NothingObserved)
	case d.Statistic == MedianDuration:
		slices.Sort(values)
		at := func(q float64) float64 {
			p := q * float64(len(values)-1)
			i := int(p + 1e-9)
			if i+1 >= len(values) {
				return values[i]
			}
			return values[i] + (values[i+1]-values[i])*(p-float64(i))
		}
		round := func(v float64) *Number { return number(float64(int64(v*1e5+0.5)) / 1e5) }
		j.P50, j.P75, j.P90, j.Sum = round(at(0.5)), round(at(0.75)), round(at(0.9)), number(float64(sum)/1000)
		j.Value = j.P50
	case d.Statistic == Share:
		j.Value, j.Numerator, j.Denominator = number(float64(hits)/float64(j.N)), &hits, &j.N
	case d.Statistic == PerDay && k.grain == Day30:
		thirty := int64(30)
		j.Value, j.Numerator, j.Denominator = number(float64(j.N)/30), &j.N, &thirty
	default:
		j.Value = number(float64(j.N))
	}
	if d.Statistic == Heat {
		j.Heatmap = &heat
	}
	if d.Statistic == CountLength && j.N > 0 {
		j.Sum = number(float64(sum) / 1000)
	}
	if d.Zones {
		j.Zones, j.Classes = &ZonesJSON{}, &ClassesJSON{Working: classes[0], Evening: classes[1], Weekend: classes[2], Holiday: classes[3]}
		for _, known := range people {
			switch known {
			case event.ZoneConfigured:
				j.Zones.Configured++
			case event.ZoneInferred:
				j.Zones.Inferred++
			case event.ZoneAssumed:
				j.Zones.Assumed++
			}
		}
	}
	for _, r := range o.homes {
		if r.Team != k.team || r.Event.Time < k.start || r.Event.Time >= said.end || !slices.Contains(d.Sources, r.Event.Source) {
			continue
		}
		switch {
		case r.Verdict == event.Accepted && r.LateAccepted:
			j.LateAccepted++
		case r.Verdict == event.Late:
			j.LateDropped++
		case r.Verdict == event.Duplicate:
			j.Duplicates++
		case r.Verdict == event.Quarantined:
			j.Quarantined++
		}
	}
	if k.grain == Day30 {
		var days int32
		for date := o.zone.Date(k.start); date < o.zone.Date(said.end); date++ {
			covered := false
			for _, s := range d.Sources {
				if f, ok := o.from[k.team+s.String()]; ok && o.zone.Day(date).End > f && o.zone.Day(date).Start <= clock {
					covered = true
				}
			}
			if covered {
				days++
			}
		}
		j.CoveredDays = &days
	}
	b, err := json.Marshal(j)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// testLog is a random log: rounds of records, each closed by a tick.
type testRound struct {
	records []event.Routed
	clock   timeline.Millis
}

func drawLog(t *rapid.T, start timeline.Millis, spread timeline.Millis) []testRound {
	var log []testRound
	clock := streaming.RoundOf(start).Clock()
	n := 0
	for range rapid.IntRange(1, 12).Draw(t, "rounds") {
		var round testRound
		for range rapid.IntRange(0, 6).Draw(t, "records") {
			n++
			round.records = append(round.records, drawRecord(t, n, clock, spread))
		}
		step := rapid.SampledFrom([]timeline.Millis{500, 30 * timeline.Second, 20 * timeline.Minute, 3 * timeline.Hour, 26 * timeline.Hour, 9 * timeline.Day, 40 * timeline.Day}).Draw(t, "step")
		clock += step
		round.clock = clock
		log = append(log, round)
	}
	return log
}

func drawRecord(t *rapid.T, n int, clock, spread timeline.Millis) event.Routed {
	back := rapid.SampledFrom([]timeline.Millis{timeline.Minute, timeline.Hour, timeline.Day, spread}).Draw(t, "within")
	at := clock + 10*timeline.Minute - timeline.Millis(rapid.Int64Range(0, int64(back+10*timeline.Minute)).Draw(t, "back"))
	r := event.Routed{
		Copy: event.Home, Team: rapid.SampledFrom([]string{"acme/web", "ops"}).Draw(t, "team"), Clock: clock, Received: clock + timeline.Millis(n),
		Verdict: rapid.SampledFrom([]event.Verdict{event.Accepted, event.Accepted, event.Accepted, event.Accepted, event.Late, event.Duplicate, event.Quarantined}).Draw(t, "verdict"),
		Event:   event.Event{ID: event.NewID(fmt.Sprint(n)), Source: rapid.SampledFrom(event.Sources[:]).Draw(t, "source"), Time: at},
	}
	r.LateAccepted = r.Verdict == event.Accepted && rapid.Bool().Draw(t, "late")
	if rapid.IntRange(0, 3).Draw(t, "act") == 0 {
		person := rapid.SampledFrom([]string{"m", "j", "k"}).Draw(t, "person")
		r.Copy, r.Actor.ID = event.Activity, event.PersonID{person[0]}
		r.Services = rapid.SampledFrom([][]string{nil, nil, {"checkout"}, {"checkout", "search"}}).Draw(t, "services")
		r.Act = &event.Act{
			Key: fmt.Sprintf("%s%d", person, at/timeline.Hour), At: at / timeline.Hour * timeline.Hour, Primary: rapid.Bool().Draw(t, "primary"),
			Known: rapid.SampledFrom([]event.ZoneSource{event.ZoneConfigured, event.ZoneInferred, event.ZoneAssumed}).Draw(t, "known"),
			Class: timeline.Class(rapid.IntRange(0, 3).Draw(t, "class")), Ignored: rapid.SampledFrom([]string{"", "", "", "auto_merge"}).Draw(t, "ignored"),
		}
		return r
	}
	r.Event.Entity = event.EntityID(rapid.SampledFrom([]string{"pr/1", "pr/2", "pr/3", "pr/4"}).Draw(t, "entity"))
	r.Event.Kind = rapid.SampledFrom([]event.Kind{event.PullRequestOpened, event.ReviewSubmitted, event.ReviewSubmitted, event.PullRequestMerged, event.PullRequestClosed}).Draw(t, "kind")
	r.Service = rapid.SampledFrom([]string{"", "checkout", "search"}).Draw(t, "service")
	r.Actor.Bot = rapid.IntRange(0, 4).Draw(t, "bot") == 0
	return r
}

var testZones = []string{"UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"}

func drawStart(t *rapid.T) timeline.Millis {
	// About daylight-saving changes of all the zones, and between them.
	return rapid.SampledFrom([]timeline.Millis{
		timeline.UTC().Midnight(timeline.MakeDate(2026, 3, 27)), timeline.UTC().Midnight(timeline.MakeDate(2026, 10, 2)),
		timeline.UTC().Midnight(timeline.MakeDate(2026, 11, 1)), timeline.UTC().Midnight(timeline.MakeDate(2026, 7, 15)),
	}).Draw(t, "start") + timeline.Millis(rapid.Int64Range(0, int64(2*timeline.Day)).Draw(t, "offset"))
}

// Every emission equals that of the oracle, to the byte.
func TestEngineEqualsOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		zone := rapid.SampledFrom(testZones).Draw(rt, "zone")
		c := testConfig(t, zone)
		c.Horizon = 10000 * timeline.Day // what is too old has tests of its own
		g := newRig(t, c)
		o := &oracle{config: c, zone: testZone(t, zone), folds: map[string]Fold{}, last: map[oracleKey]oracleSaid{}, from: map[string]timeline.Millis{}}
		for _, round := range drawLog(rt, drawStart(rt), 20*timeline.Day) {
			for _, r := range round.records {
				g.apply(r)
				o.apply(r)
			}
			g.tickAt(round.clock)
			var got []string
			for _, row := range g.rows {
				if p, ok := row.(*Point); ok {
					got = append(got, string(p.AppendJSON(nil)))
				}
			}
			want := o.tick(round.clock)
			if !slices.Equal(got, want) {
				rt.Fatalf("at %s in %s:\n%s", round.clock, zone, difference(got, want))
			}
		}
	})
}

func difference(got, want []string) string {
	var b strings.Builder
	for _, l := range got {
		if !slices.Contains(want, l) {
			fmt.Fprintln(&b, "only engine:", l)
		}
	}
	for _, l := range want {
		if !slices.Contains(got, l) {
			fmt.Fprintln(&b, "only oracle:", l)
		}
	}
	if b.Len() == 0 {
		return "the order differs"
	}
	return b.String()
}
