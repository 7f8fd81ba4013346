package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/gofrs/flock"
)

const someTable = "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS fsync_after_insert = 1"

// Rows outlive the process, stopped in order.
func TestDataSurvivesRestart(t *testing.T) {
	dir := t.TempDir()
	s, stop := start(t, testConfig(dir))
	run(t, open(t, s.Options()), someTable, "INSERT INTO t SELECT number FROM numbers(1000)")
	stop()
	if err := s.Ready(deadline(t)); !errors.Is(err, ErrStopped) {
		t.Errorf("Ready of a stopped server: got %v, want ErrStopped", err)
	}
	s, _ = start(t, testConfig(dir))
	is(t, "rows", value[uint64](t, open(t, s.Options()), "SELECT count() FROM t"), 1000)
}

// A statement without an end does not keep a server from stopping, nor the next one from starting.
func TestStopWhileBusy(t *testing.T) {
	dir := t.TempDir()
	s, stop := start(t, testConfig(dir))
	conn := open(t, s.Options())
	underWay := make(chan error, 1)
	go func() { underWay <- conn.Exec(context.Background(), endless) }()
	waitUntil(t, func() bool { return processes(t, s) == 1 })
	pid := s.Status().PID
	stop()
	if err := <-underWay; err == nil {
		t.Error("a statement without an end ended well")
	}
	if syscall.Kill(pid, 0) == nil {
		t.Errorf("the child %d is still there", pid)
	}
	start(t, testConfig(dir))
}

// The database dies as badly as it can: another one takes its place with everything that was acknowledged, and a request that
// comes in between waits.
func TestChildKilled(t *testing.T) {
	s, conn := startNew(t)
	run(t, conn, someTable, "INSERT INTO t SELECT number FROM numbers(1000)")
	first := s.Status().PID
	for round := range 2 {
		pid := s.Status().PID
		underWay := make(chan error, 1)
		go func() { underWay <- conn.Exec(context.Background(), endless) }()
		waitUntil(t, func() bool { return processes(t, s) == 1 })
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := <-underWay; err == nil {
			t.Error("a request of the killed child ended well")
		}
		waitUntil(t, func() bool { return syscall.Kill(pid, 0) != nil }) // not before: what reaches a dying child dies with it
		is(t, "rows at once", value[uint64](t, open(t, s.Options()), "SELECT count() FROM t"), 1000)
		waitUntil(t, func() bool { now := s.Status(); return now.Restarts == round+1 && now.Up })
		if s.Status().PID == pid {
			t.Fatal("the child is the one that was killed")
		}
		is(t, "rows", value[uint64](t, conn, "SELECT count() FROM t"), 1000)
	}
	if syscall.Kill(first, 0) == nil {
		t.Errorf("the first child %d is still there", first)
	}
}

// A mistake in Go code of the child is a panic that can be recovered from, as everywhere, also after chDB has been at the
// signal handlers.
func TestSignalHandlersAreGo(t *testing.T) {
	child := exec.Command(os.Args[0], t.TempDir())
	child.Env = append(os.Environ(), role+"=signals")
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "recovered: runtime error: invalid memory address") {
		t.Errorf("got %v, %s", err, out)
	}
}

