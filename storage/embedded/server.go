package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Server is the parent's side: it keeps a child running and tells clients how to reach it. New is inert; all other methods are
// safe for concurrent use.
type Server struct {
	cfg    Config
	socket string
	ended  chan struct{} // closed when Run has returned

	mu       sync.Mutex
	up       chan struct{} // closed while a child answers
	pid      int
	tcp      string
	version  string
	restarts int
	err      error // why Run returned
}

// New makes a Server that does nothing yet. A problem of the configuration is Run's error.
func New(cfg Config) *Server {
	return &Server{cfg: cfg.withDefaults(), up: make(chan struct{}), ended: make(chan struct{})}
}

// Backoff between a child's death and the next one's start.
const (
	firstPause = 100 * time.Millisecond
	longPause  = 10 * time.Second
	healthy    = time.Minute // a child that lived this long starts the pauses again from the first
)

// Run keeps a child running until ctx ends, which stops it in order. It returns early when a child cannot start for a reason
// that will not pass: no library (ErrNoLibrary), a directory in use (ErrLocked), a first start that fails.
func (s *Server) Run(ctx context.Context) (err error) {
	defer func() {
		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
		close(s.ended)
	}()
	if err := s.cfg.Validate(); err != nil {
		return err
	}
	child, cleanup, err := s.childConfig(ctx)
	if err != nil {
		return err
	}
	defer cleanup()
	log := s.cfg.Logger.With("component", "clickhouse")
	for pause, first := firstPause, true; ; first = false {
		began := time.Now()
		started, err := s.runChild(ctx, log, child)
		if ctx.Err() != nil {
			return nil
		}
		if !started && (first || errors.Is(err, ErrNoLibrary) || errors.Is(err, ErrLocked)) {
			return err
		}
		if time.Since(began) > healthy {
			pause = firstPause
		}
		log.Error("the embedded ClickHouse ended and is started again", "error", err, "after", time.Since(began), "pause", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
		pause = min(2*pause, longPause)
		s.mu.Lock()
		s.restarts++
		if child.tcp != "" && s.tcp != "" {
			child.tcp = s.tcp // a free port once found is kept
		}
		s.mu.Unlock()
	}
}

// childConfig settles where everything is.
func (s *Server) childConfig(ctx context.Context) (c childConfig, cleanup func(), err error) {
	cfg, err := s.cfg.absolute()
	if err != nil {
		return c, nil, err
	}
	library := cfg.Library
	if library == "" {
		if library, err = Library(ctx); err != nil {
			return c, nil, err
		}
	}
	if library, err = filepath.Abs(library); err != nil {
		return c, nil, fmt.Errorf("%w: %w", ErrNoLibrary, err)
	}
	socket, cleanup, err := socketPath(cfg.Dir)
	if err != nil {
		return c, nil, err
	}
	s.mu.Lock()
	s.socket = socket
	s.mu.Unlock()
	return childConfig{
		dir: cfg.Dir, socket: socket, tcp: cfg.TCP, library: library, database: cfg.Database,
		memory: cfg.MemoryLimit, connections: cfg.Connections,
	}, cleanup, nil
}

// maxSocketPath is what fits into a socket's address everywhere (104 bytes on macOS, 108 on Linux).
const maxSocketPath = 100

// socketPath is in the data directory, or in a private temporary one when that has too long a name.
func socketPath(dir string) (path string, cleanup func(), err error) {
	if path := filepath.Join(dir, "clickhouse.sock"); len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	short, err := os.MkdirTemp("", "meridian-")
	if err != nil {
		return "", nil, fmt.Errorf("make a directory for the socket of the embedded ClickHouse: %w", err)
	}
	return filepath.Join(short, "clickhouse.sock"), func() { _ = os.RemoveAll(short) }, nil
}

// runChild runs one child from start to end. started says whether it ever answered.
func (s *Server) runChild(ctx context.Context, log *slog.Logger, c childConfig) (started bool, err error) {
	p, err := startChild(s.cfg, log, c)
	if err != nil {
		return false, err
	}
	defer p.end() // by the time that Run returns, no process is left
	select {
	case r := <-p.reported:
		if r.Error != "" {
			return false, r.err()
		}
		s.ready(p.pid(), r)
		defer s.down()
		log.Info("the embedded ClickHouse answers", "version", r.Ready, "pid", p.pid(), "dir", c.dir)
	case <-p.exited:
		return false, p.failure()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	select {
	case <-p.exited:
		return true, p.failure()
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

func (s *Server) ready(pid int, r report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pid, s.tcp, s.version = pid, r.TCP, r.Ready
	close(s.up)
}

func (s *Server) down() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pid, s.up = 0, make(chan struct{})
}

// Ready returns when a child answers, with an error when none will: Run has ended, or ctx has.
func (s *Server) Ready(ctx context.Context) error {
	s.mu.Lock()
	up := s.up
	s.mu.Unlock()
	select {
	case <-up:
		return nil
	case <-s.ended:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err != nil {
			return fmt.Errorf("%w: %w", ErrStopped, s.err)
		}
		return ErrStopped
	case <-ctx.Done():
		return fmt.Errorf("the embedded ClickHouse does not answer yet: %w", ctx.Err())
	}
}

// Addr is the TCP address that the child listens on, "" without one; it stays the same over restarts. It is known once Ready
// has returned.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tcp
}

// Status is the state of a Server, for status pages and logs.
type Status struct {
	Up       bool
	PID      int    // of the child, 0 while there is none
	Version  string // of the engine
	Restarts int    // since Run began
}

// Status tells how the child is.
func (s *Server) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{Up: s.pid != 0, PID: s.pid, Version: s.version, Restarts: s.restarts}
}
