package webtest

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
	"meridian/web"
)

// Clock is how far the organisation's numbers are: 2026-03-03T14:05:00Z.
const Clock timeline.Millis = 1772546700000

// Organisation implements web.Results, Directory, Sources, Status and Updates.
// Change its fields before use, or by Change.
type Organisation struct {
	List        []web.Team
	AsOfAnswer  metrics.AsOf
	Rows        []metrics.ObservationRow
	Targets     map[string]*web.Target   // by team and metric: "web pr_pickup_time"
	Revised     map[timeline.Millis]bool // starts of windows that were revised
	QualityRows []metrics.QualityRow
	RejectRows  []metrics.RejectRow
	Covered     []metrics.CoverageRow
	SourceList  []web.SourceStatus
	Parts       []web.Health
	EngineState web.EngineStatus
	Err         error // of every read
	Reads       func(metrics.Query)

	data  sync.RWMutex
	mu    sync.Mutex
	pages map[chan timeline.Millis]bool
}

// Change changes o while a server reads it.
func (o *Organisation) Change(f func()) {
	o.data.Lock()
	defer o.data.Unlock()
	f()
}

// Try implements web.Tried.
func (o *Organisation) Try(_ context.Context, path string) (string, bool) {
	return "A test delivery was taken at " + path + ".", true
}

// AsOf implements web.Results, as the methods below do.
func (o *Organisation) AsOf(context.Context) (metrics.AsOf, error) {
	o.data.RLock()
	defer o.data.RUnlock()
	return o.AsOfAnswer, o.Err
}

// Points works out the windows that hold something.
func (o *Organisation) Points(_ context.Context, q metrics.Query) (out []*metrics.Point, err error) {
	o.data.RLock()
	defer o.data.RUnlock()
	if o.Reads != nil {
		o.Reads(q)
	}
	if o.Err != nil {
		return nil, o.Err
	}
	type key struct {
		team    string
		metric  metrics.Name
		service string
	}
	series := map[key][]*metrics.ObservationRow{}
	var keys []key
	put := func(k key, r *metrics.ObservationRow) {
		if series[k] == nil {
			keys = append(keys, k)
		}
		series[k] = append(series[k], r)
	}
	for i := range o.Rows {
		r := &o.Rows[i]
		if q.Metrics != nil && !slices.Contains(q.Metrics, r.Metric) || q.Metrics == nil && q.Metric != "" && q.Metric != r.Metric || q.Teams != nil && !slices.Contains(q.Teams, r.Team) {
			continue
		}
		if q.Service == "" || q.Service == metrics.AllServices {
			put(key{r.Team, r.Metric, ""}, r)
		}
		if r.Service != "" && (q.Service == r.Service || q.Service == metrics.AllServices) {
			put(key{r.Team, r.Metric, r.Service}, r)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.team, b.team), cmp.Compare(a.metric, b.metric), cmp.Compare(a.service, b.service))
	})
	for _, k := range keys {
		z := zone(o.Team(k.team))
		d := metrics.Find(k.metric)
		if d.Statistic == metrics.Gauge {
			continue // has no points
		}
		for w := range metrics.Windows(z, q.Grain, q.From, min(q.To, o.AsOfAnswer.Clock)) {
			if p := o.point(d, w, series[k]); p != nil {
				p.Team, p.Service, p.Grain, p.Zone = k.team, k.service, q.Grain, z.Name()
				p.CoveredDays = -1
				if q.Grain == metrics.Day30 {
					p.CoveredDays = metrics.CoverageOf(d, o.covered(k.team)).Days(z, z.Date(w.Start), z.Date(w.End-1), o.AsOfAnswer.Clock)
				}
				out = append(out, p)
			}
		}
	}
	return out, nil
}

