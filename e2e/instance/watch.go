package instance

import (
	"bytes"
	"io"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// watch runs a watchdog that kills pid when this process ends without having called release: a test that is killed
// leaves no instance behind. It reads from a pipe whose other end only we have.
func watch(t testing.TB, pid int) (release func()) {
	dog := exec.Command("sh", "-c", `read -r word; [ "$word" = release ] || kill -9 "$1"`, "sh", strconv.Itoa(pid))
	dog.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what ends the test's group must not end it
	pipe, err := dog.StdinPipe()
	if err == nil {
		err = dog.Start()
	}
	if err != nil {
		t.Fatalf("watch over the instance: %v", err)
	}
	return func() {
		_, _ = io.WriteString(pipe, "release\n")
		_ = pipe.Close()
		_ = dog.Wait()
	}
}

// mentions reports whether one of the NUL-separated arguments is dir or lies in it.
func mentions(args []byte, dir string) bool {
	for arg := range bytes.SplitSeq(args, []byte{0}) {
		if _, value, ok := bytes.Cut(arg, []byte("=")); ok && bytes.HasPrefix(arg, []byte("-")) {
			arg = value
		}
		if string(arg) == dir || bytes.HasPrefix(arg, []byte(dir+"/")) {
			return true
		}
	}
	return false
}
