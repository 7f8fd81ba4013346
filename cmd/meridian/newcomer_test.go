package main

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// answers runs a command and returns what it wrote where.
func answers(t *testing.T, want int, args ...string) (out, errors string) {
	t.Helper()
	var o, e bytes.Buffer
	if code := run(t.Context(), args, streams{in: strings.NewReader(""), out: &o, err: &e}); code != want {
		t.Errorf("%q: exit code %d, want %d\n%s%s", args, code, want, o.String(), e.String())
	}
	return o.String(), e.String()
}

func says(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}

// What somebody meets on the first day says what is going on.
func TestNewcomer_IsToldWhatIsMeant(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MERIDIAN_DATA_DIR", dir)
	_, text := answers(t, exitUsage, "metrics", "explain", "pr_pikup_time")
	says(t, text, "did you mean pr_pickup_time?")
	_, text = answers(t, exitError, "replay", "--input", dir, "--print")
	says(t, text, "is a directory", "name a file in it")
	text, _ = answers(t, exitOK, "config", "show")
	says(t, text, "# made, since no source is configured: /webhooks/github", "secrets.json")

	if out, text := answers(t, exitOK, "config", "check", "--json"); text != "" || !strings.Contains(out, `"problems":[]`) {
		t.Errorf("beside its answer %q it writes %q", out, text)
	}
	t.Setenv("MERIDIAN_LISTEN", "nonsense")
	if out, text := answers(t, exitConfig, "config", "check", "--json"); text != "" || !strings.Contains(out, "MERIDIAN_LISTEN") {
		t.Errorf("beside its answer %q it writes %q", out, text)
	}
}

// The server that runs here has its addresses, and doctor does not call that a fault;
// an address that somebody else has is one, whether a server runs here or not.
func TestDoctor_KnowsItsOwnServer(t *testing.T) {
	dir := t.TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	own := freeAddress(t)
	for name, value := range map[string]string{"LISTEN": own, "DATA_DIR": dir, "CATALOG": "catalog.yaml"} {
		t.Setenv("MERIDIAN_"+name, value)
	}
	t.Chdir(dir)
	stop, ended := servingUntil(t, "serve")
	await(t, ended, func() error {
		_, err := os.Stat(filepath.Join(dir, adminSocket))
		return err
	})
	out, _ := answers(t, exitOK, "doctor")
	says(t, out, "ok    address", "the server that runs in this data directory answers at "+own)
	t.Setenv("MERIDIAN_LISTEN", taken.Addr().String())
	out, _ = answers(t, exitUnavailable, "doctor")
	says(t, out, "FAIL  address", taken.Addr().String()+" is taken by another program", "the server that runs in this data directory has "+own)
	stop()
	out, _ = answers(t, exitUnavailable, "doctor")
	says(t, out, "FAIL  address", "is taken by another program, or a server with another data directory")
}

// An address that a process which is ending still has is waited for, and it is said so.
func TestListen_WaitsForWhoIsEnding(t *testing.T) {
	ending, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var said lockedBuffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	if _, err := listenFor(t.Context(), time.Millisecond, ending.Addr().String(), "--listen", log); codeOf(err) != exitUnavailable || !strings.Contains(err.Error(), "choose another address with --listen") {
		t.Errorf("of one that stays: %v", err)
	}
	said.Reset()
	got := make(chan error, 1)
	go func() {
		l, err := listenFor(t.Context(), time.Hour, ending.Addr().String(), "--listen", log)
		if err == nil {
			err = l.Close()
		}
		got <- err
	}()
	await(t, make(chan int), func() error {
		if !strings.Contains(said.String(), "the address is taken; waiting") {
			return errors.New("nobody said that it waits")
		}
		return nil
	})
	if err := ending.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("once it is free: %v", err)
	}
}

// lockedBuffer is what several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (b *lockedBuffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.b.Reset()
}