func (o *Organisation) point(d *metrics.Definition, w timeline.Window, rows []*metrics.ObservationRow) *metrics.Point {
	p := &metrics.Point{
		Version: streaming.NewVersion(o.AsOfAnswer.Generation, streaming.RoundOf(o.AsOfAnswer.Clock)),
		Metric:  d.Name, Definition: d, Start: w.Start, End: w.End, Status: metrics.Final, Aggregate: new(metrics.Aggregate),
	}
	for _, r := range rows {
		if w.Contains(r.At) {
			p.Aggregate.Add(d.Statistic, &r.Observation)
		}
	}
	if p.Aggregate.Empty() {
		return nil
	}
	if o.Revised[w.Start] {
		p.Status, p.LateAccepted = metrics.Revised, 2
		if v, ok := p.Value(); ok && p.N() > 2 { // what came late made it a quarter larger
			p.Given = &metrics.Given{N: p.N() - 2, Value: metrics.Number(math.Round(float64(v) * .8))}
		}
	}
	if w.End > o.AsOfAnswer.Clock {
		p.Status = metrics.Provisional
	}
	if p.Aggregate.All.N == 0 && d.Statistic != metrics.Count && d.Statistic != metrics.PerDay {
		p.Missing = metrics.NothingObserved
	}
	for _, q := range o.QualityRows {
		if at := q.Cell.Start(); w.Contains(at) {
			p.Duplicates += q.Duplicates
			p.LateAccepted += q.LateAccepted
			p.LateDropped += q.Late
		}
	}
	return p
}

// Observations returns what is dated in the range, newest first.
func (o *Organisation) Observations(_ context.Context, q metrics.Query, cursor string, limit int) (out []metrics.ObservationRow, next string, err error) {
	o.data.RLock()
	defer o.data.RUnlock()
	if o.Err != nil {
		return nil, "", o.Err
	}
	for _, r := range o.Rows {
		if r.Metric == q.Metric && (q.Teams == nil || slices.Contains(q.Teams, r.Team)) && (q.Service == "" || q.Service == r.Service) && r.At >= q.From && r.At < q.To {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b metrics.ObservationRow) int {
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.Entity, b.Entity))
	})
	return page(out, cursor, limit)
}

// Intervals returns the intervals of gauges that overlap the range.
func (o *Organisation) Intervals(_ context.Context, q metrics.Query) (out []metrics.ObservationRow, err error) {
	o.data.RLock()
	defer o.data.RUnlock()
	for _, r := range o.Rows {
		d := metrics.Find(r.Metric)
		if d.Statistic != metrics.Gauge || q.Metric != "" && q.Metric != r.Metric || q.Teams != nil && !slices.Contains(q.Teams, r.Team) {
			continue
		}
		if i := r.Interval(); i.Start < q.To && i.End > q.From && (q.Service == "" || q.Service == metrics.AllServices || q.Service == r.Service) {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b metrics.ObservationRow) int {
		return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.At, b.At))
	})
	return out, o.Err
}

func (o *Organisation) Rejects(_ context.Context, cursor string, limit int) ([]metrics.RejectRow, string, error) {
	o.data.RLock()
	defer o.data.RUnlock()
	if o.Err != nil {
		return nil, "", o.Err
	}
	return page(o.RejectRows, cursor, limit)
}

func page[T any](rows []T, cursor string, limit int) ([]T, string, error) {
	from := 0
	if cursor != "" {
		b, err := base64.RawURLEncoding.DecodeString(cursor)
		if err == nil {
			from, err = strconv.Atoi(string(b))
		}
		if err != nil || from < 0 || from > len(rows) {
			return nil, "", fmt.Errorf("webtest: %w", metrics.ErrCursor)
		}
	}
	rows = rows[from:]
	if len(rows) <= limit {
		return rows, "", nil
	}
	return rows[:limit], base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(from + limit))), nil
}

// Teams returns the teams that have rows.
func (r results) Teams(context.Context) (names []string, err error) {
	r.data.RLock()
	defer r.data.RUnlock()
	for i := range r.Rows {
		names = append(names, r.Rows[i].Team)
	}
	slices.Sort(names)
	return slices.Compact(names), r.Err
}

