package main

import (
	"bytes"
	"net"
	"path/filepath"
	"strings"
	"testing"
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

// A server that runs here has the addresses, and doctor does not call it a fault.
func TestDoctor_KnowsItsOwnServer(t *testing.T) {
	dir := t.TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	admin, err := net.Listen("unix", filepath.Join(dir, adminSocket))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"LISTEN": taken.Addr().String(), "DATA_DIR": dir} {
		t.Setenv("MERIDIAN_"+name, value)
	}
	out, _ := answers(t, exitOK, "doctor")
	says(t, out, "ok    address", "the server that runs in this data directory answers at "+taken.Addr().String())
	if err := admin.Close(); err != nil {
		t.Fatal(err)
	}
	out, _ = answers(t, exitUnavailable, "doctor")
	says(t, out, "FAIL  address", "is taken")
}
