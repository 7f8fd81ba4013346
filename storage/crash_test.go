package storage

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"meridian/metrics"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming/timeline"
)

// killer lets an insert of points send half of what it has, and then kills the
// database, for the first few inserts.
type killer struct {
	mu    sync.Mutex
	left  int
	kills int
	pid   func() int
}

func (k *killer) strike(sql string, r *http.Request) *http.Response {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left > 0 && strings.Contains(sql, insertsPoints) {
		k.left--
		r.Body = &poisoned{ReadCloser: r.Body, killer: k, after: 64 << 10}
	}
	return nil
}

// poisoned is a body that kills who reads it.
type poisoned struct {
	io.ReadCloser
	killer *killer
	after  int
}

func (p *poisoned) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if p.after -= n; p.after <= 0 && p.killer != nil {
		k := p.killer
		p.killer = nil
		k.mu.Lock()
		defer k.mu.Unlock()
		if pid := k.pid(); pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
			k.kills++
		}
	}
	return n, err
}

// The database is killed in the middle of inserts. Nothing that was put is
// lost, nothing counts twice, and what was flushed before is there.
func TestKilledInMidInsert(t *testing.T) {
	server := embeddedtest.Start(t)
	var w *wire
	d := openOn(t, server, func(c *Config) {
		synced(c)
		w = tap(c)
	})
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	k := &killer{left: 4, pid: func() int { return server.Status().PID }}
	w.intercept(k.strike)
	s := d.NewSink(Live, nil)
	run(t, s)

	const rounds, teams = 10, 400
	for round := range rounds {
		var rows []metrics.Row
		for i := range teams {
			// One hour of a team gets a new version in each round, and each
			// round has an hour of its own.
			rows = append(rows,
				merged(fmt.Sprint("team", i), at(0, 0), round, version(1, at(12, round))),
				merged(fmt.Sprint("team", i), at(0, 0)+timeline.Millis(round+1)*timeline.Hour, 1, version(1, at(12, round))))
		}
		if err := s.Put(t.Context(), 0, rows); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		is(t, fmt.Sprint("rows after round ", round), count(t, d, "SELECT count() FROM points_live FINAL"), teams*(round+2))
		is(t, fmt.Sprint("observations after round ", round), count(t, d, "SELECT toUInt64(sum(n)) FROM points_live FINAL"), teams*(round+round+1))
	}
	if k.kills != 4 || s.State().Retries < 4 || server.Status().Restarts < 4 {
		t.Errorf("killed %d times, %d retries, %d restarts: the fault did not happen as meant", k.kills, s.State().Retries, server.Status().Restarts)
	}
}
