package web

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"iter"
	"slices"
	"strings"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// A gauge has no stored points: how many things are open at an instant is
// worked out from their intervals, which add up over teams.

// isGauge reports whether points of d are worked out from intervals.
func isGauge(d *metrics.Definition) bool { return d.Statistic == metrics.Gauge }

// readGauge is read for a gauge.
func (g *Guard) readGauge(ctx context.Context, q SeriesQuery, scopes []Scope) ([]*metrics.Point, error) {
	var teams []string
	for _, s := range scopes {
		teams = append(teams, s.Teams...)
	}
	if len(teams) == 0 {
		return nil, nil
	}
	end := q.From
	for _, s := range scopes {
		q.Scope = s
		for w := range q.windows() {
			end = max(end, min(w.End, q.Clock))
		}
	}
	rows, err := g.results.Intervals(ctx, metrics.Query{
		Generation: q.Generation, Metric: q.Definition.Name, Teams: teams, Service: ofGauge(q.Service), From: q.From, To: end + 1,
	})
	if err != nil {
		return nil, readError(err)
	}
	covered, err := g.coverage(ctx)
	if err != nil {
		return nil, err
	}
	var out []*metrics.Point
	for _, s := range scopes {
		q.Scope = s
		out = append(out, q.gauge(rows, covered.of(q.Definition, s.Teams))...)
	}
	return out, nil
}

// ofGauge is the service that intervals are asked for: the total is made of all.
func ofGauge(service string) string {
	if service == "" {
		return metrics.AllServices
	}
	return service
}

// gauge works out the windows of one scope from intervals of several, by
// service and start.
func (q *SeriesQuery) gauge(rows []metrics.ObservationRow, c metrics.Coverage) (out []*metrics.Point) {
	byService := map[string][]metrics.Interval{q.Service: nil}
	if q.Service == metrics.AllServices {
		byService = map[string][]metrics.Interval{"": nil}
	}
	for i := range rows {
		o := &rows[i]
		if o.Metric != q.Definition.Name || !slices.Contains(q.Scope.Teams, o.Team) {
			continue
		}
		if q.Service == "" || q.Service == metrics.AllServices {
			byService[""] = append(byService[""], o.Interval())
		}
		if o.Service != "" && (q.Service == o.Service || q.Service == metrics.AllServices) {
			byService[o.Service] = append(byService[o.Service], o.Interval())
		}
	}
	names := make([]string, 0, len(byService))
	for name := range byService {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out = append(out, gaugePoints(q.Definition, q.frame(name), q.windows(), byService[name], c)...)
	}
	return out
}

// gaugePoints works out the points of windows that come in order. Intervals go
// in as they begin and out as they end, so that each window costs what is open
// in it, and not all that ever was.
func gaugePoints(d *metrics.Definition, f metrics.Frame, windows iter.Seq[timeline.Window], intervals []metrics.Interval, c metrics.Coverage) (out []*metrics.Point) {
	slices.SortFunc(intervals, func(a, b metrics.Interval) int { return cmp.Compare(a.Start, b.Start) })
	var open []metrics.Interval
	for w := range windows {
		if w.Start > f.Clock {
			break
		}
		at := min(w.End, f.Clock)
		for len(intervals) > 0 && intervals[0].Start <= at {
			open, intervals = append(open, intervals[0]), intervals[1:]
		}
		open = slices.DeleteFunc(open, func(i metrics.Interval) bool { return i.End <= at })
		f.Window = w
		out = append(out, metrics.GaugePoint(d, f, open, c))
	}
	return out
}

// gaugeEvidence lists the intervals that overlap a window, the youngest first.
func (g *Guard) gaugeEvidence(ctx context.Context, q metrics.Query, cursor string, limit int) ([]metrics.ObservationRow, string, error) {
	after, err := readIntervalCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	q.Service = ofGauge(q.Service)
	rows, err := g.results.Intervals(ctx, q)
	if err != nil {
		return nil, "", err
	}
	slices.SortFunc(rows, func(a, b metrics.ObservationRow) int { return intervalCursorOf(&a).compare(intervalCursorOf(&b)) })
	if cursor != "" {
		first := slices.IndexFunc(rows, func(o metrics.ObservationRow) bool { return intervalCursorOf(&o).compare(after) > 0 })
		if first < 0 {
			return nil, "", nil
		}
		rows = rows[first:]
	}
	if len(rows) <= limit {
		return rows, "", nil
	}
	return rows[:limit], intervalCursorOf(&rows[limit-1]).String(), nil
}

// intervalCursor is the place of an interval in its list.
type intervalCursor struct {
	at  timeline.Millis
	key string
}

func intervalCursorOf(o *metrics.ObservationRow) intervalCursor {
	return intervalCursor{o.At, strings.Join([]string{o.Team, o.Service, string(o.Entity), o.Item}, "\x00")}
}

func (c intervalCursor) compare(o intervalCursor) int {
	return cmp.Or(cmp.Compare(o.at, c.at), cmp.Compare(c.key, o.key))
}

func (c intervalCursor) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", int64(c.at), c.key))
}

func readIntervalCursor(text string) (c intervalCursor, err error) {
	if text == "" {
		return c, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return c, fmt.Errorf("%w", metrics.ErrCursor)
	}
	at, key, ok := strings.Cut(string(b), " ")
	var ms int64
	if n, err := fmt.Sscanf(at, "%d", &ms); !ok || n != 1 || err != nil {
		return c, fmt.Errorf("%w", metrics.ErrCursor)
	}
	return intervalCursor{timeline.Millis(ms), key}, nil
}

// openNow lists what is open at the clock of each gauge, the oldest first, in one
// read.
func (g *Guard) openNow(ctx context.Context, as metrics.AsOf, teams []string) (map[metrics.Name][]metrics.ObservationRow, error) {
	if err := g.allow(ctx, teams...); err != nil || len(teams) == 0 {
		return nil, err
	}
	rows, err := g.results.Intervals(ctx, metrics.Query{
		Generation: as.Generation, Teams: teams, Service: metrics.AllServices, From: as.Clock, To: as.Clock + 1,
	})
	if err != nil {
		return nil, readError(err)
	}
	open := map[metrics.Name][]metrics.ObservationRow{}
	for _, o := range rows {
		if i := o.Interval(); i.Start <= as.Clock && i.End > as.Clock {
			open[o.Metric] = append(open[o.Metric], o)
		}
	}
	for _, list := range open {
		slices.SortStableFunc(list, func(a, b metrics.ObservationRow) int {
			return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Team, b.Team), cmp.Compare(a.Entity, b.Entity))
		})
	}
	return open, nil
}

// covered returns since when each team's sources are covered.
func (g *Guard) covered(ctx context.Context) ([]metrics.CoverageRow, error) {
	rows, err := g.results.Coverage(ctx)
	return rows, readError(err)
}
