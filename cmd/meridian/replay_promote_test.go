package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"meridian/cmd/meridian/config"
)

// A server that can be killed is this test binary, started again.
const (
	childConfig = "TEST_CHILD_CONFIG" // file of its configuration
	childCrash  = "TEST_CHILD_CRASH"  // step at which it kills itself
	childMany   = "TEST_CHILD_MANY"   // how many events of many organisations it begins with, as its history
)

// asChild is what the test binary does as such a server, or as its database.
func asChild() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	std := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	if len(os.Args) > 1 && os.Args[1] == "chdb-child" {
		return run(ctx, os.Args[1:], std)
	}
	a := &app{streams: std, configFile: os.Getenv(childConfig), log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	c, err := config.Load(a.configFile, nil, nil)
	if err == nil {
		step := os.Getenv(childCrash)
		err = a.serve(ctx, c, machineOptions{roles: roles{true, true, true}, history: manyAsHistory(os.Getenv(childMany)), coordinating: func(c *coordinator) {
			c.dropAfter = 500 * time.Millisecond
			c.reached = func(at string) error {
				if at == step {
					_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
					select {}
				}
				return nil
			}
		}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return codeOf(err)
	}
	return exitOK
}

// child is such a server, with everything embedded.
type child struct {
	server
	file string
	many string // events that it begins with
	n    int    // deployments that were acknowledged
	cmd  *exec.Cmd
}

func newChild(t testing.TB) *child {
	t.Helper()
	folder := t.TempDir()
	c := &child{file: filepath.Join(folder, "meridian.yaml")}
	c.dir, c.webhook = filepath.Join(folder, "data"), freeAddress(t)
	c.socket = filepath.Join(c.dir, adminSocket)
	text := fmt.Sprintf("listen: 127.0.0.1:0\ndata_dir: %s\nwebhook_listen: %s\ncatalog: %s\nsources: {deploy: [{name: ci, secrets: [zebra]}]}\n",
		c.dir, c.webhook, filepath.Join(folder, "catalog.yaml"))
	for path, text := range map[string]string{c.file: text, filepath.Join(folder, "catalog.yaml"): "{}"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { c.end(t) })
	return c
}

func (c *child) begin(t testing.TB, crash string) {
	t.Helper()
	c.cmd = exec.Command(os.Args[0])
	c.cmd.Env = append(os.Environ(), childConfig+"="+c.file, childCrash+"="+crash, childMany+"="+c.many)
	var said bytes.Buffer
	c.cmd.Stdout, c.cmd.Stderr = &said, &said
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd, ended := c.cmd, make(chan int, 1)
	c.ended = ended
	go func() {
		_ = cmd.Wait()
		code := cmd.ProcessState.ExitCode() // -1 of a signal
		if code > 0 {
			fmt.Fprintf(t.Output(), "a server said: %s\n", said.String())
		}
		ended <- code
	}()
}

// end ends it as Ctrl-C does.
func (c *child) end(t testing.TB) {
	if c.cmd == nil {
		return
	}
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	if code := <-c.ended; code != exitOK {
		t.Errorf("a server ended with exit code %d", code)
	}
	c.cmd = nil
}

// killed sends deployments until the server is gone.
func (c *child) killed(t *testing.T, step string) {
	t.Helper()
	hang := time.After(hang)
	for {
		_ = c.send()
		select {
		case code := <-c.ended:
			if code != -1 {
				t.Fatalf("at %q it ended with exit code %d instead of being killed", step, code)
			}
			c.cmd = nil
			return
		case <-hang:
			t.Fatalf("it never came to %q", step)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// send sends the next deployment; one that was not acknowledged is sent again.
func (c *child) send() error {
	id := fmt.Sprintf("run-%d", c.n)
	body := fmt.Appendf(nil, `{"id": %q, "service": "checkout", "environment": "production", "status": "success", "finished_at": %q}`, id, time.Now().UTC().Format(time.RFC3339))
	err := deliver("http://"+c.webhook+"/webhooks/deploy/ci", "zebra", body)
	if err == nil {
		c.n++
	}
	return err
}

func (c *child) sends(t testing.TB, n int) {
	t.Helper()
	for range n {
		await(t, c.ended, c.send)
	}
}

func (c *child) command(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), append(args, "--data-dir", c.dir), streams{in: bytes.NewReader(nil), out: &out, err: &errs}); code != want {
		t.Fatalf("%v: exit code %d, want %d: %s%s", args, code, want, out.String(), errs.String())
	}
	return out.String()
}

// A promotion that is killed at each of its steps goes on at the next start, while
// deployments go on coming. Afterwards every one of them counts once, and the
// generation can be computed again row by row, so there is no seam; the same holds
// after the rollback.
func TestPromotion_KilledAtEachStep(t *testing.T) {
	c := newChild(t)
	c.begin(t, "promotion 2 catch up")
	c.sends(t, 3)
	c.deploys(t, "checkout", 3)
	c.command(t, exitOK, "replay", "--mode", "restate")
	go func() { // it dies while it is asked
		var out bytes.Buffer
		run(t.Context(), []string{"replay", "promote", "2", "--data-dir", c.dir}, streams{in: bytes.NewReader(nil), out: &out, err: &out})
	}()
	c.killed(t, "promotion 2 catch up")
	for _, step := range []string{"promotion 2 pause", "promotion 2 move", "promotion 2 moved", "promotion 2 flip", "promotion 2 flipped"} {
		c.begin(t, step)
		c.killed(t, step)
	}
	c.begin(t, "")
	c.sends(t, 2)
	await(t, c.ended, func() error {
		if out, err := command(t, "replay", "show", "2", "--data-dir", c.dir); err != nil || !strings.Contains(out, "live: readers see it") {
			return fmt.Errorf("%s%w", out, err)
		}
		return nil
	})
	c.sends(t, 2)
	c.deploys(t, "checkout", int64(c.n))
	if out := c.command(t, exitOK, "replay", "--mode", "audit"); !strings.Contains(out, "agrees with generation 2") {
		t.Errorf("the audit says %s", out)
	}
	c.command(t, exitOK, "replay", "rollback")
	c.sends(t, 2)
	c.deploys(t, "checkout", int64(c.n))
	if out := c.command(t, exitOK, "replay", "--mode", "audit"); !strings.Contains(out, "agrees with generation 1") {
		t.Errorf("the audit after the rollback says %s", out)
	}
	if out := c.command(t, exitOK, "replay", "diff", "2"); !strings.Contains(out, "windows are equal") {
		t.Errorf("the difference to what was rolled back: %s", out)
	}
	c.command(t, exitOK, "replay", "drop", "2")
	if out := c.command(t, exitOK, "replay", "list"); strings.Contains(out, "restate") {
		t.Errorf("it is dropped, and listed: %s", out)
	}
}
