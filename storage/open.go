package storage

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/streaming"
)

// Database is one ClickHouse.
type Database struct {
	cfg         Config
	conn        driver.Conn
	generations lookUps
	again       atomic.Int64                     // how often rows were written that are over
	may         func(streaming.Generation) error // nil: every one may be read by its name
}

// Open returns the database of c. It does not connect: whether it can be
// reached is what Health says.
func Open(c Config) (*Database, error) {
	c = c.withDefaults()
	if c.Options == nil {
		return nil, errors.New("storage: no ClickHouse is named")
	}
	conn, err := clickhouse.Open(c.Options)
	if err != nil {
		return nil, fmt.Errorf("storage: open ClickHouse: %w", err)
	}
	return &Database{cfg: c, conn: conn}, nil
}

// Close lets go of all connections.
func (d *Database) Close() error { return d.conn.Close() }
