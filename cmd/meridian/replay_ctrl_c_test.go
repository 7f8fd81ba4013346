package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// pressed is standard error of a command, which is stopped when it has said something.
type pressed struct {
	at   string
	stop context.CancelFunc

	mu   sync.Mutex
	text bytes.Buffer
}

func (p *pressed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.text.Write(b)
	if strings.Contains(p.text.String(), p.at) {
		p.stop()
	}
	return n, err
}

// pressCtrlC runs a command and stops it when it has said at.
func pressCtrlC(t *testing.T, at string, args ...string) (code int, said string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	p := &pressed{at: at, stop: stop}
	code = run(ctx, args, streams{in: bytes.NewReader(nil), out: outputOf(t), err: p})
	p.mu.Lock()
	defer p.mu.Unlock()
	return code, p.text.String()
}

// Ctrl-C says what becomes of a run: beside a server it goes on, and without one it
// stops, and goes on with the next.
func TestRun_CtrlC(t *testing.T) {
	in := newInstanceTest(t)
	s, c := in.startHeld(t, "")
	for n := range 3 {
		s.deploy(t, fmt.Sprintf("run-%d", n), "checkout")
	}
	s.deploys(t, "checkout", 3)
	release := hold(t, c)
	code, said := pressCtrlC(t, "run 2:", "replay", "--mode", "restate", "--data-dir", s.dir)
	if code != exitInterrupted || !strings.Contains(said, "Run 2 goes on in the server. `meridian replay resume 2` shows it again") {
		t.Errorf("exit code %d: %s", code, said)
	}
	release()
	s.becomes(t, 2, "ready")
	s.stop()

	file := filepath.Join(in.folder, "one.yaml")
	// So slow that it cannot be over before somebody has seen it begin.
	code, said = pressCtrlC(t, "run 3:", "replay", "--mode", "restate", "--max-rate", "1", "--config", file)
	if code != exitInterrupted || !strings.Contains(said, "Stopped. Run 3 goes on from its last checkpoint with the next start of a server, or with `meridian replay resume 3`") || strings.Contains(said, "context canceled") {
		t.Errorf("exit code %d: %s", code, said)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var errs bytes.Buffer
	code = run(ctx, []string{"replay", "list", "--config", file}, streams{in: bytes.NewReader(nil), out: outputOf(t), err: &errs})
	if said = errs.String(); code != exitInterrupted || !strings.Contains(said, "nothing was asked of it") || strings.Contains(said, "context canceled") {
		t.Errorf("stopped while it starts: exit code %d: %s", code, said)
	}
	s, _ = in.startHeld(t, "")
	await(t, s.ended, func() error {
		list, err := runsOf(t, s)
		if err != nil || len(list.Items) != 3 || list.Items[0].State == "stands" || list.Items[0].State == "lost" {
			return fmt.Errorf("%+v, %v", list, err)
		}
		return nil
	})
	if _, err := command(t, "replay", "drop", "3", "--data-dir", s.dir); err != nil {
		t.Error(err)
	}
}
