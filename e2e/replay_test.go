package e2e_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"meridian/e2e/instance"
)

// All history of a demo, on which signed webhooks go on coming, is computed again and
// takes over; an audit computes what took over once more, to the byte, with all that
// has come before the turn and after it; and it goes away again.
func TestReplay_OfADemo(t *testing.T) {
	dir := filepath.Join(instance.Folder(t), "demo")
	demo := instance.Serve(t, instance.Config{Dir: dir, Demo: true, Args: []string{"--speed", "fast"}})
	replay := func(code int, args ...string) instance.Outcome {
		t.Helper()
		o := instance.Command{Args: append(append([]string{"replay"}, args...), "--data-dir", dir)}.Run(t)
		if o.Code != code {
			t.Fatalf("replay %v: exit code %d, want %d\n%s%s", args, o.Code, code, o.Out, o.Err)
		}
		return o
	}
	instance.Await(t, func() error {
		if !strings.Contains(replay(0, "list").Out, "readers see it") {
			return errors.New("there are no numbers yet")
		}
		return nil
	})
	if o := replay(0, "--mode", "restate"); !strings.Contains(o.Err, "run 2:") {
		t.Errorf("it shows no progress: %s", o.Err)
	}
	if o := replay(0, "diff", "2", "--grain", "day"); !strings.Contains(o.Out, "Run 2 compared with 1") {
		t.Errorf("the difference: %s", o.Out)
	}
	replay(0, "promote", "2")
	if o := replay(0, "--mode", "audit"); !strings.Contains(o.Out, "agrees with generation 2") {
		t.Errorf("the audit says %s%s", o.Out, o.Err)
	}
	replay(0, "rollback")
	replay(0, "drop", "2")
	for _, path := range []string{"/replays", "/replays/1", "/replays/3", "/api/v1/runs", "/api/v1/runs/3"} {
		if _, err := demo.Get(path); err != nil {
			t.Error(err)
		}
	}
	if code := demo.Stop(); code != 0 {
		t.Errorf("the demo ended with exit code %d", code)
	}
}
