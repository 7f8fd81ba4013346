package kafka

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// StopDetached stops the broker that a Config with this directory and Detach started in an earlier process, and
// waits until it is gone. It reports whether there was one.
func StopDetached(dir string) (bool, error) {
	c := Config{Dir: dir}
	pid, ok, err := c.running()
	if err != nil || !ok {
		return false, err
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return false, fmt.Errorf("stop the Kafka broker (process %d): %w", pid, err)
	}
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	tooLong := time.After(patience)
	for {
		if _, ok, err := c.running(); err != nil || !ok {
			return true, err
		}
		select {
		case <-again.C:
		case <-tooLong:
			return false, fmt.Errorf("stop the Kafka broker: process %d did not end within %v", pid, patience)
		}
	}
}

// running finds the broker's process by the number it left behind, and makes sure that the number still belongs
// to this broker: numbers are used again.
func (c Config) running() (pid int, ok bool, err error) {
	text, err := os.ReadFile(c.path("kafka.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("find the Kafka broker's process: %w", err)
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
		return 0, false, fmt.Errorf("find the Kafka broker's process: %w", err)
	}
	args, err := exec.Command("ps", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	return pid, err == nil && strings.Contains(string(args), c.path("server.properties")), nil
}
