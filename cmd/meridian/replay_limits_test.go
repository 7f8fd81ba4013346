package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// wantedRows keeps what limits leave, and so says what a limited run has to write.
type wantedRows struct {
	keptRows
	limits runLimits
}

func (w *wantedRows) writer(shard int32) rowWriter {
	return wantedWriter{w.keptRows.writer(shard), w.limits}
}

type wantedWriter struct {
	rowWriter
	limits runLimits
}

func (w wantedWriter) Add(r metrics.Row) error {
	if w.limits.want(r) {
		return w.rowWriter.Add(r)
	}
	return nil
}

// Limits leave rows out, and change none: everything was folded, and the snapshots
// from which the shards go on are the same.
func TestLimits_ChangeWhatIsWritten(t *testing.T) {
	p := newPast(t, 4000)
	compute := func(limits runLimits) ([]string, map[string][]byte) {
		t.Helper()
		sink, store := &keptRows{}, kafka.NewSnapshotDir(t.TempDir())
		h := p.history(t, store, limited(sink, limits), 1<<40)
		if err := h.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return sink.texts(), states(t, p, store)
	}
	all, state := compute(runLimits{})
	var teams []string
	for _, text := range all {
		if _, rest, ok := strings.Cut(text, `"team":"`); ok {
			team, _, _ := strings.Cut(rest, `"`)
			if !slices.Contains(teams, team) {
				teams = append(teams, team)
			}
		}
	}
	if len(teams) < 2 {
		t.Fatalf("the log has the teams %q", teams)
	}
	end := p.manifest.HistoryEnd.Clock()
	for _, limits := range []runLimits{
		{Teams: teams[:1]}, {Metrics: []metrics.Name{"pr_merged"}}, {From: end - 5*24*3600*1000}, {Teams: teams[1:], To: end - 3*24*3600*1000},
	} {
		want := &wantedRows{limits: limits}
		h := p.history(t, kafka.NewSnapshotDir(t.TempDir()), want, 1<<40)
		if err := h.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, limitedState := compute(limits)
		if !slices.Equal(got, want.texts()) || len(got) == 0 || len(got) >= len(all) {
			t.Errorf("%s: %d rows, want %d of %d", limits, len(got), len(want.rows), len(all))
		}
		for _, text := range got {
			if _, ok := slices.BinarySearch(all, text); !ok {
				t.Fatalf("%s: a row that the whole has not: %s", limits, text)
			}
		}
		if !maps.EqualFunc(limitedState, state, bytes.Equal) {
			t.Errorf("%s: the shards go on from another state", limits)
		}
	}
}

// However a history is held back, cut in batches and checkpointed, in memory or
// scattered to files: rows and the state after it are the same.
func TestReplayTuning_ChangesNothing(t *testing.T) {
	p := newPast(t, 2000)
	var rows []string
	var state map[string][]byte
	var turns atomic.Int64
	for name, tune := range map[string]func(*historyTuning){
		"as it is":   func(*historyTuning) {},
		"one by one": func(h *historyTuning) { h.batch = 1 },
		"held back": func(h *historyTuning) {
			held := &throttle{procs: make(chan struct{}, 1), rate: &pace{perSecond: 1e6}, spare: &spare{threads: 1}}
			h.turn = func(ctx context.Context, n int) (func(), error) {
				turns.Add(1)
				return held.lowered(ctx, n)
			}
			h.checkpoint = 10 * time.Millisecond // which takes a turn too
		},
		"checkpoints": func(h *historyTuning) { h.checkpoint = time.Millisecond },
		"files":       func(h *historyTuning) { h.memory = 1 },
	} {
		sink, store := &keptRows{}, kafka.NewSnapshotDir(t.TempDir())
		h := p.history(t, store, sink, 1<<40)
		tune(&h.tuning)
		if err := h.run(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if rows == nil {
			rows, state = sink.texts(), states(t, p, store)
		}
		if !slices.Equal(sink.texts(), rows) {
			t.Errorf("%s: other rows", name)
		}
		if !maps.EqualFunc(states(t, p, store), state, bytes.Equal) {
			t.Errorf("%s: another state", name)
		}
	}
	if turns.Load() == 0 {
		t.Error("nothing was held back")
	}
}

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := &throttle{procs: make(chan struct{}, 2), rate: &pace{perSecond: 100}}
		began := time.Now()
		for range 10 {
			done, err := th.turn(t.Context(), 50)
			if err != nil {
				t.Fatal(err)
			}
			done()
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("500 records at 100 a second took %s", took)
		}
		// Two may work at once; the third waits, and goes when it is told to stop.
		one, _ := th.turn(t.Context(), 0)
		two, _ := th.turn(t.Context(), 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := th.turn(ctx, 0); err == nil {
			t.Error("a third works at once")
		}
		one()
		three, err := th.turn(t.Context(), 0)
		if err != nil {
			t.Error(err)
		}
		two()
		three()
	})
}

func TestMemoryOfHistories(t *testing.T) {
	c := &coordinator{m: &machine{}, past: map[streaming.Generation]*pastHistory{}}
	c.m.config.Replay.Memory = 200 << 20
	is := func(name string, got, want int64) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	is("the first takes what there is", c.memoryFor(1<<40), 200<<20)
	c.past[1] = &pastHistory{memory: 100 << 20}
	is("one that fits beside it", c.memoryFor(30<<20), 30<<20)
	is("one that does not is scattered", c.memoryFor(1<<40), 100<<20)
	c.past[2] = &pastHistory{memory: 50 << 20}
	is("a large one waits", c.memoryFor(1<<40), 0)
	is("a small one does not", c.memoryFor(1<<20), 1<<20)
}

func TestRunWish(t *testing.T) {
	for text, want := range map[string]string{
		"restate":        "",
		"audit":          "",
		"live":           `mode "live": use restate or audit`,
		"from":           `from "x": write 2026-03-02`,
		"to":             "to is not after from",
		"metric":         `there is no metric "none"`,
		"rate":           "max_rate is below 0",
		"audit of teams": "an audit compares every row",
	} {
		w := runWish{Mode: "restate"}
		switch text {
		case "audit", "live":
			w.Mode = text
		case "from":
			w.From = "x"
		case "to":
			w.From, w.To = "2026-03-02", "2026-03-01T00:00:00Z"
		case "metric":
			w.Metrics = []string{"none"}
		case "rate":
			w.MaxRate = -1
		case "audit of teams":
			w.Mode, w.Teams = "audit", []string{"web"}
		}
		_, err := w.record()
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
