package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"

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
