package kafka

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"meridian/e2e/service"
)

// A process is the broker's Java process and, unless it is detached, the watchdog that outlives us to kill it.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process is gone and reaped
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// Installed says what is missing on this machine for a broker to start, if anything is.
func Installed() error {
	if _, err := exec.LookPath("java"); err != nil {
		return fmt.Errorf("%w (no `java` on the path)", ErrNotInstalled)
	}
	_, err := jars()
	return err
}

// jars is Java's class path: every jar of the folder that `make kafka-jars` fills.
func jars() (string, error) {
	lib, err := service.Tree("e2e", "kafka", "lib")
	if err != nil {
		return "", err
	}
	if found, _ := filepath.Glob(filepath.Join(lib, "kafka_*.jar")); len(found) == 0 {
		return "", fmt.Errorf("%w (no jars in e2e/kafka/lib)", ErrNotInstalled)
	}
	return filepath.Join(lib, "*"), nil
}

// format makes an empty log directory, once. A directory that is formatted already is left as it is.
func (c Config) format() error {
	if _, err := os.Stat(c.path(filepath.Join("data", "meta.properties"))); err == nil {
		return nil
	}
	cp, err := jars()
	if err != nil {
		return err
	}
	out, err := exec.Command("java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", cp, "kafka.tools.StorageTool",
		"format", "-t", clusterID(), "-c", c.path("server.properties"), "--ignore-formatted").CombinedOutput()
	if err != nil {
		return fmt.Errorf("format the Kafka broker's log directory: %w\n%s", err, out)
	}
	return nil
}

// clusterID is what `kafka-storage random-uuid` prints: 16 random bytes in base64 for URLs, without a leading dash,
// which the command line would take for an option.
func clusterID() string {
	for {
		var id [16]byte
		_, _ = rand.Read(id[:])
		if s := base64.RawURLEncoding.EncodeToString(id[:]); !strings.HasPrefix(s, "-") {
			return s
		}
	}
}

// launch starts the broker's process and does not wait for it to be ready.
func (c Config) launch() (*process, error) {
	cp, err := jars()
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(c.path("kafka.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start the Kafka broker: %w", err)
	}
	defer func() { _ = log.Close() }()

	cmd := exec.Command("java", "-Xms256m", "-Xmx1g", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-cp", cp, "kafka.Kafka", c.path("server.properties"))
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, log, log
	// A group of its own: Ctrl-C at a terminal reaches the test, which stops the broker in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the Kafka broker: %w", err)
	}
	if err := os.WriteFile(c.path("kafka.pid"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("start the Kafka broker: %w", err)
	}

	release := func() {}
	if !c.Detach {
		if release, err = watch(cmd.Process.Pid); err != nil {
			_ = cmd.Process.Kill()
			return nil, err
		}
	}
	p := &process{cmd: cmd, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		release() // at once: the number of a reaped process may soon be somebody else's
		close(p.ended)
	}()
	return p, nil
}

// watch runs the watchdog: it kills pid when this process ends without having called release.
func watch(pid int) (release func(), err error) {
	dog := exec.Command("sh", "-c", `read -r word; [ "$word" = release ] || kill -9 "$1"`, "sh", strconv.Itoa(pid))
	dog.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := dog.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("watch over the Kafka broker: %w", err)
	}
	if err := dog.Start(); err != nil {
		return nil, fmt.Errorf("watch over the Kafka broker: %w", err)
	}
	return func() {
		_, _ = io.WriteString(pipe, "release\n")
		_ = pipe.Close()
		_ = dog.Wait()
	}, nil
}

// logTail is the end of what the broker said, for an error.
func (c Config) logTail() string {
	log, err := os.ReadFile(c.path("kafka.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-20):], []byte("\n")))
}
