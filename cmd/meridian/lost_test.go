package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"meridian/cmd/meridian/config"
	"meridian/ingest/catalog"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// held is an instance's log and snapshots, without the rest of it.
type held struct {
	*deliveryLog
	control   *kafka.Control
	snapshots *kafka.SnapshotDir
	folder    string
}

func newHeld(t *testing.T) held {
	t.Helper()
	broker, err := kafka.StartBroker(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	l := &deliveryLog{Config: broker.Config(""), broker: broker, archive: kafka.OpenArchive(t.TempDir(), nil), partitions: 1}
	if err := kafka.EnsureTopics(t.Context(), l.Config, l.Topics(1)...); err != nil {
		t.Fatal(err)
	}
	control, err := kafka.OpenControl(t.Context(), l.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(control.Close)
	folder := filepath.Join(t.TempDir(), "snapshots")
	return held{l, control, kafka.NewSnapshotDir(folder), folder}
}

func (h held) ensure(t *testing.T) streaming.GenerationManifest {
	t.Helper()
	g, err := ensureGeneration(t.Context(), config.Default(), catalog.Empty(catalog.Options{}), h.deliveryLog, h.control, h.snapshots, streaming.NoClock)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// append puts n records on each partition of a topic.
func (h held) append(t *testing.T, topic string, partitions int32, n int) {
	t.Helper()
	type record struct{ partition int32 }
	sink := kafka.NewTopicSink(h.Config, topic, func(r record) (int32, []byte, []byte) { return r.partition, nil, []byte("x") })
	defer sink.Close()
	for p := range partitions {
		for range n {
			if err := sink.Put(t.Context(), p, []record{{p}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := sink.Flush(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
}

// publish keeps a snapshot of a stage's first shard that resumes at an offset.
func (h held) publish(t *testing.T, stage string, g streaming.Generation, resume int64) {
	t.Helper()
	shard := kafka.ShardName(stage, g, 0)
	sequence, err := streaming.NextSequence(t.Context(), h.snapshots, shard)
	if err != nil {
		t.Fatal(err)
	}
	m, chunks := streaming.Capture(shard, sequence, func(func(string, []byte)) {})
	m.Resume = resume
	if err := h.snapshots.Publish(t.Context(), m, func(hash streaming.Hash) []byte { return chunks[hash] }); err != nil {
		t.Fatal(err)
	}
}

func TestAGenerationEndsWithTheLogThatItHasRead(t *testing.T) {
	h := newHeld(t)
	g := h.ensure(t)
	step := func(what string, number streaming.Generation, reason string) {
		t.Helper()
		got := h.ensure(t)
		if got.Number != number || !strings.Contains(got.Reason, reason) {
			t.Errorf("%s: generation %d because %q; want %d because %q", what, got.Number, got.Reason, number, reason)
		}
	}
	step("a new instance", 1, "the instance was made")
	h.append(t, h.DeliveriesTopic(), 1, 10)
	h.append(t, h.EventsTopic(1), g.EventsPartitions, 5)
	h.publish(t, "route", 1, 10)
	h.publish(t, "engine", 1, 5)
	step("snapshots at the end of the log", 1, "the instance was made")
	h.publish(t, "engine", 1, 6)
	step("the end of the events is gone", 2, "meridian.events.1/0 ends at offset 5 and has been read up to 6")
	step("the next one has nothing to lose", 2, "")
	h.publish(t, "route", 2, 8)
	step("route is ahead of all events", 3, "meridian.events.2/0 is empty")
	h.publish(t, "route", 3, 11)
	h.append(t, h.EventsTopic(3), g.EventsPartitions, 1)
	step("the end of the deliveries is gone", 4, "meridian.deliveries/0 ends at offset 10")
}

func TestSnapshotsOfALogThatIsGoneAreNotTakenUp(t *testing.T) {
	h := newHeld(t)
	h.publish(t, "route", 7, 100)
	if g := h.ensure(t); g.Number != 8 || g.HistoryEnd != 0 || !strings.Contains(g.Reason, "is gone") {
		t.Errorf("generation %d, history to %d, because %q; want 8", g.Number, g.HistoryEnd, g.Reason)
	}
	if err := os.RemoveAll(h.folder); err != nil {
		t.Fatal(err)
	}
	if g := h.ensure(t); g.Number != 8 {
		t.Errorf("generation %d; want 8 for as long as the log names it", g.Number)
	}
}

type tables struct {
	shards int
	clock  timeline.Millis
	err    error
}

func (t tables) Progress(context.Context, streaming.Generation) (int, timeline.Millis, error) {
	return t.shards, t.clock, t.err
}

func TestAGenerationEndsWithItsRows(t *testing.T) {
	h := newHeld(t)
	g := h.ensure(t)
	const last = streaming.Clock(1_772_445_600_000)
	for _, tt := range []struct {
		name      string
		snapshots bool
		tables    tables
		last      streaming.Clock
		want      string
	}{
		{"nothing at all", false, tables{}, streaming.NoClock, ""},
		{"tables that were made and not filled", false, tables{shards: 4}, streaming.NoClock, ""},
		{"rows, and no snapshot yet", false, tables{shards: 4, clock: last}, last, ""},
		{"rows, and a log that is new", false, tables{shards: 4, clock: last}, streaming.NoClock, "never reached"},
		{"rows, and a log that has lost its end", true, tables{shards: 4, clock: last}, last - 500, "never reached"},
		{"rows and snapshots", true, tables{shards: 4, clock: last}, last, ""},
		{"snapshots, and tables that are new", true, tables{}, last, "1 shards have written rows, and the tables hold those of 0"},
	} {
		if tt.snapshots {
			h.publish(t, "engine", g.Number, 0)
		}
		why, err := apart(t.Context(), tt.tables, h.snapshots, g, func() (streaming.Clock, error) { return tt.last, nil })
		if err != nil || (why == "") != (tt.want == "") || !strings.Contains(why, tt.want) {
			t.Errorf("%s: %q, %v; want %q", tt.name, why, err, tt.want)
		}
	}
	away := errors.New("away")
	if _, err := apart(t.Context(), tables{err: away}, h.snapshots, g, func() (streaming.Clock, error) { return last, nil }); !errors.Is(err, away) {
		t.Errorf("the database is away: %v", err)
	}
}

// A history gave its copies to the engines without the topic: it is in snapshots alone.
func TestAGenerationEndsWithTheSnapshotsOfItsHistory(t *testing.T) {
	h := newHeld(t)
	want := func(what string, g streaming.GenerationManifest, text string) {
		t.Helper()
		if why, err := forgotten(t.Context(), h.snapshots, g); err != nil || (why == "") != (text == "") || !strings.Contains(why, text) {
			t.Errorf("%s: %q, %v; want %q", what, why, err, text)
		}
	}
	g := streaming.GenerationManifest{Number: 3, EventsPartitions: 1}
	want("no history", g, "")
	g.HistoryEnd, g.HistoryOffsets = 7, []int64{10}
	want("no snapshot", g, "route-3-0")
	h.publish(t, "route", 3, 10)
	want("none of an engine", g, "engine-3-0")
	h.publish(t, "engine", 3, 0)
	want("all are there", g, "")

	shard := kafka.ShardName("engine", 3, 0)
	m, chunks := streaming.Capture(shard, 2, func(put func(string, []byte)) { put("state", []byte("of the history")) })
	if err := h.snapshots.Publish(t.Context(), m, func(hash streaming.Hash) []byte { return chunks[hash] }); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(h.folder, shard)
	if err := os.RemoveAll(filepath.Join(folder, "chunks")); err != nil {
		t.Fatal(err)
	}
	want("the newest is damaged, and the one before is whole", g, "")
	if err := os.Remove(filepath.Join(folder, "manifest-00000000000000000001")); err != nil {
		t.Fatal(err)
	}
	want("all are damaged", g, "no snapshot of engine-3-0 is whole")
}

func TestAPartOfAnArchiveIsNotTakenForAllOfIt(t *testing.T) {
	h := newHeld(t)
	if err := h.control.Put(t.Context(), importingKey, []byte("log.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := mustBeNew(t.Context(), h.deliveryLog, h.control); err != nil {
		t.Errorf("nothing is on the log yet: %v", err)
	}
	h.append(t, h.DeliveriesTopic(), 1, 1)
	_, started := ensureGeneration(t.Context(), config.Default(), catalog.Empty(catalog.Options{}), h.deliveryLog, h.control, h.snapshots, streaming.NoClock)
	for what, err := range map[string]error{"a start": started, "another import": mustBeNew(t.Context(), h.deliveryLog, h.control)} {
		if err == nil || !strings.Contains(err.Error(), "the import of log.jsonl was cut off") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := h.control.Delete(t.Context(), importingKey); err != nil {
		t.Fatal(err)
	}
	h.ensure(t)
}
