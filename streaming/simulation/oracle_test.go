package simulation

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// oracle recomputes in batch, in the plainest words, what stands when a log has
// been read: each event is held against all accepted ones before it, each entity
// is the list of its facts, each window is looked through for each observation.
func oracle(l *layout, deliveries []*topic) map[string]string {
	facts := map[[2]string][]fact{} // by team and entity
	clock := streaming.Clock(math.MaxInt64)
	for _, log := range deliveries {
		end := judgeAll(l, log, func(e *event.Event, team string) {
			key := [2]string{team, string(e.Entity)}
			facts[key] = append(facts[key], fact{At: e.Time, ID: e.ID, Kind: e.Kind})
		})
		clock = min(clock, end) // a team's shard is where the last partition is
	}
	type window struct {
		team, metric string
		grain        metrics.Grain
		timeline.Window
	}
	in := map[window][]metrics.Observation{}
	for key, fs := range facts {
		zone := l.catalog.TeamZone(key[0], clock)
		slices.SortFunc(fs, compareFacts)
		for _, m := range plainMetrics {
			m.observe(fs, func(o metrics.Observation) {
				date := zone.Date(o.At)
				in[window{key[0], m.name, metrics.Hour, zone.Hour(o.At)}] = append(in[window{key[0], m.name, metrics.Hour, zone.Hour(o.At)}], o)
				in[window{key[0], m.name, metrics.Day, zone.Day(date)}] = append(in[window{key[0], m.name, metrics.Day, zone.Day(date)}], o)
				for last := date; last < date+30 && last <= zone.Date(clock); last++ {
					if zone.Day(last - 29).Empty() {
						continue // it begins where the next one does: a date was skipped
					}
					w := window{key[0], m.name, metrics.Day30, zone.Days30(last)}
					in[w] = append(in[w], o)
				}
			})
		}
	}
	out := map[string]string{}
	for w, observed := range in {
		lag := l.bounds[event.GitHub]
		var values []float64
		hits := 0.0
		for _, o := range observed {
			values = append(values, float64(o.Value))
			if o.Hit {
				hits++
			}
		}
		slices.Sort(values)
		n := float64(len(values))
		value := map[string]float64{"plain_opened": n, "plain_merged": hits / n, "plain_wait": (values[(len(values)-1)/2] + values[len(values)/2]) / 2000}[w.metric]
		out[fmt.Sprintf("%s %s %s %s", w.team, w.metric, w.grain, w.Window)] = fmt.Sprintf("n=%d value=%.4f %s", len(values), value, map[bool]metrics.Status{true: metrics.Provisional, false: metrics.Final}[w.End+lag > clock])
	}
	return out
}

// judgeAll gives the accepted events of one partition, each with its home, and
// returns the clock at its end.
func judgeAll(l *layout, log *topic, accept func(*event.Event, string)) streaming.Clock {
	type known struct {
		id event.ID
		at timeline.Millis
	}
	type place struct {
		team string
		last timeline.Millis
		open bool
	}
	var all []known
	homes := map[event.EntityID]*place{}
	clock := streaming.NoClock
	late := func(t timeline.Millis) bool {
		return clock != streaming.NoClock && timeline.CellOf(t).End()-1+l.horizon <= clock
	}
	var waiting []*ingest.LoggedDelivery
	for _, data := range log.records {
		entry, err := ingest.DecodeEntry(data)
		if err != nil {
			panic(err)
		}
		if entry.Delivery != nil {
			waiting = append(waiting, entry.Delivery)
			continue
		}
		if next := streaming.RoundOf(entry.Tick).Clock(); next > clock {
			for _, d := range waiting {
				for i := range d.Events {
					e := &d.Events[i]
					again := slices.ContainsFunc(all, func(k known) bool { return k.id == e.ID && !late(k.at+timeline.Hour) })
					if e.Defect != "" || e.Time > max(d.Delivery.Received, clock)+10*timeline.Minute || late(e.Time) || again {
						continue
					}
					all = append(all, known{e.ID, e.Time})
					if e.PullRequest == nil {
						continue
					}
					p := homes[e.Entity]
					if p == nil || clock != streaming.NoClock && p.last+max(l.horizon, 400*timeline.Day*map[bool]timeline.Millis{true: 1}[p.open]) <= clock {
						p = &place{team: l.catalog.Home(*e), last: e.Time}
						homes[e.Entity] = p
					}
					if e.Time >= p.last {
						p.last, p.open = e.Time, e.PullRequest.Merged == 0 && e.PullRequest.Closed == 0
					}
					accept(e, p.team)
				}
			}
			waiting, clock = nil, next
		}
	}
	return clock
}

// fact is what the oracle's metrics know of an event.
type fact struct {
	_    struct{} `cbor:",toarray"`
	At   timeline.Millis
	ID   event.ID
	Kind event.Kind
}

