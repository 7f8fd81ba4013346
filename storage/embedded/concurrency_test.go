package embedded

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Eight readers beside a writer: every reader sees whole batches only, every parameter is its own.
func TestReadersBesideWriter(t *testing.T) {
	_, conn := startNew(t)
	run(t, conn, "CREATE TABLE t (batch UInt64, n UInt64) ENGINE = MergeTree ORDER BY (batch, n)")
	const batches, rows, readers, minReads = 30, 500, 8, 40
	written := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(written)
		for b := range batches {
			batch, err := conn.PrepareBatch(context.Background(), "INSERT INTO t")
			if err != nil {
				t.Error(err)
				return
			}
			for n := range rows {
				if err := batch.Append(uint64(b), uint64(n)); err != nil {
					t.Error(err)
					return
				}
			}
			if err := batch.Send(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for r := range readers {
		wg.Go(func() {
			last := uint64(0)
			for i, writing := 0, true; writing || i < minReads; i++ {
				select {
				case <-written:
					writing = false
				default:
				}
				mine := fmt.Sprintf("%d-%d", r, i)
				ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(clickhouse.Parameters{"mine": mine}))
				var count uint64
				var echo string
				if err := conn.QueryRow(ctx, "SELECT count(), {mine:String} FROM t").Scan(&count, &echo); err != nil {
					t.Error(err)
					return
				}
				if echo != mine {
					t.Errorf("the parameter of another reader: got %s, want %s", echo, mine)
				}
				if count%rows != 0 || count < last {
					t.Errorf("a reader saw %d rows after %d, not whole batches of %d", count, last, rows)
				}
				last = count
			}
		})
	}
	wg.Wait()
	is(t, "rows in the end", value[uint64](t, conn, "SELECT count() FROM t"), batches*rows)
}

const endless = "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1"

func processes(t *testing.T, s *Server) uint64 {
	return value[uint64](t, open(t, s.Options()), "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64(number)%' AND query NOT LIKE '%processes%'")
}

// Who goes away does not leave the engine computing, and their connection is the next one's.
func TestCancel(t *testing.T) {
	cfg := testConfig(t.TempDir())
	cfg.Connections = 2
	s, _ := start(t, cfg)
	conn := open(t, s.Options())
	for range 5 { // more often than there are connections
		ctx, cancel := context.WithCancel(context.Background())
		failed := make(chan error, 1)
		go func() { failed <- conn.Exec(ctx, endless) }()
		waitUntil(t, func() bool { return processes(t, s) == 1 })
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want context.Canceled", err)
		}
		waitUntil(t, func() bool { return processes(t, s) == 0 })
	}
}

// A limit of time that a client sets is the engine's own, and holds for that one request.
func TestSettingsAreOfOneRequest(t *testing.T) {
	cfg := testConfig(t.TempDir())
	cfg.Connections = 2
	s, _ := start(t, cfg)
	options := s.Options()
	options.MaxOpenConns = 1
	conn := open(t, options)
	initially := value[string](t, conn, "SELECT toString(getSetting('max_execution_time'))")
	limited := clickhouse.Context(context.Background(), clickhouse.WithSettings(clickhouse.Settings{"max_execution_time": "0.2"}))
	var exception *clickhouse.Exception
	if err := conn.Exec(limited, endless); !errors.As(err, &exception) || exception.Code != 159 {
		t.Errorf("got %v, want TIMEOUT_EXCEEDED (159)", err)
	}
	readonly := clickhouse.Context(context.Background(), clickhouse.WithSettings(clickhouse.Settings{"readonly": 1}))
	if err := conn.Exec(readonly, "CREATE TABLE refused (n UInt8) ENGINE = Memory"); !errors.As(err, &exception) || exception.Code != 164 {
		t.Errorf("got %v, want READONLY (164)", err)
	}
	run(t, conn, "SET max_execution_time = 7", "USE system", "CREATE TEMPORARY TABLE fleeting (n UInt8)")
	for range 2 * cfg.Connections { // on every connection
		is(t, "max_execution_time", value[string](t, conn, "SELECT toString(getSetting('max_execution_time'))"), initially)
		is(t, "database", value[string](t, conn, "SELECT currentDatabase()"), "meridian")
		is(t, "temporary tables", value[uint64](t, conn, "SELECT count() FROM system.tables WHERE is_temporary"), 0)
		run(t, conn, "CREATE TABLE writable (n UInt8) ENGINE = Memory", "DROP TABLE writable")
	}
}
