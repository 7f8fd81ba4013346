package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"meridian/storage"
)

// A process that has not heard of a promotion's pause writes behind it, a few times:
// rows are moved again, and readers see all of them.
func TestPromotion_BesideAProcessThatHasNotHeardOfIt(t *testing.T) {
	notUnderRace(t)
	in := newInstanceTest(t)
	strays := 0
	s := in.startWith(t, "one", "", func(c *coordinator) {
		c.reached = func(at string) error {
			if at != "promotion 2 moved" || strays == 3 {
				return nil
			}
			strays++
			out, err := c.m.database.Raw(t.Context(), storage.Raw{
				Text:  fmt.Sprintf("INSERT INTO points_replay SELECT * REPLACE ('late-%d' AS team) FROM points_live WHERE generation = 2", strays),
				Write: true,
			})
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, out)
			return err
		}
	})
	s.answers(t)
	for n := range 3 {
		s.deploy(t, fmt.Sprintf("run-%d", n), "checkout")
	}
	s.deploys(t, "checkout", 3)
	s.begins(t, runWish{Mode: "restate"})
	s.becomes(t, 2, "ready")
	if _, err := command(t, "replay", "promote", "2", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	s.becomes(t, 2, "live")
	where := strings.TrimSpace(in.ask(t, "SELECT uniqExactIf(team, startsWith(team, 'late-')), countIf(_table = 'points_replay') FROM merge(currentDatabase(), '^points_') WHERE generation = 2"))
	if where != "3\t0" || strays != 3 {
		t.Errorf("of three writers' rows these are in the live table, and so many rows are left behind: %q", where)
	}
}
