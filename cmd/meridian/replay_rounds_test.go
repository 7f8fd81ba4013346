package main

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"meridian/ingest"
	"meridian/storage"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// lastRounds are the last rounds of a log.
func lastRounds(t *testing.T, p past, most int) (rounds []streaming.Round) {
	t.Helper()
	reader, err := kafka.Log{Config: p.log.Config, Topic: p.log.DeliveriesTopic()}.Open(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var decoder ingest.EntryDecoder
	for next := int64(0); next < p.manifest.HistoryOffsets[0]; {
		records, err := reader.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			next = r.Offset + 1
			e, err := decoder.Entry(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			if e.IsTick() && next <= p.manifest.HistoryOffsets[0] {
				if at := streaming.RoundOf(e.Tick); len(rounds) == 0 || at > rounds[len(rounds)-1] {
					rounds = append(rounds, at)
				}
			}
		}
	}
	return rounds[max(0, len(rounds)-most):]
}

// turned is a generation whose shards stand at one round after the other.
type turned struct {
	number streaming.Generation
	stages *stages
	sink   *storage.Sink
}

func (p past) turned(t *testing.T, d *storage.Database, number streaming.Generation, side storage.Side) turned {
	t.Helper()
	m := p.manifest
	m.Number, m.HistoryEnd, m.HistoryOffsets = number, 0, nil
	pins := p.pins
	pins.generation, pins.historyEnd = number, 0
	if err := kafka.EnsureTopics(t.Context(), p.log.Config, p.log.Events(number, m.EventsPartitions)); err != nil {
		t.Fatal(err)
	}
	sink := d.NewSink(side, nil)
	return turned{number, newStages(p.log, pins, m, kafka.NewSnapshotDir(t.TempDir()), sink, defaultStagesTuning()), sink}
}

// run runs it until the test ends.
func (g turned) run(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	run := &running{stages: g.stages, sink: g.sink}
	ended := make(chan error, 1)
	go func() { ended <- run.run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// stands waits until all shards stand at a round, with their rows written.
func (g turned) stands(t *testing.T, shards int, at streaming.Round) {
	t.Helper()
	await(t, nil, func() error {
		all := g.stages.engine.Shards()
		there := 0
		for _, sh := range all {
			if sh.State == kafka.Paused && sh.Clock == at.Clock() {
				there++
			}
		}
		if there != shards {
			return fmt.Errorf("%d of %d shards stand at %s: %v", there, shards, at.Clock(), all)
		}
		return nil
	})
}

// Whichever round a promotion or a rollback is taken at, nobody can tell from the
// rows: a generation that changes sides at every round of a log has, in every table,
// what one has that never did, under the same versions. Two of them take turns, so
// that there is a promotion and a rollback at each round.
func TestPromotion_AtEveryRound(t *testing.T) {
	p := newPast(t, 40)
	rounds := lastRounds(t, p, 12)
	if len(rounds) < 12 {
		t.Fatalf("the log has %d rounds", len(rounds))
	}
	database := embeddedtest.Start(t)
	d, err := storage.Open(storage.Config{Options: database.Options(), Embedded: true, Settle: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	shards := int(p.manifest.EventsPartitions)
	still := p.turned(t, d, 9, storage.Replay)
	both := []turned{p.turned(t, d, 5, storage.Replay), p.turned(t, d, 6, storage.Live)}
	for _, g := range append(slices.Clone(both), still) {
		g.stages.engine.Pause(rounds[0])
		g.run(t)
	}
	reader := d.NewReader()
	for i, at := range rounds {
		still.stages.engine.Pause(at)
		for _, g := range both {
			g.stages.engine.Pause(at)
		}
		for _, g := range append(slices.Clone(both), still) {
			g.stands(t, shards, at)
		}
		comes, goes := both[i%2], both[1-i%2]
		if whole, err := d.Confirmed(t.Context(), goes.number); i > 0 && (err != nil || !whole) {
			t.Fatalf("at round %d rows of generation %d, which readers see, are where they do not look: %v", i, goes.number, err)
		}
		if err := d.Promote(t.Context(), comes.number); err != nil {
			t.Fatal(err)
		}
		if err := d.SetCurrent(t.Context(), comes.number, uint64(i+1)); err != nil {
			t.Fatal(err)
		}
		await(t, nil, func() error { // how far the rows are is told behind them
			if as, err := reader.AsOf(t.Context()); err != nil || as.Generation != comes.number || as.Clock != at.Clock() {
				return fmt.Errorf("at round %d readers see %+v, %v; want %d at %s", i, as, err, comes.number, at.Clock())
			}
			return nil
		})
		if err := d.Back(t.Context(), goes.number); err != nil {
			t.Fatal(err)
		}
		if err := comes.sink.Use(t.Context(), storage.Live); err != nil {
			t.Fatal(err)
		}
		if err := goes.sink.Use(t.Context(), storage.Replay); err != nil {
			t.Fatal(err)
		}
		if i < len(rounds)-4 {
			continue
		}
		for _, g := range both { // every table, every key, every version
			tables, err := d.Compare(t.Context(), still.number, g.number, at, timeline.Millis(0), 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range tables {
				if x.Differs() || x.Newer > 0 {
					t.Errorf("at round %d generation %d: %+v", i, g.number, x)
				}
				if x.Table == "points" && x.Equal < 10 {
					t.Errorf("only %d points are compared", x.Equal)
				}
			}
		}
	}
}
