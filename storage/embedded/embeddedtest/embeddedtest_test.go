package embeddedtest

import (
	"os"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// Two tests at once have two databases.
func TestStart(t *testing.T) {
	for range 2 {
		conn, err := clickhouse.Open(Start(t).Options())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.Exec(t.Context(), "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n"); err != nil {
			t.Error(err)
		}
	}
}
