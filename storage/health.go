package storage

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Ping asks the database whether it is there.
func (d *Database) Ping(ctx context.Context) error {
	return classify(ctx, "ask ClickHouse", d.conn.Ping(ctx))
}

// Health asks whether the database can be used: it answers, and its tables are
// there. The error is one of this package's and says what to do. Bound it with
// ctx: a database that starts is waited for.
func (d *Database) Health(ctx context.Context) error {
	return d.query(ctx, "health", nil, func(driver.Rows) error { return nil })
}

// TableSize is how much one table takes.
type TableSize struct {
	Name  string
	Rows  uint64 // replaced ones that are not merged away yet included
	Bytes uint64 // on disk
	Parts uint64
}

// Sizes returns the size of each table that is not empty, sorted by name. It
// reads the list of parts and no data.
func (d *Database) Sizes(ctx context.Context) (list []TableSize, err error) {
	err = d.query(ctx, "sizes", nil, func(rows driver.Rows) error {
		var s TableSize
		err := rows.Scan(&s.Name, &s.Rows, &s.Bytes, &s.Parts)
		list = append(list, s)
		return err
	})
	return list, err
}
