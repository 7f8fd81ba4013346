package main

import (
	"io"
	"log/slog"
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

// A shard that finds no whole snapshot while the program runs would fail for ever. The
// coordinator begins the next generation, once, and leaves the one that has forgotten.
func TestAForgottenShardBeginsAGeneration(t *testing.T) {
	h := newHeld(t)
	cat := catalog.Empty(catalog.Options{})
	m := &machine{
		app: &app{log: slog.New(slog.NewTextHandler(io.Discard, nil))}, config: config.Default(), catalog: cat,
		log: h.deliveryLog, control: h.control, snapshots: h.snapshots,
	}
	c := newCoordinator(m, newRoom(m))

	g, err := manifest(m.config, cat, 1)
	if err != nil {
		t.Fatal(err)
	}
	g.Number, g.Reason, g.EventsPartitions = 1, becauseMade, 1
	g.HistoryEnd, g.HistoryOffsets = streaming.RoundOf(timeline.Day), []int64{0}
	if err := beginGeneration(t.Context(), h.deliveryLog, h.control, g); err != nil {
		t.Fatal(err)
	}
	if err := c.setFollowing(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	h.publish(t, "route", 1, 0)
	h.publish(t, "engine", 1, 0)
	newest := func() streaming.Generation {
		t.Helper()
		if err := c.remember(t.Context()); err != nil {
			t.Fatal(err)
		}
		highest, err := c.highest()
		if err != nil {
			t.Fatal(err)
		}
		return highest
	}
	says := func(state kafka.ShardState, what string) {
		t.Helper()
		sh := kafka.ShardStatus{Stage: "engine", Generation: 1, State: state, LastError: what, Failures: 1}
		data, err := kafka.EncodeShard(sh)
		if err == nil {
			err = h.control.Put(t.Context(), kafka.ShardKey(sh), data)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.rememberAt = c.rememberAt.AddDate(-1, 0, 0)
	}

	if err := os.RemoveAll(filepath.Join(h.folder, kafka.ShardName("engine", 1, 0))); err != nil {
		t.Fatal(err)
	}
	says(kafka.Failed, "the disk is full")
	if n := newest(); n != 1 {
		t.Errorf("generation %d began because of another failure", n)
	}
	says(kafka.Running, "engine-1-0: "+kafka.ErrForgotten.Error())
	if n := newest(); n != 1 {
		t.Errorf("generation %d began although the shard runs again", n)
	}
	says(kafka.Failed, "engine-1-0: "+kafka.ErrForgotten.Error())
	if n := newest(); n != 2 || !c.lost(1) || c.lost(2) {
		t.Fatalf("generation %d, lost %v, %v; want a second, and the first lost", n, c.lost(1), c.lost(2))
	}
	course, _, err := c.course()
	if err != nil || course.Number != 2 || !strings.Contains(course.Reason, "engine-1-0") {
		t.Errorf("numbers will come from %d, begun because %q, %v", course.Number, course.Reason, err)
	}
	says(kafka.Failed, "engine-1-0: "+kafka.ErrForgotten.Error())
	if n := newest(); n != 2 {
		t.Errorf("generation %d began for what was left already", n)
	}
}
