package storage

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"meridian/metrics"
	"meridian/storage/embedded"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Each check of a property takes several inserts, so fewer checks are the default
// here; -rapid.checks asks for more.
func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "30")
	os.Exit(embeddedtest.Main(m))
}

// open gives an empty database with all tables, which do not wait for the disk
// unless change says so. change may be nil.
func open(t testing.TB, change func(*Config)) (*Database, *embedded.Server) {
	t.Helper()
	server := embeddedtest.Start(t)
	d := openOn(t, server, change)
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d, server
}

func openOn(t testing.TB, server *embedded.Server, change func(*Config)) *Database {
	t.Helper()
	c := Config{Options: server.Options(), Interval: 10 * time.Millisecond, QueryTime: time.Minute, Settle: time.Millisecond}
	c.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	if change != nil {
		change(&c)
	}
	d, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// synced makes tables as the embedded engine has them.
func synced(c *Config) { c.Embedded = true }

// run runs a sink until the test ends, or stop is called.
func run(t testing.TB, s *Sink) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

// write puts rows into a side as shard 0 and returns when they are durable.
func write(t testing.TB, d *Database, side Side, rows ...metrics.Row) {
	t.Helper()
	s := d.NewSink(side, nil)
	stop := run(t, s)
	if err := s.Put(t.Context(), 0, rows); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	stop()
}

func current(t testing.TB, d *Database, g streaming.Generation, sequence uint64) {
	t.Helper()
	if err := d.SetCurrent(t.Context(), g, sequence); err != nil {
		t.Fatal(err)
	}
}

func exec(t testing.TB, d *Database, sql string) {
	t.Helper()
	if err := d.conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// count is the one number that a query gives.
func count(t testing.TB, d *Database, sql string, args ...any) int {
	t.Helper()
	var n uint64
	ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(d.readSettings()))
	if err := d.conn.QueryRow(ctx, sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return int(n)
}

func is[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// at is an instant of one day in March 2026, UTC.
func at(hour, minute int) timeline.Millis {
	return timeline.FromTime(time.Date(2026, 3, 2, hour, minute, 0, 0, time.UTC))
}

// version is the one of generation g at an instant.
func version(g streaming.Generation, t timeline.Millis) streaming.Version {
	return streaming.NewVersion(g, streaming.RoundOf(t))
}

// everything is a query for all points of a grain in March 2026.
func everything(grain metrics.Grain) metrics.Query {
	return metrics.Query{
		Service: metrics.AllServices, Grain: grain,
		From: at(0, 0) - 10*timeline.Day, To: at(0, 0) + 10*timeline.Day,
	}
}

// merged is a point of pr_merged with n observations.
func merged(team string, start timeline.Millis, n int, v streaming.Version) *metrics.Point {
	d := metrics.Find("pr_merged")
	a := new(metrics.Aggregate)
	for i := range n {
		a.Add(d.Statistic, &metrics.Observation{Outcome: metrics.Observed, Value: 1, Primary: true, At: start + timeline.Millis(i)})
	}
	return &metrics.Point{
		Version: v, Team: team, Metric: d.Name, Definition: d, Grain: metrics.Hour, Start: start, End: start + timeline.Hour,
		Zone: "UTC", Status: metrics.Provisional, Aggregate: a, CoveredDays: -1,
	}
}
