package kafka_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// produce puts n records on partition 0 of a topic, which it makes.
func produce(t *testing.T, c kafka.Config, topic kafka.Topic, n int) {
	t.Helper()
	if err := kafka.EnsureTopics(t.Context(), c, topic); err != nil {
		t.Fatal(err)
	}
	sink := kafka.NewTopicSink(c, topic.Name, func(int) (int32, []byte, []byte) { return 0, nil, []byte("x") })
	defer sink.Close()
	if err := errors.Join(sink.Put(t.Context(), 0, make([]int, n)), sink.Flush(t.Context(), 0)); err != nil {
		t.Fatal(err)
	}
}

// publish keeps a snapshot that resumes at an offset.
func publish(t *testing.T, store streaming.Snapshots, shard string, sequence uint64, resume int64) {
	t.Helper()
	m, chunks := streaming.Capture(shard, sequence, func(put func(string, []byte)) { put("state", []byte{byte(sequence)}) })
	m.Resume = resume
	if err := store.Publish(context.Background(), m, func(h streaming.Hash) []byte { return chunks[h] }); err != nil {
		t.Fatal(err)
	}
}

func TestLost(t *testing.T) {
	c := broker(t, t.TempDir()).Config("")
	produce(t, c, c.Events(1, 2), 10)
	if err := kafka.Trim(t.Context(), c, c.EventsTopic(1), 0, 4); err != nil {
		t.Fatal(err)
	}
	shard := kafka.ShardName("engine", 1, 0)
	for _, tt := range []struct {
		name      string
		resume    []int64 // of the snapshots, the oldest first
		damaged   bool
		untrimmed bool   // what is not on the topic is in an archive
		want      string // part of the answer; "": nothing is lost
	}{
		{"the newest resumes at the end", []int64{4, 7, 10}, false, false, ""},
		{"the newest resumes at the beginning", []int64{4}, false, false, ""},
		{"a snapshot is ahead of the log", []int64{4, 7, 11}, false, false, "ends at offset 10 and has been read up to 11"},
		{"a damaged snapshot is ahead of the log", []int64{11}, true, false, "ends at offset 10 and has been read up to 11"},
		{"no snapshot of a trimmed topic", nil, false, false, "begins at offset 4"},
		{"a snapshot before a trimmed topic", []int64{3}, false, false, "begins at offset 4"},
		{"only a damaged snapshot of a trimmed topic", []int64{7}, true, false, "begins at offset 4"},
		{"no snapshot, and an archive", nil, false, true, ""},
		{"only a damaged snapshot, and an archive", []int64{7}, true, true, ""},
		{"a snapshot is ahead of the log, and an archive", []int64{11}, false, true, "has been read up to 11"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			store := kafka.NewSnapshotDir(dir)
			for i, resume := range tt.resume {
				publish(t, store, shard, uint64(i+1), resume)
			}
			if tt.damaged {
				if err := os.RemoveAll(filepath.Join(dir, shard, "chunks")); err != nil {
					t.Fatal(err)
				}
			}
			l := kafka.Log{Config: c, Topic: c.EventsTopic(1)}
			if tt.untrimmed {
				l.Archive = kafka.OpenArchive(t.TempDir(), nil)
			}
			why, err := l.Lost(t.Context(), store, "engine", 1)
			if err != nil || (why == "") != (tt.want == "") || !strings.Contains(why, tt.want) {
				t.Errorf("%q, %v; want %q", why, err, tt.want)
			}
		})
	}
}

// A broker that begins again under an archive would give offsets away twice.
func TestCheckArchive(t *testing.T) {
	c := broker(t, t.TempDir()).Config("")
	produce(t, c, c.Topics(1)[0], 10)
	for _, tt := range []struct {
		archived int64
		fits     bool
	}{{0, true}, {9, true}, {10, true}, {11, false}} {
		a := kafka.OpenArchive(t.TempDir(), splitAtBar)
		if tt.archived > 0 {
			if err := a.Append(0, noon, records(0, tt.archived)); err != nil {
				t.Fatal(err)
			}
		}
		err := kafka.Log{Config: c, Topic: c.DeliveriesTopic(), Archive: a}.CheckArchive(t.Context())
		if (err == nil) != tt.fits || err != nil && !errors.Is(err, kafka.ErrGap) {
			t.Errorf("an archive of %d records over a log of 10: %v", tt.archived, err)
		}
	}
}

func TestNewestGeneration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "snapshots")
	store := kafka.NewSnapshotDir(dir)
	for i, step := range []struct {
		add  string
		want streaming.Generation
	}{{"", 0}, {"route-9-0", 9}, {"engine-10-3", 10}, {"engine-11", 10}, {"engine-012-0", 10}, {"lost+found", 10}} {
		if step.add != "" {
			if err := os.MkdirAll(filepath.Join(dir, step.add), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := store.NewestGeneration(t.Context()); err != nil || got != step.want {
			t.Errorf("step %d: %d, %v; want %d", i, got, err, step.want)
		}
	}
}
