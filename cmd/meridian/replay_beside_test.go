package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/web"
)

// notUnderRace leaves a test out under the race detector whose servers do what they do
// in others, which are not.
func notUnderRace(t *testing.T) {
	t.Helper()
	if underRace {
		t.Skip("its servers do nothing at once that they do not in other tests")
	}
}

// startHeld starts a server and returns its coordinator besides.
func (in *instanceTest) startHeld(t *testing.T, more string) (*server, *coordinator) {
	t.Helper()
	got := make(chan *coordinator, 1)
	s := in.startWith(t, "one", more, func(c *coordinator) {
		c.dropAfter, c.sweepEvery = 100*time.Millisecond, 200*time.Millisecond
		got <- c
	})
	c := <-got
	s.answers(t)
	return s, c
}

// hold takes the one processor that all runs of a server share (replay.max_procs: 1),
// so that none of them can work on anything until release is called.
func hold(t *testing.T, c *coordinator) (release func()) {
	t.Helper()
	done, err := c.m.throttleOf(1<<20, runRecord{}).turn(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// deploysOf waits until a run has n deployments of a team.
func (s *server) deploysOf(t *testing.T, run uint32, team string, n int64) {
	t.Helper()
	await(t, s.ended, func() error {
		have, err := s.countOf(run, team)
		if err == nil && have != n {
			err = fmt.Errorf("%s has %d deployments in run %d, want %d", team, have, run, n)
		}
		return err
	})
}

func (s *server) countOf(run uint32, team string) (have int64, err error) {
	points, err := pointsOver(s.socket, fmt.Sprintf("metric=deploy_frequency&grain=hour&service=&team=%s&run=%d", team, run))
	for _, p := range points {
		have += p.N
	}
	return have, err
}

// begins asks for a run and does not follow it.
func (s *server) begins(t *testing.T, wish runWish) {
	t.Helper()
	var run web.Run
	await(t, s.ended, func() error { return askSocket(s.socket, http.MethodPost, "/api/v1/runs", wish, &run) })
}

// Two histories are computed at once beside live traffic, and then both follow the
// log. What holds them back holds back neither the numbers that readers see nor their
// pages; nobody sees a half of them; and in the end each is what it would have been.
func TestRuns_TwoAtOnceBesideLiveTraffic(t *testing.T) {
	in := newInstanceTest(t)
	s, c := in.startHeld(t, "replay: {max_procs: 1}")
	for n := range 3 {
		s.deploy(t, fmt.Sprintf("run-%d", n), "checkout")
		s.deploy(t, fmt.Sprintf("other-%d", n), "search")
	}
	s.deploys(t, "checkout", 3)
	s.deploys(t, "search", 3)

	release := hold(t, c)
	s.begins(t, runWish{Mode: "restate", MaxRate: 1_000_000})
	s.begins(t, runWish{Mode: "restate", Teams: []string{"search"}})
	s.becomes(t, 2, "computing")
	s.becomes(t, 3, "computing")
	await(t, s.ended, func() error { return c.atOnce(2) })
	s.deploy(t, "run-3", "checkout")
	s.deploys(t, "checkout", 4) // live goes on, and so do its pages
	if _, err := s.countOf(2, "checkout"); err == nil || !strings.Contains(err.Error(), "409") {
		t.Errorf("numbers of a run that is being computed: %v", err)
	}
	if _, err := command(t, "replay", "diff", "2", "--data-dir", s.dir); err == nil || !strings.Contains(err.Error(), "still being computed") {
		t.Errorf("a difference to half a run: %v", err)
	}
	release()
	s.deploysOf(t, 2, "checkout", 4)
	s.deploysOf(t, 3, "search", 3)
	if n, err := s.countOf(3, "checkout"); err != nil || n != 0 {
		t.Errorf("run 3 has %d deployments of a team that it was not asked to write, %v", n, err)
	}

	// Their shards, which follow the log, are held back in the same way.
	release = hold(t, c)
	passed := c.m.throttleOf(2, runRecord{MaxRate: 1_000_000}).rate.passed()
	s.deploy(t, "run-4", "checkout")
	s.deploy(t, "other-4", "search")
	s.deploys(t, "checkout", 5)
	s.deploys(t, "search", 4)
	for run, team := range map[uint32]string{2: "checkout", 3: "search"} {
		want := map[uint32]int64{2: 4, 3: 3}[run]
		if n, err := s.countOf(run, team); err != nil || n != want {
			t.Errorf("run %d went on while it was held: %d deployments, %v", run, n, err)
		}
	}
	release()
	s.deploysOf(t, 2, "checkout", 5)
	s.deploysOf(t, 3, "search", 4)
	if now := c.m.throttleOf(2, runRecord{MaxRate: 1_000_000}).rate.passed(); now <= passed {
		t.Errorf("max_rate does not count what a run reads while it follows: %d records, and %d before", now, passed)
	}
	if n, err := s.countOf(3, "checkout"); err != nil || n != 0 {
		t.Errorf("run 3 has %d deployments of another team, %v", n, err)
	}

	for _, run := range []string{"2", "3"} {
		await(t, s.ended, func() error { // one may be a round ahead of the other
			out, err := command(t, "replay", "diff", run, "--data-dir", s.dir)
			if err != nil || !strings.Contains(out, " 0 differ, 0 are in 1 alone, 0 in "+run+" alone") || strings.Contains(out, ": 0 windows are equal") {
				return fmt.Errorf("run %s differs: %v: %s", run, err, out)
			}
			return nil
		})
	}
	if _, err := command(t, "replay", "promote", "2", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	s.deploy(t, "run-5", "checkout")
	s.deploys(t, "checkout", 6)
	if _, err := command(t, "replay", "drop", "3", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.countOf(3, "search"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("numbers of a run that is gone: %v", err)
	}
}

// atOnce reports whether so many histories are being computed.
func (c *coordinator) atOnce(n int) error {
	going := 0
	for _, e := range c.control.All(progressKeys) {
		var g streaming.Generation
		if _, err := fmt.Sscanf(strings.TrimPrefix(e.Key, progressKeys), "%d", &g); err != nil {
			return err
		}
		if p, any := c.progressOf(g); any && p.Waits == "" && p.Done < p.Total {
			going++
		}
	}
	if going != n {
		return fmt.Errorf("%d histories are being computed, want %d", going, n)
	}
	return nil
}

// Where the memory is too little for two histories, the second one waits, and says so;
// it begins when the first is over.
func TestRuns_OneWaitsForMemory(t *testing.T) {
	in := newInstanceTest(t)
	s, c := in.startHeld(t, "replay: {memory: 16KiB}") // of which six deliveries are more
	for n := range 6 {
		s.deploy(t, fmt.Sprintf("run-%d", n), "checkout")
	}
	s.deploys(t, "checkout", 6)
	release := hold(t, c)
	s.begins(t, runWish{Mode: "restate"})
	s.begins(t, runWish{Mode: "restate"})
	s.becomes(t, 2, "computing")
	s.becomes(t, 3, "waiting")
	if out, err := command(t, "replay", "list", "--data-dir", s.dir); err != nil || !strings.Contains(out, "replay.memory") {
		t.Errorf("why it waits is not said: %v: %s", err, out)
	}
	release()
	s.becomes(t, 2, "ready")
	s.becomes(t, 3, "ready")
	s.deploysOf(t, 3, "checkout", 6)
}

// What a process wrote that had not noticed that its run was dropped, and what a drop
// or a beginning that was cut off has left on the broker, goes by itself; the number
// is not given again, after a restart either.
func TestDrop_LeavesNothing(t *testing.T) {
	notUnderRace(t)
	in := newInstanceTest(t)
	s, _ := in.startHeld(t, "")
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	if _, err := command(t, "replay", "--mode", "restate", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	if out := in.rowsOf(t, 2); out == "0" {
		t.Fatal("a run without rows tells nothing")
	}
	left := func() error {
		broker, err := kafka.Generations(t.Context(), in.log, computingStages...)
		if rows := in.rowsOf(t, 2); err != nil || rows != "0" || slices.Contains(broker, streaming.Generation(2)) {
			return fmt.Errorf("%s rows, and the broker has %v, %v", rows, broker, err)
		}
		return nil
	}
	if broker, err := kafka.Generations(t.Context(), in.log, computingStages...); err != nil || !slices.Contains(broker, streaming.Generation(2)) {
		t.Fatalf("the broker has %v, %v", broker, err)
	}
	if _, err := command(t, "replay", "drop", "2", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	await(t, s.ended, left)
	s.stop()

	changeTables(t, in, "INSERT INTO points_replay SELECT * REPLACE (2 AS generation) FROM points_live WHERE startsWith(_partition_id, '1-')")
	if err := kafka.EnsureTopics(t.Context(), in.log, in.log.Events(2, 4)); err != nil {
		t.Fatal(err)
	}
	// Of the generation that readers see, such a process writes where nobody looks.
	changeTables(t, in, "INSERT INTO points_replay SELECT * REPLACE ('late' AS team) FROM points_live WHERE generation = 1")
	// A number that was never given is none of ours to judge.
	changeTables(t, in, "INSERT INTO points_replay SELECT * REPLACE (99 AS generation) FROM points_live WHERE startsWith(_partition_id, '1-')")
	if left() == nil || in.rowsOf(t, 2) == "0" || in.rowsOf(t, 99) == "0" {
		t.Fatal("nothing is there to be removed")
	}
	s, _ = in.startHeld(t, "")
	await(t, s.ended, left)
	await(t, s.ended, func() error {
		where := strings.TrimSpace(in.ask(t, "SELECT (SELECT count() FROM points_live WHERE generation = 1 AND team = 'late') > 0, (SELECT count() FROM points_replay WHERE generation = 1)"))
		if where != "1\t0" {
			return fmt.Errorf("rows of generation 1 that lie in replay are not brought after: %q", where)
		}
		return nil
	})
	if in.rowsOf(t, 99) == "0" {
		t.Error("rows of a generation that another coordinator may have begun are removed")
	}
	s.begins(t, runWish{Mode: "restate"})
	s.becomes(t, 3, "ready")
	if list, err := runsOf(t, s); err != nil || len(list.Items) != 2 {
		t.Errorf("after a restart: %+v, %v", list, err)
	}
}

// rowsOf counts the points of a generation, in both halves.
func (in *instanceTest) rowsOf(t *testing.T, g streaming.Generation) string {
	t.Helper()
	return strings.TrimSpace(in.ask(t, fmt.Sprintf("SELECT (SELECT count() FROM points_live WHERE generation = %[1]d) + (SELECT count() FROM points_replay WHERE generation = %[1]d)", g)))
}

// A client says what becomes of its run when the server goes away, and after each
// crash the run is there, and goes on.
func TestRun_OfAServerThatIsKilled(t *testing.T) {
	c := newChild(t)
	c.begin(t, "history 2")
	c.sends(t, 3)
	c.deploys(t, "checkout", 3)
	ended := make(chan error, 1)
	go func() {
		_, err := command(t, "replay", "--mode", "restate", "--data-dir", c.dir)
		ended <- err
	}()
	c.killed(t, "history 2")
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "exit code 4") {
		t.Errorf("the command of a server that is gone: %v", err)
	}
	c.begin(t, "history 2 computed")
	c.killed(t, "history 2 computed")
	c.begin(t, "")
	c.sends(t, 1)
	if out := c.command(t, exitOK, "replay", "resume", "2"); !strings.Contains(out, "restate") {
		t.Errorf("it is resumed: %s", out)
	}
	c.deploysOf(t, 2, "checkout", int64(c.n))
}
