package storage

import (
	"errors"
	"log/slog"
	"net/url"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Config says which ClickHouse, and how rows are written.
type Config struct {
	Options  *clickhouse.Options // of embedded.Server, or ParseDSN
	Embedded bool                // tables fsync each insert
	Cluster  string              // ON CLUSTER and replicated tables; "" for none

	// Interval is how long rows are collected between two inserts. Short, for they are on a page only afterwards; not zero, for
	// each insert makes a part. Default 500 ms.
	Interval time.Duration

	// MaxRows bounds the rows that wait, while as many again are being
	// inserted. At half of it they are inserted at once, at all of it Put
	// blocks. Default 100,000, some 100 MiB in all.
	MaxRows int

	// QueryTime and AnswerRows bound a query of the reader: beyond, it is
	// stopped with ErrTooMuch. Defaults 10 s and 500,000 rows; the embedded
	// engine holds an answer whole in memory.
	QueryTime  time.Duration
	AnswerRows int

	// Settle is how long a generation that is to be moved waits until every
	// process has seen that it is: the age of a look-up (250 ms), and the way of a
	// query to the database. Default 1 s.
	Settle time.Duration

	// Scratch is a folder in which the embedded engine, which is on this machine, may
	// write what is too large to be held; "": there is none, and a server sends its
	// answers as they come.
	Scratch string

	Log *slog.Logger // default slog.Default()
}

// ParseDSN reads http(s)://user:password@host:8123/database?setting=value. Its
// errors never repeat the text, for there is a password in it.
func ParseDSN(dsn string) (*clickhouse.Options, error) {
	u, err := url.Parse(dsn)
	if err != nil || u.Host == "" {
		return nil, errBadDSN
	}
	switch u.Scheme {
	case "http":
	case "https": // the client wants to be told twice
		values := u.Query()
		values.Set("secure", "true")
		u.RawQuery = values.Encode()
	default:
		return nil, errors.New("storage: clickhouse.dsn must begin with http:// or https://; the native protocol (port 9000) is not spoken here, take port 8123 or 8443")
	}
	o, err := clickhouse.ParseDSN(u.String())
	if err != nil {
		return nil, errBadDSN
	}
	return o, nil
}

var errBadDSN = errors.New("storage: clickhouse.dsn cannot be read; write http://user:password@host:8123/database")

func (c Config) withDefaults() Config {
	if c.Interval == 0 {
		c.Interval = 500 * time.Millisecond
	}
	if c.MaxRows == 0 {
		c.MaxRows = 100_000
	}
	if c.QueryTime == 0 {
		c.QueryTime = 10 * time.Second
	}
	if c.AnswerRows == 0 {
		c.AnswerRows = 500_000
	}
	if c.Settle == 0 {
		c.Settle = time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}