func compareFacts(a, b fact) int {
	return cmp.Or(cmp.Compare(a.At, b.At), bytes.Compare(a.ID[:], b.ID[:]))
}

// facts is the fold of a pull request: the list of its facts.
type facts struct {
	Facts []fact `cbor:"1,keyasint,omitempty"`
}

func (f *facts) Apply(r *event.Routed) {
	now := fact{At: r.Event.Time, ID: r.Event.ID, Kind: r.Event.Kind}
	if i, found := slices.BinarySearchFunc(f.Facts, now, compareFacts); !found {
		f.Facts = slices.Insert(f.Facts, i, now)
	}
}

func (f *facts) Life() (timeline.Millis, bool) { return f.Facts[len(f.Facts)-1].At, true }

func plainFolds() []metrics.FoldKind {
	return []metrics.FoldKind{{
		Subject: metrics.SubjectPullRequest, New: func() metrics.Fold { return new(facts) }, Returns: true,
		Entity: func(r *event.Routed) event.EntityID {
			if r.Copy != event.Home || r.Event.PullRequest == nil {
				return ""
			}
			return r.Event.Entity
		},
	}}
}

// plainMetrics are a count, a median and a share over the facts of an entity, in
// order. They read what is true now, so a late fact moves them and takes back.
var plainMetrics = []struct {
	name      string
	statistic metrics.Statistic
	observe   func(fs []fact, yield func(metrics.Observation))
}{
	{"plain_opened", metrics.Count, func(fs []fact, yield func(metrics.Observation)) {
		for _, f := range fs {
			if f.Kind == event.PullRequestOpened || f.Kind == event.PullRequestReopened {
				yield(metrics.Observation{Item: fmt.Sprint(f.ID, f.At), At: f.At, Value: 1}) // an id that was forgotten may come again
			}
		}
	}},
	{"plain_wait", metrics.MedianDuration, func(fs []fact, yield func(metrics.Observation)) {
		opened := slices.IndexFunc(fs, func(f fact) bool { return f.Kind == event.PullRequestOpened })
		if opened < 0 {
			return
		}
		for _, f := range fs[opened:] {
			if f.Kind == event.ReviewSubmitted {
				yield(metrics.Observation{At: f.At, Value: int64(f.At - fs[opened].At)})
				return
			}
		}
	}},
	{"plain_merged", metrics.Share, func(fs []fact, yield func(metrics.Observation)) {
		merged := slices.ContainsFunc(fs, func(f fact) bool { return f.Kind == event.PullRequestMerged })
		yield(metrics.Observation{At: fs[len(fs)-1].At, Value: 1, Hit: merged})
	}},
}

func plainDefinitions() []*metrics.Definition {
	var ds []*metrics.Definition
	for _, m := range plainMetrics {
		ds = append(ds, &metrics.Definition{
			Name: metrics.Name(m.name), Statistic: m.statistic, Sources: []event.Source{event.GitHub}, Refire: metrics.Revise, Late: metrics.SideOutput,
			Sensitivity: metrics.Work, Subject: metrics.SubjectPullRequest,
			Observe: func(f metrics.Fold, _ metrics.View, yield func(metrics.Observation)) {
				m.observe(f.(*facts).Facts, func(o metrics.Observation) {
					o.Outcome, o.Primary = metrics.Observed, true
					yield(o)
				})
			},
		})
	}
	return ds
}

// standing is what the rows leave: of each window its highest version, where it
// holds anything.
func standing(points map[string]*metrics.Point) map[string]string {
	out := map[string]string{}
	for _, p := range points {
		if v, ok := p.Value(); ok && p.N() > 0 {
			key := fmt.Sprintf("%s %s %s %s", p.Team, p.Metric, p.Grain, timeline.Window{Start: p.Start, End: p.End})
			out[key] = fmt.Sprintf("n=%d value=%.4f %s", p.N(), float64(v), p.Status)
		}
	}
	return out
}

// unlike says where two maps differ. What stands is revised where it was withdrawn
// before, in an open window or a final one; the oracle, which looks at the end
// alone, knows nothing of that.
func unlike(got, want map[string]string) (lines []string) {
	for _, k := range slices.Sorted(maps.Keys(want)) {
		before, revised := strings.CutSuffix(got[k], string(metrics.Revised))
		if got[k] != want[k] && !(revised && strings.HasPrefix(want[k], before)) {
			lines = append(lines, fmt.Sprintf("%s: %q, the oracle says %q", k, got[k], want[k]))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[k]; !ok {
			lines = append(lines, fmt.Sprintf("%s: %q, and the oracle knows nothing of it", k, got[k]))
		}
	}
	return lines
}
