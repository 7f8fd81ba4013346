package storage

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Progress returns how many shards of a generation have said how far their rows
// are in the tables, and the clock of the one that is furthest behind.
func (d *Database) Progress(ctx context.Context, g streaming.Generation) (shards int, clock timeline.Millis, err error) {
	args := map[string]any{"generation": fmt.Sprint(uint32(g))}
	err = d.query(ctx, "progress", args, func(rows driver.Rows) error {
		var n int64
		var lowest *time.Time
		if err := rows.Scan(&n, &lowest); err != nil {
			return err
		}
		shards, clock = int(n), millis(lowest)
		return nil
	})
	return shards, clock, err
}
