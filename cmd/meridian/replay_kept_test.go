package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

func TestTurn_Kept(t *testing.T) {
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	turn := turn{Generation: 5, Before: []streaming.Generation{4, 2}, At: at}
	for _, x := range []struct {
		g     streaming.Generation
		keep  int
		after time.Duration
		want  bool
	}{
		{4, 1, 7*24*time.Hour - time.Second, true}, {4, 1, 7 * 24 * time.Hour, false}, {2, 1, time.Hour, false}, {2, 2, time.Hour, true},
		{4, 0, time.Hour, false}, {4, 9, time.Hour, true}, {5, 1, time.Hour, false}, {3, 2, time.Hour, false},
	} {
		if got := turn.kept(x.g, x.keep, at.Add(x.after)); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
}

// What was replaced can be gone back to for seven days, and then nothing of it is
// left: no rows, no topic, no groups, and no way back.
func TestKept_ForSevenDays(t *testing.T) {
	notUnderRace(t)
	in := newInstanceTest(t)
	s, _ := in.startHeld(t, "")
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	in.writeCatalog(t, "teams: [{name: web, services: [checkout]}]")
	s.deploys(t, "web", 1)
	s.becomes(t, 1, "kept")

	l := in.ledger(t)
	passed := func(d time.Duration) (kept string) {
		t.Helper()
		now, err := l.live()
		if err != nil {
			t.Fatal(err)
		}
		now.At = time.Now().Add(-d).UTC()
		data, err := json.Marshal(now)
		if err == nil {
			err = l.control.Put(t.Context(), liveKey, data)
		}
		if err != nil {
			t.Fatal(err)
		}
		return now.At.Add(keepFor).Format("2006-01-02T15:04")
	}
	until := passed(keepFor - time.Hour)
	await(t, s.ended, func() error {
		out, err := command(t, "replay", "show", "1", "--data-dir", s.dir)
		if err != nil || !strings.Contains(out, "kept until "+until) {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	for range 2 { // each is answered by a look of the coordinator's, which tidies behind it
		if _, err := command(t, "replay", "drop", "99", "--data-dir", s.dir); err == nil {
			t.Error("a run that is not there is dropped")
		}
	}
	if rows := in.rowsOf(t, 1); rows == "0" {
		t.Fatal("its rows are gone within the seven days")
	}

	passed(keepFor)
	await(t, s.ended, func() error {
		list, err := runsOf(t, s)
		broker, e := kafka.Generations(t.Context(), in.log, computingStages...)
		if err != nil || e != nil || len(list.Items) != 1 || list.Items[0].Number != 2 || in.rowsOf(t, 1) != "0" || slices.Contains(broker, streaming.Generation(1)) {
			return fmt.Errorf("%+v, %v; the broker has %v, %v", list, err, broker, e)
		}
		return nil
	})
	if _, err := command(t, "replay", "rollback", "--data-dir", s.dir); err == nil || !strings.Contains(err.Error(), "no generation was replaced that is kept") {
		t.Errorf("a rollback to what is gone: %v", err)
	}
	s.deploy(t, "run-2", "checkout")
	s.deploys(t, "web", 2)
}

// A rollback gives readers the very rows that they had: content, versions and states,
// byte for byte. What has come meanwhile is added, with versions of its own.
func TestRollback_RestoresTheBytes(t *testing.T) {
	notUnderRace(t)
	in := newInstanceTest(t)
	s, _ := in.startHeld(t, "generations: {promote: manual}")
	for n := range 4 {
		s.deploy(t, fmt.Sprintf("run-%d", n), []string{"checkout", "search"}[n%2])
	}
	s.deploys(t, "checkout", 2)
	s.deploys(t, "search", 2)
	before := in.bytesOf(t, 1)
	if len(before) < 10 {
		t.Fatalf("%d rows tell too little", len(before))
	}
	in.writeCatalog(t, "teams: [{name: web, services: [checkout]}]")
	s.becomes(t, 2, "ready")
	if _, err := command(t, "replay", "promote", "2", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	s.deploys(t, "web", 2)
	s.becomes(t, 1, "kept")
	await(t, s.ended, func() error { // it is out of the tables that readers see, so all of it has to come back
		if n := strings.TrimSpace(in.ask(t, "SELECT count() FROM points_live WHERE generation = 1")); n != "0" {
			return fmt.Errorf("%s points of generation 1 are live", n)
		}
		return nil
	})
	s.deploy(t, "meanwhile", "search")
	s.deploys(t, "search", 3)
	if _, err := command(t, "replay", "rollback", "--data-dir", s.dir); err != nil {
		t.Fatal(err)
	}
	s.deploys(t, "checkout", 2)
	s.deploys(t, "search", 3)

	after, newer := in.bytesOf(t, 1), 0
	for key, was := range before {
		is, ok := after[key]
		switch {
		case !ok:
			t.Errorf("%s is gone", key)
		case is.version > was.version:
			newer++
		case is != was:
			t.Errorf("%s is\n%s\nand was\n%s", key, is.text, was.text)
		}
	}
	if newer == 0 || newer == len(before) {
		t.Errorf("%d of %d rows were written anew: too few or too many to tell anything", newer, len(before))
	}
	await(t, s.ended, func() error {
		if n := strings.TrimSpace(in.ask(t, "SELECT count() FROM points_replay WHERE generation = 1")); n != "0" {
			return fmt.Errorf("%s points of generation 1 are not where readers look", n)
		}
		return nil
	})
	// What was written anew is what would have been written all along.
	if out, err := command(t, "replay", "--mode", "audit", "--data-dir", s.dir); err != nil || !strings.Contains(out, "agrees with generation 1") {
		t.Errorf("%v: %s", err, out)
	}
}

type storedRow struct {
	version uint64
	text    string
}

// bytesOf are the rows of a generation that readers see, by their keys.
func (in *instanceTest) bytesOf(t *testing.T, g streaming.Generation) map[string]storedRow {
	t.Helper()
	all := map[string]storedRow{}
	for table, q := range map[string]struct{ key, columns string }{
		"points":       {"team, metric, grain, service, start", "* EXCEPT state, hex(state)"},
		"observations": {"team, metric, service, at, entity, item, outcome, reason", "* EXCEPT person, hex(person)"},
		"quality":      {"team, source, kind, cell", "*"},
		"coverage":     {"team, source", "*"},
	} {
		for line := range strings.Lines(in.ask(t, fmt.Sprintf("SELECT version, toJSONString(tuple(%s)), toJSONString(tuple(%s)) FROM %s_live FINAL WHERE generation = %d", q.key, q.columns, table, g))) {
			fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
			var version uint64
			if _, err := fmt.Sscan(fields[0], &version); err != nil {
				t.Fatal(err)
			}
			all[table+" "+fields[1]] = storedRow{version, fields[2]}
		}
	}
	return all
}
