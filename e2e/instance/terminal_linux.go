package instance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// Typed runs a command as somebody at a terminal would, who types these lines, and returns all that the terminal shows.
func (c Config) Typed(t testing.TB, lines string, args ...string) (shown string, code int) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, Binary(), append(args, "--config", c.file(t), "--data-dir", c.Dir)...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environment(nil), terminal, terminal, terminal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close() // the command has it
	var screen bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&screen, master) // ends with an error when the command has ended
	}()
	if _, err := io.WriteString(master, lines); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	<-read
	if ctx.Err() != nil {
		t.Fatalf("the command did not end; the terminal shows\n%s", screen.String())
	}
	return screen.String(), cmd.ProcessState.ExitCode()
}
