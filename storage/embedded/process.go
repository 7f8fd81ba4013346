package embedded

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// leaveWait is how long a child has to leave after its parent closed the pipe, before it is killed.
const leaveWait = drainWait + 2*closeWait + 2*time.Second

// process is one child as its parent sees it.
type process struct {
	cmd      *exec.Cmd
	life     *os.File
	reported chan report
	exited   chan struct{}
	waitErr  error // once exited
	said     *lastLines
}

func startChild(cfg Config, log *slog.Logger, c childConfig) (*process, error) {
	command := cfg.Command
	if len(command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("start the embedded ClickHouse: find this program's file: %w", err)
		}
		command = []string{self, "chdb-child"}
	}
	lifeRead, lifeWrite, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the embedded ClickHouse: %w", err)
	}
	defer func() { _ = lifeRead.Close() }()
	reportRead, reportWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the embedded ClickHouse: %w", err), lifeWrite.Close())
	}
	defer func() { _ = reportWrite.Close() }()

	p := &process{life: lifeWrite, reported: make(chan report, 1), exited: make(chan struct{}), said: &lastLines{log: log}}
	p.cmd = exec.Command(command[0], append(append([]string{}, command[1:]...), c.args()...)...)
	p.cmd.Env = append(childEnv(os.Environ()), cfg.Env...)
	p.cmd.ExtraFiles = []*os.File{lifeRead, reportWrite} // lifeFile, reportFile
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	// Its own group: Ctrl-C in a terminal is for the parent, which still has rows to write.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the embedded ClickHouse: %w", err), lifeWrite.Close(), reportRead.Close())
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer func() { _ = reportRead.Close() }()
		var r report
		if json.NewDecoder(bufio.NewReader(reportRead)).Decode(&r) == nil {
			p.reported <- r
		}
	}()
	go func() {
		p.waitErr = p.cmd.Wait()
		<-read // what it reported before it left is the better reason
		close(p.exited)
	}()
	return p, nil
}

// childEnv is the parent's environment without Meridian's own settings: they hold secrets, and SQL can read files such as
// /proc/self/environ. In the child timezone() is UTC whatever the machine's is.
func childEnv(parent []string) []string {
	env := make([]string, 0, len(parent)+1)
	for _, v := range parent {
		if !strings.HasPrefix(v, "MERIDIAN_") && !strings.HasPrefix(v, "TZ=") {
			env = append(env, v)
		}
	}
	return append(env, "TZ=UTC")
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// end lets the child go and waits until it has gone.
func (p *process) end() {
	_ = p.life.Close()
	select {
	case <-p.exited:
	case <-time.After(leaveWait):
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}

// failure says how a child that nobody stopped came to its end.
func (p *process) failure() error {
	select {
	case r := <-p.reported: // it may have reported and left before anyone looked
		if r.Error != "" {
			return r.err()
		}
	default:
	}
	how := "exit status 0"
	if p.waitErr != nil {
		how = p.waitErr.Error()
	}
	if last := p.said.text(); last != "" {
		return fmt.Errorf("the embedded ClickHouse ended: %s; its last words: %s", how, last)
	}
	return fmt.Errorf("the embedded ClickHouse ended: %s", how)
}

// lastLines logs what a child writes and keeps the end of it for the error message.
type lastLines struct {
	log *slog.Logger

	mu    sync.Mutex
	part  string
	lines []string
}

const (
	keptLines   = 5
	maxLineSize = 4 << 10
)

var _ io.Writer = (*lastLines)(nil)

func (l *lastLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part += string(b)
	for {
		line, rest, ok := strings.Cut(l.part, "\n")
		if !ok && len(l.part) < maxLineSize {
			return len(b), nil
		}
		if l.part = rest; !ok {
			line, l.part = line[:maxLineSize], line[maxLineSize:]
		}
		if line = strings.TrimSpace(line); line != "" {
			l.log.Warn("the embedded ClickHouse says", "line", line)
			l.lines = append(l.lines, line)[max(0, len(l.lines)+1-keptLines):]
		}
	}
}

func (l *lastLines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, " | ")
}
