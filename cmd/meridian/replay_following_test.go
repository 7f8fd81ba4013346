package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"meridian/streaming/kafka"
)

// However the shards of a generation that follows the log are tuned, rows and state
// are the same. (A history's tuning: TestReplayTuning_ChangesNothing.)
func TestFollowing_TuningChangesNothing(t *testing.T) {
	p := newPast(t, 600)
	var turns atomic.Int64
	held := &throttle{procs: make(chan struct{}, 1), rate: &pace{perSecond: 1e6}}
	turn := func(ctx context.Context, n int) (func(), error) {
		turns.Add(1)
		return held.turn(ctx, n)
	}
	var wantRows *keptRows
	var want map[string][]byte
	for _, c := range []struct {
		name string
		tune func(*stagesTuning)
	}{
		{"as it is", func(*stagesTuning) {}},
		{"small fetches", func(s *stagesTuning) { s.fetch = 1 << 10 }},
		{"rows one by one", func(s *stagesTuning) { s.engine.PutRows = 1 }},
		{"a snapshot after each few records", func(s *stagesTuning) { s.route.SnapshotRecords, s.engine.SnapshotRecords = 20, 20 }},
		{"a snapshot after each moment", func(s *stagesTuning) {
			s.route.SnapshotEvery, s.engine.SnapshotEvery = 5*time.Millisecond, 5*time.Millisecond
		}},
		{"held back", func(s *stagesTuning) { s.route.Turn, s.engine.Turn = turn, turn }},
	} {
		tuning := defaultStagesTuning()
		c.tune(&tuning)
		rows, states := p.follow(t, tuning)
		if want == nil {
			wantRows, want = rows, states
			if len(rows.rows) < 500 {
				t.Fatalf("only %d rows: the log is too short to tell", len(rows.rows))
			}
			continue
		}
		sameHistory(t, c.name, rows, wantRows, states, want)
	}
	if turns.Load() == 0 {
		t.Error("nothing was held back")
	}
}

// follow computes a log round by round by the stages of a generation, from the first
// record on, and returns rows and the states that it stops with.
func (p past) follow(t *testing.T, tuning stagesTuning) (*keptRows, map[string][]byte) {
	t.Helper()
	m, pins := p.manifest, p.pins
	end := m.HistoryEnd.Clock()
	m.HistoryEnd, m.HistoryOffsets, pins.historyEnd = 0, nil, 0
	topic := p.log.Events(m.Number, m.EventsPartitions)
	if err := errors.Join(kafka.DropTopic(t.Context(), p.log.Config, topic.Name), kafka.EnsureTopics(t.Context(), p.log.Config, topic)); err != nil {
		t.Fatal(err)
	}
	rows, store := &keptRows{}, kafka.NewSnapshotDir(t.TempDir())
	stages := newStages(p.log, pins, m, store, rows, tuning)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- stages.run(ctx) }()
	await(t, nil, func() error {
		shards := stages.engine.Shards()
		there := 0
		for _, sh := range shards {
			if sh.Clock == end {
				there++
			}
		}
		if there != int(m.EventsPartitions) {
			return fmt.Errorf("%d of %d shards are at %s: %v", there, m.EventsPartitions, end, shards)
		}
		return nil
	})
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	all := states(t, p, store)
	// What names offsets of an input depends on how partitions took turns there.
	maps.DeleteFunc(all, func(section string, _ []byte) bool { return strings.HasSuffix(section, " shard") })
	if len(all) == 0 {
		t.Fatal("no state is left")
	}
	return rows, all
}
