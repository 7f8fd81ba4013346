package storage

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

type pointKey struct {
	generation streaming.Generation
	team       string
	metric     metrics.Name
	grain      metrics.Grain
	service    string
	start      timeline.Millis
}

var pointsTable = table[*metrics.Point, pointKey]{
	name: "points",
	columns: "generation, team, metric, grain, service, start, end, zone, status, withdrawn, n, value, unit, p50, p75, p90, sum, numerator, denominator, " +
		"missing, late_accepted, late_dropped, duplicates, quarantined, covered_days, state, version",
	key: func(p *metrics.Point) pointKey {
		return pointKey{p.Version.Generation(), p.Team, p.Metric, p.Grain, p.Service, p.Start}
	},
	version: func(p *metrics.Point) streaming.Version { return p.Version },
	append:  appendPoint,
}

func appendPoint(b driver.Batch, p *metrics.Point) error {
	a := p.Aggregate
	if a == nil {
		a = new(metrics.Aggregate)
	}
	p50, p75, p90, quantiles := p.Quantiles()
	numerator, denominator, fraction := p.Fraction()
	return b.Append(
		uint32(p.Version.Generation()), p.Team, string(p.Metric), string(p.Grain), p.Service, instant(p.Start), instant(p.End), p.Zone,
		string(p.Status), p.Withdrawn, p.N(), number(p.Value()), p.Unit(),
		number(p50, quantiles), number(p75, quantiles), number(p90, quantiles), number(p.Sum()), whole(numerator, fraction), whole(denominator, fraction),
		string(p.Missing), p.LateAccepted, p.LateDropped, p.Duplicates, p.Quarantined, p.CoveredDays, a.Bytes(), uint64(p.Version),
	)
}

// Points returns stored points, withdrawn ones included, by team, metric,
// service and start. A metric that this program does not have comes without its
// definition.
func (r *Reader) Points(ctx context.Context, q metrics.Query) (points []*metrics.Point, err error) {
	args := queryArgs(q)
	args["grain"] = string(q.Grain)
	err = r.query(ctx, "points", "points", q.Generation, args, func(rows driver.Rows) error {
		p, err := r.scanPoint(rows)
		points = append(points, p)
		return err
	})
	return points, err
}

func (r *Reader) scanPoint(rows driver.Rows) (*metrics.Point, error) {
	p := new(metrics.Point)
	var metric, grain, status, missing, state string
	var start, end time.Time
	var version uint64
	err := rows.Scan(&p.Team, &metric, &grain, &p.Service, &start, &end, &p.Zone, &status, &p.Withdrawn,
		&missing, &p.LateAccepted, &p.LateDropped, &p.Duplicates, &p.Quarantined, &p.CoveredDays, &state, &version)
	if err != nil {
		return nil, err
	}
	p.Metric, p.Grain, p.Status, p.Missing = metrics.Name(metric), metrics.Grain(grain), metrics.Status(status), metrics.Reason(missing)
	p.Start, p.End, p.Version = timeline.FromTime(start), timeline.FromTime(end), streaming.Version(version)
	p.Definition = r.definitions[p.Metric]
	if p.Aggregate, err = metrics.DecodeAggregate([]byte(state)); err != nil {
		return nil, fmt.Errorf("point %s of %s at %s: %w", metric, p.Team, p.Start, err)
	}
	return p, nil
}

// queryArgs are what the points and the observations of a query are asked for
// with.
func queryArgs(q metrics.Query) map[string]any {
	teams := q.Teams
	if teams == nil {
		teams = []string{}
	}
	return map[string]any{
		"all_teams": q.Teams == nil, "teams": teams, "metric": string(q.Metric), "service": q.Service,
		"from": int64(clamp(q.From)), "to": int64(clamp(q.To)),
	}
}
