package main

import (
	"bytes"
	"strings"
	"testing"
)

// A flag that holds nothing, as an unset variable in a script leaves it, is
// said: an empty answer would look like an archive without points.
func TestReplayWithAnEmptyGrain(t *testing.T) {
	for _, c := range []struct {
		name, grain string
		code        int
		said        string
	}{
		{"nothing", "", exitUsage, "--grain is empty"},
		{"a part that is nothing", "hour,", exitUsage, `--grain ""`},
		{"two", "hour,day", exitOK, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, err bytes.Buffer
			code := run(t.Context(), []string{"replay", "--input", "-", "--print", "--grain", c.grain},
				streams{in: strings.NewReader(`{"tick": "2026-03-02T09:00:00Z"}`), out: &out, err: &err})
			if code != c.code || out.Len() > 0 || !strings.Contains(err.String(), c.said) {
				t.Errorf("exit code %d, printed %q, said %q; want %d, nothing and %q", code, out.String(), err.String(), c.code, c.said)
			}
		})
	}
}
