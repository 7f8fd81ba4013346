package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The files that a child inherits, beside the three that every process has.
const (
	lifeFile   = 3 // read end of a pipe that only the parent holds open: at its end the child leaves
	reportFile = 4 // write end of a pipe for the one report
)

// How long things may take. A child without a parent is gone before the next parent's child gives up waiting for the lock:
// drainWait + 2*closeWait < lockWait.
const (
	lockWait  = 10 * time.Second
	drainWait = 4 * time.Second // for running statements to finish, before they are killed
	closeWait = 2 * time.Second // for killed statements to end, and again for chDB to close
)

// Main is the child: it serves one data directory until its parent is gone, and returns the exit code of the process.
func Main(args []string) int {
	c, err := parseChildArgs(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	life, tell := os.NewFile(lifeFile, "life"), os.NewFile(reportFile, "report")
	if _, err := life.Stat(); err != nil {
		fmt.Fprintln(os.Stderr, "chdb-child is started by Meridian itself, not by hand: it has no parent to live for")
		return 2
	}
	// When memory runs out, the kernel shall take the database, which comes back, before its parent with the webhooks. Where
	// there is no such file, or none that may be written, the kernel decides by itself.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, life)
		cancel()
	}()
	err = serveChild(ctx, c, func(r report) {
		_ = json.NewEncoder(tell).Encode(r)
		_ = tell.Close()
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	return 0
}

func serveChild(ctx context.Context, c childConfig, tell func(report)) error {
	fail := func(err error) error {
		r := report{Error: err.Error()}
		for name, cause := range causes {
			if errors.Is(err, cause) {
				r.Cause = name
			}
		}
		tell(r)
		return err
	}
	unlock, err := lockDir(ctx, c.dir)
	if err != nil {
		return fail(err)
	}
	defer unlock()
	lib, err := loadChdb(c.library)
	if err != nil {
		return fail(err)
	}
	e, err := openEngine(lib, c.dir, c.database, c.memory, c.connections)
	if err != nil {
		return fail(fmt.Errorf("open the embedded ClickHouse in %s: %w", c.dir, err))
	}
	defer closeEngine(e)
	hello, err := sayHello(e)
	if err != nil {
		return fail(err)
	}
	listeners, err := listen(c)
	if err != nil {
		return fail(err)
	}
	r := report{Ready: hello.version}
	if len(listeners) > 1 {
		r.TCP = listeners[1].Addr().String()
	}
	tell(r)
	return serveHTTP(ctx, &handler{engine: e, hello: hello}, listeners)
}
