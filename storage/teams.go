package storage

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Teams returns the teams that have points in the current generation, sorted.
func (r *Reader) Teams(ctx context.Context) ([]string, error) {
	return r.namesOf(ctx, "teams", nil)
}

// Services returns the services of a team that have points in the current
// generation, sorted.
func (r *Reader) Services(ctx context.Context, team string) ([]string, error) {
	return r.namesOf(ctx, "services", map[string]any{"team": team})
}

func (r *Reader) namesOf(ctx context.Context, query string, args map[string]any) ([]string, error) {
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
	})
}
