package e2e_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// kills is how often an instance is killed: three times with each build, and as often as MERIDIAN_TEST_KILLS says in a
// soak test (the goal is 100).
func kills(t *testing.T) int {
	text := os.Getenv("MERIDIAN_TEST_KILLS")
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("MERIDIAN_TEST_KILLS=%q is no number of kills", text)
	}
	return n
}

// A kill in the middle of traffic loses nothing that was acknowledged and counts nothing twice: after all of them, the
// numbers are those of `replay` over the same deliveries.
func TestKill_LosesAndDoublesNothing(t *testing.T) {
	times := kills(t)
	const seed = 20260302
	dice := rand.New(rand.NewPCG(seed, 2))
	began := time.Now()
	history := senders.History(seed, began.UTC().Truncate(24*time.Hour).AddDate(0, 0, -16-times/8), 8+times/8)

	dir := instance.Folder(t)
	c := instance.Config{Dir: filepath.Join(dir, "data"), Catalog: senders.Catalog, More: "privacy: {min_people: 2}"}
	in := instance.Serve(t, c)
	traffic := instance.NewTraffic(in, history)
	done := traffic.Run(4)
	portion := len(history) / (times + 1)
	for i := range times {
		traffic.Allow(portion / 3)
		switch i % 3 {
		case 0: // while the engine starts, or has just begun
		case 1: // after an orderly end, which leaves snapshots behind
			if code := in.Stop(); code != 0 {
				t.Errorf("exit code %d after a stop in the middle of traffic", code)
			}
			in = traffic.Serve(instance.Serve(t, c))
			in.AwaitParts("engine", "clickhouse")
		case 2: // while rows are being written, by a database that has been killed too
			in.AwaitParts("engine", "clickhouse")
			if err := in.KillDatabase(); err != nil {
				t.Error(err)
			}
			traffic.Allow(1)
			in.AwaitTaken(time.Now())
		}
		traffic.Allow(portion - portion/3)
		traffic.Await(1 + dice.IntN(portion/2))
		in.Kill()
		if i == 0 { // one request at least finds nobody
			traffic.Allow(1)
			instance.Await(t, func() error {
				if traffic.Failures() == 0 {
					return errors.New("no request has failed yet")
				}
				return nil
			})
		}
		if i%2 == 1 {
			in.AwaitGone() // else the next one waits for what the database still holds
		}
		in = traffic.Serve(instance.Serve(t, c))
	}
	traffic.Allow(len(history))
	<-done
	t.Logf("%d kills, %d deliveries, %d requests failed and were sent again", times, len(history), traffic.Failures())

	in.AwaitTaken(traffic.Last())
	traffic.Compare(t, dir, began)
	if code := in.Stop(); code != 0 {
		t.Errorf("exit code %d at the end", code)
	}
}
