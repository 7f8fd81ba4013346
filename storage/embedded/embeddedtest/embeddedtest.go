// Package embeddedtest gives the tests of other packages a real ClickHouse. It knows how a test binary becomes the child of an
// embedded server; what is in the database is the test's own affair.
//
// A package that uses it has
//
//	func TestMain(m *testing.M) { os.Exit(embeddedtest.Main(m)) }
//
// because the child is the test binary itself, started again: without that line it would not know what it is asked to do.
package embeddedtest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"meridian/storage/embedded"
)

// role is set in the environment of a test binary that is a child.
const role = "MERIDIAN_EMBEDDED_TEST_ROLE"

// Main runs the tests of a package, or serves as the child of one of them. It fetches the library when it is missing.
func Main(m *testing.M) int {
	if os.Getenv(role) == "child" {
		return embedded.Main(os.Args[1:])
	}
	ctx := context.Background()
	if _, err := embedded.Library(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if err := embedded.Fetch(ctx, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, "these tests need the real library:", err)
			return 1
		}
	}
	return m.Run()
}

// Config is for a server whose child is the test binary.
func Config(t testing.TB, dir string) embedded.Config {
	cfg := embedded.DefaultConfig()
	cfg.Dir = dir
	cfg.Command = []string{os.Args[0]}
	cfg.Env = []string{role + "=child"}
	cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	return cfg
}

// Start gives a server with an empty database, which answers and lives until the test ends. It takes about 0.2 s.
func Start(t testing.TB) *embedded.Server {
	t.Helper()
	return Run(t, Config(t, t.TempDir()))
}

// Run is Start with a configuration of one's own: another limit, a TCP address, a directory that is not empty.
func Run(t testing.TB, cfg embedded.Config) *embedded.Server {
	t.Helper()
	s := embedded.New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("embedded ClickHouse: %v", err)
		}
	})
	wait, stop := context.WithTimeout(ctx, 4*time.Minute) // only so that a hanging child does not hang the test for ever
	defer stop()
	if err := s.Ready(wait); err != nil {
		t.Fatal(err)
	}
	return s
}
