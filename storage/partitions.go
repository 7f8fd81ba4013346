package storage

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// halved are the tables that have a live and a replay half, and the column whose
// month they are partitioned by; coverage has one partition for each generation.
var halved = []struct{ name, time string }{
	{"points", "start"}, {"observations", "at"}, {"quality", "cell"}, {"rejects", "received"}, {"coverage", ""},
}

// partition is one of a generation, in one table.
type partition struct {
	pair string
	side Side
	id   string // as ClickHouse writes it: 2-202603, or 2
}

func (p partition) table() string { return p.pair + "_" + string(p.side) }

// generation returns which one a partition belongs to.
func (p partition) generation() (streaming.Generation, bool) {
	number, _, _ := strings.Cut(p.id, "-")
	n, err := strconv.ParseUint(number, 10, 32)
	return streaming.Generation(n), err == nil
}

// end is the first instant after the month of a partition; false: it has none.
func (p partition) end() (timeline.Millis, bool) {
	_, month, ok := strings.Cut(p.id, "-")
	if !ok {
		return 0, false
	}
	t, err := time.Parse("200601", month)
	return timeline.FromTime(t.AddDate(0, 1, 0)), err == nil
}

// partitions lists those of all tables with two halves, from the database's own list of parts: it
// reads no rows.
func (d *Database) partitions(ctx context.Context, wanted func(partition, streaming.Generation) bool) (list []partition, err error) {
	err = d.query(ctx, "partitions", nil, func(rows driver.Rows) error {
		var table string
		var p partition
		if err := rows.Scan(&table, &p.id); err != nil {
			return err
		}
		pair, side, _ := strings.Cut(table, "_")
		p.pair, p.side = pair, Side(side)
		if g, ok := p.generation(); ok && wanted(p, g) {
			list = append(list, p)
		}
		return nil
	})
	return list, err
}

// of is the wish for one generation's partitions in one half.
func of(g streaming.Generation, s Side) func(partition, streaming.Generation) bool {
	return func(p partition, have streaming.Generation) bool { return have == g && p.side == s }
}

// drop drops a partition; one that is gone already is no error.
func (d *Database) drop(ctx context.Context, p partition) error {
	return d.alter(ctx, fmt.Sprintf("ALTER TABLE %s DROP PARTITION ID '%s'", p.table(), p.id))
}

// alter runs a statement that changes tables and takes as long as it takes. On a
// cluster it returns when every replica that is there has done it.
func (d *Database) alter(ctx context.Context, sql string) error {
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{
		"max_execution_time": 0, "mutations_sync": 2, "alter_sync": 2, "replication_wait_for_inactive_replica_timeout": 0,
	}))
	return classify(ctx, "change tables", d.conn.Exec(ctx, sql))
}
