package instance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience bounds everything that is waited for. It is far beyond what anything takes on an idle machine, so that a
// busy one fails no test; no figure is measured with it.
const patience = 3 * time.Minute

// A Command is one run of the binary that ends by itself.
type Command struct {
	Args  []string
	Dir   string   // working directory; "": the test's
	Env   []string // besides the test's own environment, of which Meridian's variables are left out
	Stdin []byte
}

// An Outcome is what a run left: everything that a shell would see of it.
type Outcome struct {
	Code int
	Out  string
	Err  string
}

// Run runs the command to its end.
func (c Command) Run(t testing.TB) Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, Binary(), c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, environment(c.Env), bytes.NewReader(c.Stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("meridian %s: %v\n%s", strings.Join(c.Args, " "), err, errs.String())
	}
	return Outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// Run runs the binary with these arguments, in a directory of no interest.
func Run(t testing.TB, args ...string) Outcome {
	t.Helper()
	return Command{Args: args, Dir: t.TempDir()}.Run(t)
}

// Must is Run for a command that has to succeed; it returns what was printed.
func Must(t testing.TB, args ...string) string {
	t.Helper()
	o := Run(t, args...)
	if o.Code != 0 {
		t.Fatalf("meridian %s: exit code %d\n%s", strings.Join(args, " "), o.Code, o.Err)
	}
	return o.Out
}

// environment is the test's, without what would configure Meridian behind the test's back.
func environment(more []string) []string {
	kept := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return strings.HasPrefix(name, "MERIDIAN_") && name != "MERIDIAN_CHDB_LIB"
	})
	return append(kept, more...)
}

// Import puts an archive on the log of the new instance that the configuration describes.
func (c Config) Import(t testing.TB, archive string, history bool) {
	t.Helper()
	args := []string{"import", archive, "--config", c.file(t), "--data-dir", c.Dir}
	if history {
		args = append(args, "--history")
	}
	Must(t, args...)
}

// Command runs one of the instance that the configuration describes, whether it is served or not.
func (c Config) Command(t testing.TB, args ...string) Outcome {
	t.Helper()
	return Run(t, append(args, "--config", c.file(t), "--data-dir", c.Dir)...)
}

// Must is Command for one that has to succeed; it returns what was printed.
func (c Config) Must(t testing.TB, args ...string) string {
	t.Helper()
	o := c.Command(t, args...)
	if o.Code != 0 {
		t.Fatalf("meridian %s: exit code %d\n%s", strings.Join(args, " "), o.Code, o.Err)
	}
	return o.Out
}

// Begin starts a command of the instance and returns it; the test kills it, or waits for its end.
func (c Config) Begin(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(Binary(), append(args, "--config", c.file(t), "--data-dir", c.Dir)...)
	cmd.Env = environment(nil)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// Exported is what readers see, as commands write it: points as lines, and the evidence behind them.
func (c Config) Exported(t testing.TB) (points, evidence string) {
	t.Helper()
	return c.Must(t, "export", "--what", "points", "-"), c.Must(t, "export", "--what", "evidence", "--format", "csv", "-")
}
