package storage

import (
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/streaming"
)

// Side is which half of each pair of tables is meant.
type Side string

// Sides. A generation that has never been the current one is in replay.
const (
	Live   Side = "live"
	Replay Side = "replay"
)

// table says how rows of one type are written. K is what the sorting key of its
// SQL table holds: two rows with one K replace each other there.
type table[R any, K comparable] struct {
	name    string // without its side
	columns string // as append gives them
	key     func(R) K
	version func(R) streaming.Version
	append  func(driver.Batch, R) error
}

// on is the name of the SQL table of a side.
func (t table[R, K]) on(s Side) string { return t.name + "_" + string(s) }
