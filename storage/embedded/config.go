package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
)

// Config says where the embedded ClickHouse lives and how much it may take.
type Config struct {
	// Dir is the data directory, made if missing. One process at a time has it.
	Dir string
	// Database is made at the start and is the one that Options names. Default "meridian".
	Database string
	// MemoryLimit is max_server_memory_usage in bytes: over it, queries and merges fail with MEMORY_LIMIT_EXCEEDED instead of
	// the machine running out. The library's own code, mapped from its file, is not counted. Default 2 GiB.
	MemoryLimit int64
	// Connections is how many statements run at once; more wait their turn. Default 10: eight readers and two writers.
	Connections int
	// TCP is a loopback address (port 0: any free one) on which the same interface listens as well, for a client that knows
	// only addresses. It asks for no password, so it is for tests. Default none.
	TCP string
	// Library is the path of libchdb; empty: what [Library] finds.
	Library string
	// Command starts a child; its arguments follow. Default: this very binary with the subcommand chdb-child.
	Command []string
	// Env is added to the child's environment.
	Env []string
	// Logger takes restarts and whatever the child writes to its standard error. Default slog.Default().
	Logger *slog.Logger
}

// DefaultConfig is a Config with everything but Dir.
func DefaultConfig() Config {
	return Config{Database: "meridian", MemoryLimit: 2 << 30, Connections: 10}
}

func (c Config) withDefaults() Config {
	d := DefaultConfig()
	if c.Database == "" {
		c.Database = d.Database
	}
	if c.MemoryLimit == 0 {
		c.MemoryLimit = d.MemoryLimit
	}
	if c.Connections == 0 {
		c.Connections = d.Connections
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

// minMemory is what the engine needs to start and answer at all.
const minMemory = 256 << 20

// Validate reports every problem at once.
func (c Config) Validate() error {
	c = c.withDefaults()
	var problems []error
	if c.Dir == "" {
		problems = append(problems, errors.New("embedded ClickHouse: no data directory"))
	}
	if c.MemoryLimit < minMemory {
		problems = append(problems, fmt.Errorf("embedded ClickHouse: a memory limit of %d bytes is too small, it needs %d MiB", c.MemoryLimit, minMemory>>20))
	}
	if c.Connections < 2 {
		problems = append(problems, fmt.Errorf("embedded ClickHouse: %d connections, it needs 2 or more (a reader must not wait for the writer)", c.Connections))
	}
	if c.TCP != "" {
		host, port, err := net.SplitHostPort(c.TCP)
		ip := net.ParseIP(host)
		if err != nil || ip == nil || !ip.IsLoopback() {
			problems = append(problems, fmt.Errorf("embedded ClickHouse: %q is no loopback address with a port; it asks for no password, so it listens nowhere else", c.TCP))
		} else if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			problems = append(problems, fmt.Errorf("embedded ClickHouse: port %q of %q is no number", port, c.TCP))
		}
	}
	return errors.Join(problems...)
}

// absolute is c with paths that survive a change of directory.
func (c Config) absolute() (Config, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return c, fmt.Errorf("embedded ClickHouse: find the data directory %s: %w", c.Dir, err)
	}
	c.Dir = dir
	return c, nil
}
