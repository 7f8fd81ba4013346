package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// role is how a test binary knows that it was started as something else.
const role = "MERIDIAN_EMBEDDED_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "child":
		os.Exit(Main(os.Args[1:]))
	case "signals":
		os.Exit(runAndPanic(os.Args[1]))
	case "parent":
		os.Exit(runAsParent(os.Args[1]))
	}
	if _, err := Library(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if err := Fetch(context.Background(), os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, "these tests need the real library:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// testConfig starts this test binary as the child.
func testConfig(dir string) Config {
	cfg := DefaultConfig()
	cfg.Dir = dir
	cfg.Command = []string{os.Args[0]}
	cfg.Env = []string{role + "=child"}
	cfg.Logger = slog.New(slog.DiscardHandler)
	return cfg
}

// start runs a server until the test ends, or stop is called, and waits until it answers.
func start(t testing.TB, cfg Config) (s *Server, stop func()) {
	t.Helper()
	if cfg.Logger.Handler() == slog.DiscardHandler {
		cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	s = New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
	t.Cleanup(stop)
	if err := s.Ready(deadline(t)); err != nil {
		t.Fatal(err)
	}
	return s, stop
}

// startNew is start on a new directory, and a connection to it.
func startNew(t testing.TB) (*Server, driver.Conn) {
	t.Helper()
	s, _ := start(t, testConfig(filepath.Join(t.TempDir(), "clickhouse")))
	return s, open(t, s.Options())
}

func open(t testing.TB, options *clickhouse.Options) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// deadline only keeps a hanging test from hanging for ever; nothing is measured by it.
func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func run(t testing.TB, conn driver.Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if err := conn.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// value is the one value of a one-row query.
func value[T any](t testing.TB, conn driver.Conn, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(context.Background(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func is[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
