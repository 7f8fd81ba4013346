package embedded

import (
	"context"
	"errors"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// A failing statement is the exception that a ClickHouse server would give, with its code.
func TestTypedErrors(t *testing.T) {
	_, conn := startNew(t)
	run(t, conn, "CREATE TABLE t (n UInt8) ENGINE = MergeTree ORDER BY n")
	for _, c := range []struct {
		sql    string
		code   int32
		status int
	}{
		{"SELECT * FROM nothing", 60, 404},
		{"SELECT nothing", 47, 404},
		{"SELEC 1", 62, 400},
		{"1 + 1", 62, 400}, // a shell's convenience, not a server's
		{"SELECT 1; SELECT 2", 62, 400},
		{"SELECT {missing:String}", 456, 400},
		{"CREATE TABLE t (n UInt8) ENGINE = MergeTree ORDER BY n", 57, 500},
		{"SELECT throwIf(number = 500000) FROM numbers(1000000)", 395, 500},
		{"INSERT INTO t FORMAT CSV\nnot a number", 117, 400},
	} {
		err := conn.Exec(t.Context(), c.sql)
		var exception *clickhouse.Exception
		var http *clickhouse.HTTPError
		if !errors.As(err, &exception) || !errors.As(err, &http) {
			t.Errorf("%s: got %v, want an exception over HTTP", c.sql, err)
			continue
		}
		is(t, c.sql+": code", exception.Code, c.code)
		is(t, c.sql+": status", http.StatusCode, c.status)
	}
	is(t, "rows after failed inserts", value[uint64](t, conn, "SELECT count() FROM t"), 0)

	unknown := clickhouse.Context(context.Background(), clickhouse.WithSettings(clickhouse.Settings{"no_such_setting": 1}))
	var exception *clickhouse.Exception
	if err := conn.Exec(unknown, "SELECT 1"); !errors.As(err, &exception) || exception.Code != 115 {
		t.Errorf("an unknown setting: got %v, want code 115", err)
	}
}

// What takes more than the limit fails; the process and its other statements do not.
func TestMemoryLimit(t *testing.T) {
	cfg := testConfig(t.TempDir())
	cfg.MemoryLimit = 400 << 20
	s, _ := start(t, cfg)
	conn := open(t, s.Options())
	is(t, "limit", value[string](t, conn, "SELECT value FROM system.server_settings WHERE name = 'max_server_memory_usage'"), "419430400")
	is(t, "mark cache", value[string](t, conn, "SELECT value FROM system.server_settings WHERE name = 'mark_cache_size'"), "52428800")
	before := s.Status().PID
	err := conn.Exec(t.Context(), "SELECT length(groupArray(number)) FROM numbers(200000000)")
	var exception *clickhouse.Exception
	if !errors.As(err, &exception) || exception.Code != 241 {
		t.Errorf("got %v, want MEMORY_LIMIT_EXCEEDED (241)", err)
	}
	is(t, "still answers", value[uint8](t, conn, "SELECT 1"), 1)
	is(t, "same process", s.Status().PID, before)
}
