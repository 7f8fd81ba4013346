package storage

import (
	"context"
	"maps"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/metrics"
)

// Intervals returns the intervals of gauges that overlap [From, To), by team,
// metric and start; Metric "" is every gauge, Service "" is every service. All
// that began before To are looked at, for one that is still open may have begun
// long ago; they lie together by team and metric.
func (r *Reader) Intervals(ctx context.Context, q metrics.Query) (list []metrics.ObservationRow, err error) {
	gauges := []string{string(q.Metric)}
	if q.Metric == "" {
		gauges = nil
		for _, name := range slices.Sorted(maps.Keys(r.definitions)) {
			if r.definitions[name].Statistic == metrics.Gauge {
				gauges = append(gauges, string(name))
			}
		}
	}
	if len(gauges) == 0 {
		return nil, nil
	}
	args := queryArgs(q)
	delete(args, "metric")
	args["gauges"] = gauges
	err = r.query(ctx, "intervals", "observations", q.Generation, args, func(rows driver.Rows) error {
		o, err := scanObservation(rows)
		list = append(list, o)
		return err
	})
	return list, err
}
