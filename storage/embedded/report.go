package embedded

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
)

// report is the one line that a child tells its parent.
type report struct {
	Ready string `json:"ready,omitempty"` // version of the engine
	TCP   string `json:"tcp,omitempty"`   // the address it listens on
	Error string `json:"error,omitempty"`
	Cause string `json:"cause,omitempty"` // which sentinel the error is
}

var causes = map[string]error{"library": ErrNoLibrary, "locked": ErrLocked}

// err is the error of a report as the parent's code can ask for it.
func (r report) err() error {
	if cause := causes[r.Cause]; cause != nil {
		return &startError{text: r.Error, cause: cause}
	}
	return errors.New(r.Error)
}

// startError keeps a child's sentence as it is: it already holds the cause's words.
type startError struct {
	text  string
	cause error
}

func (e *startError) Error() string { return e.text }
func (e *startError) Unwrap() error { return e.cause }

// childConfig is what a parent tells its child.
type childConfig struct {
	dir, socket, tcp, library, database string
	memory                              int64
	connections                         int
}

func (c childConfig) args() []string {
	return []string{
		"--dir=" + c.dir, "--socket=" + c.socket, "--tcp=" + c.tcp, "--library=" + c.library, "--database=" + c.database,
		"--memory=" + strconv.FormatInt(c.memory, 10), "--connections=" + strconv.Itoa(c.connections),
	}
}

func parseChildArgs(args []string) (c childConfig, err error) {
	flags := flag.NewFlagSet("chdb-child", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&c.dir, "dir", "", "data directory")
	flags.StringVar(&c.socket, "socket", "", "unix socket to listen on")
	flags.StringVar(&c.tcp, "tcp", "", "loopback address to listen on too")
	flags.StringVar(&c.library, "library", "", "path of libchdb")
	flags.StringVar(&c.database, "database", "", "database to make")
	flags.Int64Var(&c.memory, "memory", 0, "max_server_memory_usage in bytes")
	flags.IntVar(&c.connections, "connections", 0, "statements at once")
	if err := flags.Parse(args); err != nil {
		return c, fmt.Errorf("chdb-child is started by Meridian itself, not by hand: %w", err)
	}
	if c.dir == "" || c.socket == "" || c.library == "" || c.database == "" || c.memory <= 0 || c.connections <= 0 {
		return c, errors.New("chdb-child is started by Meridian itself, not by hand: an argument is missing")
	}
	return c, nil
}
