package storage

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/metrics"
	"meridian/streaming"
)

// Intervals returns the intervals of gauges that overlap [From, To), by team,
// metric and start; Metric "" is every gauge, Service "" is every service. All
// that began before To are looked at, for one that is still open may have begun
// long ago; they lie together by team and metric.
func (r *Reader) Intervals(ctx context.Context, q metrics.Query) (list []metrics.ObservationRow, err error) {
	gauges := []string{string(q.Metric)}
	if q.Metric == "" {
		gauges = r.gauges()
	}
	if len(gauges) == 0 {
		return nil, nil
	}
	asked := q
	asked.From, asked.To = wholeDays(q.From, q.To)
	args := queryArgs(asked)
	delete(args, "metrics")
	delete(args, "all_metrics")
	args["gauges"] = gauges
	list, err = ask(ctx, r, &r.intervals, q.Generation, question[metrics.ObservationRow]{
		key: fmt.Sprintf("%#v", asked),
		all: func(ctx context.Context, p place) (list []metrics.ObservationRow, err error) {
			err = r.queryIn(ctx, p, "intervals", "observations", args, func(rows driver.Rows) error {
				o, err := scanObservation(rows)
				list = append(list, o)
				return err
			})
			return list, err
		},
		since: func(ctx context.Context, p place, v streaming.Version) ([]metrics.ObservationRow, error) {
			args["since"] = uint64(v)
			return r.observationsSince(ctx, p, "intervals_since", args)
		},
		news: func(ctx context.Context, p keptOf, now, was mark) ([]metrics.ObservationRow, bool, error) {
			rows, ok, err := r.observationNews.since(ctx, p, now, was)
			teams, names := setOf(q.Teams), setOf(gauges)
			return slices.DeleteFunc(rows, func(o metrics.ObservationRow) bool {
				return !names[string(o.Metric)] || o.Outcome != metrics.Observed || o.At >= asked.To || teams != nil && !teams[o.Team] ||
					q.Service != "" && q.Service != metrics.AllServices && o.Service != q.Service
			}), ok, err
		},
	})
	return slices.DeleteFunc(list, func(o metrics.ObservationRow) bool {
		i := o.Interval()
		return i.Start >= q.To || i.End <= q.From
	}), err
}

// gauges are the names of all gauges, sorted.
func (r *Reader) gauges() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(r.definitions)) {
		if r.definitions[name].Statistic == metrics.Gauge {
			names = append(names, string(name))
		}
	}
	return names
}
