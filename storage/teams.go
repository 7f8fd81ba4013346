package storage

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/metrics"
)

// Teams returns the teams that have points in the current generation, sorted.
func (r *Reader) Teams(ctx context.Context) ([]string, error) {
	return r.namesOf(ctx, "teams", nil, func(p *metrics.Point) string { return p.Team })
}

// Services returns the services of a team that have points in the current
// generation, sorted.
func (r *Reader) Services(ctx context.Context, team string) ([]string, error) {
	return r.namesOf(ctx, "services", map[string]any{"team": team}, func(p *metrics.Point) string {
		if p.Team != team {
			return ""
		}
		return p.Service
	})
}

func (r *Reader) namesOf(ctx context.Context, query string, args map[string]any, of func(*metrics.Point) string) ([]string, error) {
	return ask(ctx, r, &r.names, 0, question[string]{
		key: fmt.Sprint(query, args),
		all: func(ctx context.Context, p place) (list []string, err error) {
			err = r.queryIn(ctx, p, query, "points", args, func(rows driver.Rows) error {
				var s string
				err := rows.Scan(&s)
				list = append(list, s)
				return err
			})
			return list, err
		},
		news: func(ctx context.Context, p keptOf, now, was mark) (names []string, ok bool, err error) {
			rows, ok, err := r.pointNews.since(ctx, p, now, was)
			for _, row := range rows {
				if name := of(row); name != "" && row.Grain == metrics.Day30 {
					names = append(names, name)
				}
			}
			return names, ok, err
		},
	})
}