func runAndPanic(dir string) int {
	path, err := Library(context.Background())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	lib, err := loadChdb(path)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for range 2 { // chDB resets the handlers at each connect
		if _, err := lib.open("--path=" + dir); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	defer func() { fmt.Println("recovered:", recover()) }()
	var nothing *lease
	return len(nothing.name)
}

// What the parent's environment says to Meridian is not for whoever can write SQL.
func TestChildHasNoSecrets(t *testing.T) {
	t.Setenv("MERIDIAN_SOURCES_GITHUB_SECRET", "s3cret")
	_, conn := startNew(t)
	seen := value[string](t, conn, "SELECT arrayStringConcat(groupArray(line), '') FROM file('/proc/self/environ', 'LineAsString')")
	if !strings.Contains(seen, "PATH=") || strings.Contains(seen, "s3cret") {
		t.Errorf("the child's environment is %q", seen)
	}
}

// The parent dies without a chance to say so: its child leaves by itself and the directory is free.
func TestParentKilled(t *testing.T) {
	dir := t.TempDir()
	parent := exec.Command(os.Args[0], dir)
	parent.Env = append(os.Environ(), role+"=parent")
	parent.Stderr = os.Stderr
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil || pid == 0 {
		t.Fatalf("the parent did not tell its child: %v", err)
	}
	lock := flock.New(filepath.Join(dir, "LOCK"))
	if ok, err := lock.TryLock(); ok || err != nil {
		t.Fatalf("the child has not locked its directory (%v, %v)", ok, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	if ok, err := lock.TryLockContext(deadline(t), 10*time.Millisecond); !ok {
		t.Fatalf("the directory stays locked: %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { return !running(pid) })
	s, _ := start(t, testConfig(dir))
	is(t, "rows", value[uint64](t, open(t, s.Options()), "SELECT count() FROM t"), 10)
}

// runAsParent is the process that TestParentKilled kills.
func runAsParent(dir string) int {
	s := New(testConfig(dir))
	ctx := context.Background()
	go func() { _ = s.Run(ctx) }()
	if err := s.Ready(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	conn, err := clickhouse.Open(s.Options())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, sql := range []string{someTable, "INSERT INTO t SELECT number FROM numbers(10)"} {
		if err := conn.Exec(ctx, sql); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	fmt.Println(s.Status().PID)
	_, _ = io.Copy(io.Discard, os.Stdin)
	select {}
}

// running is false for a process that is gone, or dead and waiting for whoever inherited it to notice.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

// Two programs on one directory: the second says so instead of damaging anything.
func TestSecondServer(t *testing.T) {
	dir := t.TempDir()
	first, _ := start(t, testConfig(dir))
	conn := open(t, first.Options())
	run(t, conn, someTable)
	err := New(testConfig(dir)).Run(deadline(t))
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want ErrLocked with the directory's name", err)
	}
	is(t, "the first still answers", value[uint64](t, conn, "SELECT count() FROM t"), 0)
	is(t, "restarts of the first", first.Status().Restarts, 0)
}

// What will not pass by itself is the end of Run, with the reason.
func TestCannotStart(t *testing.T) {
	notLibrary := filepath.Join(t.TempDir(), "libchdb.so")
	if err := os.WriteFile(notLibrary, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"no directory", func(c *Config) { c.Dir = "" }, "no data directory"},
		{"not a loopback address", func(c *Config) { c.TCP = "0.0.0.0:0" }, "no loopback address"},
		{"a library that is none", func(c *Config) { c.Library = notLibrary }, notLibrary},
		{"a child that cannot be started", func(c *Config) { c.Command = []string{"/nonexistent/meridian"} }, "/nonexistent/meridian"},
		{"a child that leaves at once", func(c *Config) { c.Command = []string{"false"} }, "exit status 1"},
	} {
		cfg := testConfig(t.TempDir())
		c.change(&cfg)
		s := New(cfg)
		if err := s.Run(deadline(t)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.name, err, c.want)
		}
		if err := s.Ready(deadline(t)); !errors.Is(err, ErrStopped) {
			t.Errorf("%s: Ready: got %v, want ErrStopped", c.name, err)
		}
	}
	t.Setenv(LibraryVariable, filepath.Join(t.TempDir(), "nowhere.so"))
	if err := New(testConfig(t.TempDir())).Run(deadline(t)); !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), LibraryVariable) {
		t.Errorf("no library: got %v, want ErrNoLibrary with %s in it", err, LibraryVariable)
	}
}

// waitUntil polls for what no channel tells.
func waitUntil(t *testing.T, done func() bool) {
	t.Helper()
	ctx := deadline(t)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it never happened")
		}
	}
}
