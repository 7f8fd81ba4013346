package storage

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Teams returns the teams that have points in the current generation, sorted.
func (r *Reader) Teams(ctx context.Context) ([]string, error) {
	return r.names(ctx, "teams", nil)
}

// Services returns the services of a team that have points in the current
// generation, sorted.
func (r *Reader) Services(ctx context.Context, team string) ([]string, error) {
	return r.names(ctx, "services", map[string]any{"team": team})
}

func (r *Reader) names(ctx context.Context, query string, args map[string]any) (list []string, err error) {
	err = r.query(ctx, query, "points", 0, args, func(rows driver.Rows) error {
		var s string
		err := rows.Scan(&s)
		list = append(list, s)
		return err
	})
	return list, err
}
