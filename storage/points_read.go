package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Points returns stored points, withdrawn ones included, by team, metric,
// service and start. A metric that this program does not have comes without its
// definition. The slice is the caller's, the points are shared: nobody may write to
// them.
func (r *Reader) Points(ctx context.Context, q metrics.Query) ([]*metrics.Point, error) {
	// Whole days, so that the same is asked at each tick of one.
	asked := q
	asked.From, asked.To = wholeDays(q.From, q.To)
	args := queryArgs(asked)
	args["grain"] = string(q.Grain)
	read := func(ctx context.Context, p place, file string) (points []*metrics.Point, err error) {
		err = r.queryIn(ctx, p, file, "points", args, func(rows driver.Rows) error {
			point, err := r.scanPoint(rows)
			points = append(points, point)
			return err
		})
		return points, err
	}
	points, err := ask(ctx, r, &r.points, q.Generation, question[*metrics.Point]{
		key: fmt.Sprintf("%#v", asked),
		all: func(ctx context.Context, p place) ([]*metrics.Point, error) { return read(ctx, p, "points") },
		since: func(ctx context.Context, p place, v streaming.Version) ([]*metrics.Point, error) {
			args["since"] = uint64(v)
			return read(ctx, p, "points_since")
		},
		news: func(ctx context.Context, p keptOf, now, was mark) ([]*metrics.Point, bool, error) {
			if asked.From < now.clock-newsReach {
				return nil, false, nil
			}
			rows, ok, err := r.pointNews.since(ctx, p, now, was)
			return slices.DeleteFunc(rows, without(asked)), ok, err
		},
	})
	return slices.DeleteFunc(points, func(p *metrics.Point) bool { return p.Start < q.From || p.Start >= q.To }), err
}

// without tells the points that a query does not ask for.
func without(q metrics.Query) func(*metrics.Point) bool {
	teams, names := setOf(q.Teams), setOf(q.Metrics)
	if q.Metrics == nil && q.Metric != "" {
		names = setOf([]metrics.Name{q.Metric})
	}
	return func(p *metrics.Point) bool {
		return p.Grain != q.Grain || p.Start < q.From || p.Start >= q.To || teams != nil && !teams[p.Team] || names != nil && !names[p.Metric] ||
			q.Service != metrics.AllServices && p.Service != q.Service
	}
}

// setOf is nil for nil, which stands for everything.
func setOf[T comparable](list []T) map[T]bool {
	if list == nil {
		return nil
	}
	set := make(map[T]bool, len(list))
	for _, one := range list {
		set[one] = true
	}
	return set
}

func (r *Reader) scanPoint(rows driver.Rows) (*metrics.Point, error) {
	p := new(metrics.Point)
	var metric, grain, status, missing, state string
	var start, end time.Time
	var version uint64
	var givenN *int64
	var givenValue *float64
	err := rows.Scan(&p.Team, &metric, &grain, &p.Service, &start, &end, &p.Zone, &status, &p.Withdrawn,
		&missing, &p.LateAccepted, &p.LateDropped, &p.Duplicates, &p.Quarantined, &givenN, &givenValue, &p.CoveredDays, &state, &version)
	if err != nil {
		return nil, err
	}
	p.Metric, p.Grain, p.Status, p.Missing = metrics.Name(metric), metrics.Grain(grain), metrics.Status(status), metrics.Reason(missing)
	p.Start, p.End, p.Version = timeline.FromTime(start), timeline.FromTime(end), streaming.Version(version)
	p.Definition = r.definitions[p.Metric]
	p.Given = given(givenN, givenValue)
	if p.Aggregate, err = metrics.DecodeAggregate([]byte(state)); err != nil {
		return nil, fmt.Errorf("point %s of %s at %s: %w", metric, p.Team, p.Start, err)
	}
	return p, nil
}

// queryArgs are what the points and the observations of a query are asked for
// with.
func queryArgs(q metrics.Query) map[string]any {
	teams, names := q.Teams, []string{}
	if teams == nil {
		teams = []string{}
	}
	for _, name := range q.Metrics {
		names = append(names, string(name))
	}
	if q.Metrics == nil && q.Metric != "" {
		names = append(names, string(q.Metric))
	}
	return map[string]any{
		"all_teams": q.Teams == nil, "teams": teams, "all_metrics": q.Metrics == nil && q.Metric == "", "metrics": names, "service": q.Service,
		"from": int64(clamp(q.From)), "to": int64(clamp(q.To)),
	}
}

// wholeDays is a range of instants widened to whole days of UTC.
func wholeDays(from, to timeline.Millis) (timeline.Millis, timeline.Millis) {
	from, to = clamp(from), clamp(to)
	down := func(t timeline.Millis) timeline.Millis {
		return t - (t%timeline.Day+timeline.Day)%timeline.Day
	}
	if whole := down(to); whole < to {
		to = whole + timeline.Day
	}
	return down(from), to
}
