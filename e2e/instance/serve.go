package instance

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Token is what programs send to the API of an instance under test.
const Token = "an-api-token-of-the-black-box-tests"

// Secrets of the sources of an instance under test.
const (
	GitHubSecret = "a-secret-of-acme-on-github"
	JiraSecret   = "a-secret-of-the-cloud"
	DeploySecret = "a-secret-of-the-pipeline"
)

// Config says what is served.
type Config struct {
	Dir     string   // data directory, which outlives the instance
	Catalog string   // YAML; "": none
	More    string   // YAML that is appended to the configuration
	Sources string   // YAML of the sources; "": one each of GitHub, Jira and a deploy system
	Args    []string // after `serve`
	Env     []string
	Demo    bool // `demo` instead, which has a configuration of its own
	Bare    bool // no configuration at all, but for the API's token
}

// An Instance is one running process with its data directory.
type Instance struct {
	URL  string // http://127.0.0.1:PORT
	Link string // signs in whoever opens it first
	PID  int

	t      testing.TB
	config Config
	cmd    *exec.Cmd
	log    string // file
	ended  chan struct{}
}

// Serve starts an instance and returns when it has printed its link; it may not be ready by then (see Ready). It is
// stopped when the test ends, and the test fails if that leaves anything behind.
func Serve(t testing.TB, c Config) *Instance {
	t.Helper()
	in, err := Start(t, c)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Start is Serve for an instance that may fail to start.
func Start(t testing.TB, c Config) (*Instance, error) {
	t.Helper()
	var args []string
	switch {
	case c.Demo:
		args = []string{"demo"}
	case c.Bare:
		args, c.Env = []string{"serve"}, append(c.Env, "MERIDIAN_AUTH_TOKEN="+Token)
	default:
		args = []string{"serve", "--config", c.file(t)}
	}
	args = append(args, "--listen", "127.0.0.1:0", "--data-dir", c.Dir)
	in := &Instance{t: t, config: c, log: c.Dir + ".log", ended: make(chan struct{})}
	logFile, err := os.OpenFile(in.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	in.cmd = exec.Command(Binary(), append(args, c.Args...)...)
	in.cmd.Dir, in.cmd.Env = filepath.Dir(c.Dir), environment(c.Env)
	said, err := in.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := in.cmd.Start(); err != nil {
		return nil, err
	}
	in.PID = in.cmd.Process.Pid
	release := watch(t, in.PID)
	links := make(chan string, 1)
	go func() {
		defer close(in.ended)
		defer logFile.Close()
		readLink(io.TeeReader(said, logFile), links)
		_ = in.cmd.Wait() // its exit code is in ProcessState
		release()
	}()
	t.Cleanup(in.clean)
	select {
	case in.Link = <-links:
	case <-in.ended:
		return nil, fmt.Errorf("the instance ended with exit code %d before it printed its link; it said:\n%s", in.cmd.ProcessState.ExitCode(), in.Log())
	case <-time.After(patience):
		return nil, fmt.Errorf("the instance printed no link within %v; it said:\n%s", patience, in.Log())
	}
	in.URL = address.FindString(in.Link)
	return in, nil
}

// file writes the configuration of an instance under test.
func (c Config) file(t testing.TB) string {
	catalog := ""
	if c.Catalog != "" {
		catalog = "catalog: " + Write(t, filepath.Dir(c.Dir), filepath.Base(c.Dir)+".catalog.yaml", c.Catalog)
	}
	sources := c.Sources
	if sources == "" {
		sources = fmt.Sprintf(`sources:
  github: [{name: acme, secrets: [%s]}]
  jira: [{name: cloud, secrets: [%s]}]
  deploy: [{name: ci, secrets: [%s]}]
`, GitHubSecret, JiraSecret, DeploySecret)
	}
	return Write(t, filepath.Dir(c.Dir), filepath.Base(c.Dir)+".yaml", fmt.Sprintf("auth: {mode: token, token: %s}\n%s\n%s\n%s\n", Token, sources, catalog, c.More))
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

var linkLine = regexp.MustCompile(`^\s+(http://127\.0\.0\.1:\d+/\S*)$`)

// readLink copies what the process says and passes on the link.
func readLink(from io.Reader, links chan<- string) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if m := linkLine.FindStringSubmatch(line[:max(0, len(line)-1)]); m != nil {
			select {
			case links <- m[1]:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// Log is what the process has said, and those before it in the same directory.
func (in *Instance) Log() string {
	data, err := os.ReadFile(in.log)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// Kill ends the process at once, as a crash would, and waits until it is gone.
func (in *Instance) Kill() {
	_ = in.cmd.Process.Kill()
	<-in.ended
}

// Stop asks the process to end, waits until it has, and returns its exit code.
func (in *Instance) Stop() int {
	in.t.Helper()
	_ = in.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-in.ended:
	case <-time.After(patience):
		in.t.Errorf("the instance did not stop within %v; it said:\n%s", patience, in.Log())
		in.Kill()
	}
	return in.cmd.ProcessState.ExitCode()
}

// Ended reports whether the process is gone.
func (in *Instance) Ended() bool {
	select {
	case <-in.ended:
		return true
	default:
		return false
	}
}

// clean stops what still runs and makes sure that nothing else does.
func (in *Instance) clean() {
	if !in.Ended() {
		_ = in.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-in.ended:
		case <-time.After(patience):
			in.t.Errorf("the instance did not stop within %v", patience)
			in.Kill()
		}
	}
	in.AwaitGone()
	if in.t.Failed() {
		log := in.Log()
		in.t.Logf("the instance in %s said, at last:\n%s", in.config.Dir, log[max(0, len(log)-4000):])
	}
}

// AwaitGone fails the test unless every process that has the data directory among its arguments goes: the embedded
// database ends by itself soon after its parent did, in whatever way.
func (in *Instance) AwaitGone() {
	in.t.Helper()
	err := Poll(patience, func() error {
		if left := using(in.config.Dir); len(left) > 0 {
			return fmt.Errorf("still running: %v", left)
		}
		return nil
	})
	if err != nil {
		in.t.Errorf("something outlived the instance: %v", err)
	}
}

// KillDatabase kills the embedded database, which the instance starts again.
func (in *Instance) KillDatabase() error {
	for pid := range using(in.config.Dir) {
		if pid != in.PID {
			return syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return errors.New("no process of the embedded database was found")
}

// using finds the processes that name dir among their arguments.
func using(dir string) map[int]string {
	found := map[int]string{}
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		args, err := os.ReadFile(path)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && pid != os.Getpid() && mentions(args, dir) {
			found[pid] = string(bytes.ReplaceAll(args, []byte{0}, []byte{' '}))
		}
	}
	return found
}
