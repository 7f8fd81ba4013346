package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// A broker that lets nobody delete groups and topics holds nothing else up: the rest of
// a generation that is dropped goes, and its records with it.
func TestDrop_WhereTheBrokerDeletesNothing(t *testing.T) {
	notUnderRace(t)
	in := newInstanceTest(t)
	var groups, topics atomic.Int32
	s := in.startWith(t, "one", "", func(c *coordinator) {
		c.dropTopic = func(context.Context, kafka.Config, string) error {
			topics.Add(1)
			return fmt.Errorf("delete: %w", kerr.TopicAuthorizationFailed)
		}
		c.dropGroups = func(context.Context, kafka.Config, ...string) error {
			groups.Add(1)
			return errors.New("groups cannot be deleted here")
		}
	})
	s.answers(t)
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	if _, err := command(t, "replay", "--mode", "restate", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, "replay", "drop", "2", "--data-dir", s.dir); err != nil {
		t.Fatal(err, out)
	}
	await(t, s.ended, func() error {
		list, err := command(t, "replay", "list", "--data-dir", s.dir)
		if rows := in.rowsOf(t, 2); err != nil || rows != "0" || strings.Contains(list, "restate") {
			return fmt.Errorf("%s rows are there: %w: %s", rows, err, list)
		}
		return nil
	})
	if groups.Load() == 0 || topics.Load() == 0 {
		t.Error("nobody has tried to delete them")
	}
}

// What another coordinator is just beginning looks like a stray, but not for long.
func TestSweep_TakesOnlyWhatWasAStrayBefore(t *testing.T) {
	c := &coordinator{sweepEvery: time.Minute}
	now := time.Now()
	sweeps := func(after time.Duration, known streaming.Generation, want bool) {
		t.Helper()
		now = now.Add(after)
		stray := c.stray([]streaming.Generation{4, 5}, now, func(g streaming.Generation) bool { return g != known })
		if got := stray(5); got != want {
			t.Errorf("generation 5 is a stray: %v, want %v", got, want)
		}
	}
	sweeps(0, 4, false)           // seen for the first time
	sweeps(time.Second, 4, false) // a drop has made it look early
	sweeps(time.Minute, 5, false) // it has its manifest
	sweeps(time.Minute, 4, false) // and is dropped: from here on it is one
	sweeps(time.Minute, 4, true)
}

// Numbers that the tables had in use when this log came to them are not its own.
func TestSweep_KnowsItsOwnNumbers(t *testing.T) {
	l := ledger{newHeld(t).control}
	own := func(want ...streaming.Generation) {
		t.Helper()
		ours, err := l.ours()
		if err != nil {
			t.Fatal(err)
		}
		var got []streaming.Generation
		for g := range streaming.Generation(12) {
			if ours(g) {
				got = append(got, g)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v are its own, want %v", got, want)
		}
	}
	next := func(above, want streaming.Generation) {
		t.Helper()
		if got, err := l.next(t.Context(), above); err != nil || got != want {
			t.Fatalf("generation %d is next, %v, want %d", got, err, want)
		}
	}
	own() // where nothing is on record, nothing is known
	next(0, 1)
	next(1, 2)
	own(1, 2)
	next(7, 8) // the tables show another's generation 7
	own(8)
	next(0, 9)
	own(8, 9)
}