func (o *Organisation) Services(_ context.Context, team string) (names []string, err error) {
	o.data.RLock()
	defer o.data.RUnlock()
	for _, r := range o.Rows {
		if r.Team == team && r.Service != "" {
			names = append(names, r.Service)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), o.Err
}

func (o *Organisation) Quality(_ context.Context, from, to timeline.Millis) (out []metrics.QualityRow, err error) {
	o.data.RLock()
	defer o.data.RUnlock()
	for _, q := range o.QualityRows {
		if at := q.Cell.Start(); at >= from && at < to {
			out = append(out, q)
		}
	}
	return out, o.Err
}

func (o *Organisation) Coverage(context.Context) ([]metrics.CoverageRow, error) {
	o.data.RLock()
	defer o.data.RUnlock()
	return o.Covered, o.Err
}

func (o *Organisation) covered(team string) []metrics.CoverageRow {
	return slices.DeleteFunc(slices.Clone(o.Covered), func(r metrics.CoverageRow) bool { return r.Team != team })
}

// Results and Directory both have a method Teams, so each is a view of o.
type (
	results   struct{ *Organisation }
	directory struct{ *Organisation }
)

// Results returns o as web.Results.
func (o *Organisation) Results() web.Results { return results{o} }

// Directory returns o as web.Directory.
func (o *Organisation) Directory() web.Directory { return directory{o} }

func (d directory) Teams() []web.Team { return d.List }
func (d directory) Target(team string, metric metrics.Name, _ timeline.Millis) *web.Target {
	return d.Targets[team+" "+string(metric)]
}
func (directory) Zone() *timeline.Zone { return Zone("Europe/Berlin") }
func (o *Organisation) Team(name string) web.Team {
	for _, t := range o.List {
		if t.Name == name {
			return t
		}
	}
	return web.Team{Name: name, Zone: timeline.UTC()}
}

func (o *Organisation) Sources() []web.SourceStatus         { return o.SourceList }
func (o *Organisation) Health(context.Context) []web.Health { return o.Parts }
func (o *Organisation) Engine() web.EngineStatus            { return o.EngineState }

// Subscribe implements web.Updates.
func (o *Organisation) Subscribe() (<-chan timeline.Millis, func()) {
	ch := make(chan timeline.Millis, 1)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pages == nil {
		o.pages = map[chan timeline.Millis]bool{}
	}
	o.pages[ch] = true
	return ch, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.pages, ch)
	}
}

// Publish tells every open page that rows were written up to clock, and how
// many pages there are.
func (o *Organisation) Publish(clock timeline.Millis) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	for ch := range o.pages {
		select {
		case ch <- clock:
		default:
		}
	}
	return len(o.pages)
}

// Zone is a zone whose name is right.
func Zone(name string) *timeline.Zone {
	z, err := timeline.LoadZone(name)
	if err != nil {
		panic(err)
	}
	return z
}

func zone(t web.Team) *timeline.Zone { return t.Zone }

// Person is a pseudonym by number.
func Person(n int) (p event.PersonID) {
	p[0], p[1] = byte(n), byte(n>>8)
	p[15] = 1
	return p
}

// Bounds are measured delays, for web.Config: one source that fits and one that
// comes later than its bound.
func Bounds() []web.Bound {
	return []web.Bound{
		{Source: "github", Wait: 5 * timeline.Minute, Events: 48210, Late: 12, For1: 40 * timeline.Second, ForTen: 3 * timeline.Minute, P50: 2 * timeline.Second, P99: 38 * timeline.Second, Max: 6 * timeline.Hour},
		{Source: "deploy", Wait: 10 * timeline.Minute, Events: 2100, Late: 260, For1: 2 * timeline.Hour, ForTen: 5 * timeline.Hour, P50: 8 * timeline.Minute, P99: 100 * timeline.Minute, Max: 9 * timeline.Hour, Exceeded: true},
	}
}
