package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"meridian/storage"
)

// A log that three processes have written and computed, of which one goes away and
// comes back, is computed again to the byte; and a row that somebody has changed is
// found, with exit code 5 and a report that names it.
func TestAudit_OfThreeProcesses(t *testing.T) {
	in := newInstanceTest(t)
	one := in.start(t, "one", "")
	for _, name := range []string{"two", "three"} {
		in.join(t, one, name)
	}
	two, three := in.start(t, "two", ""), in.start(t, "three", "")
	all := []*server{one, two, three}
	n := 0
	send := func(to ...*server) {
		for range 3 {
			for i, s := range to {
				s.deploy(t, fmt.Sprintf("run-%d", n), fmt.Sprintf("service-%d", i))
				n++
			}
		}
	}
	send(all...)
	one.deploys(t, "service-2", 3)
	three.stop() // its shards move
	send(one, two)
	one.deploys(t, "service-1", 6)
	three = in.start(t, "three", "")
	three.owned(t, in, 1)
	send(one, two, three)
	one.deploys(t, "service-0", 9)
	one.deploys(t, "service-2", 6)

	out, err := command(t, "replay", "--mode", "audit", "--data-dir", two.dir)
	if err != nil || !strings.Contains(out, "agrees with generation 1") {
		t.Fatalf("%v: %s", err, out)
	}
	changeTables(t, in, "ALTER TABLE points_live UPDATE n = n + 1 WHERE team = 'service-2' AND metric = 'deploy_frequency' AND grain = 'day' AND service = '' SETTINGS mutations_sync = 2")
	var report, errs bytes.Buffer
	if code := run(t.Context(), []string{"replay", "--mode", "audit", "--data-dir", two.dir}, streams{in: bytes.NewReader(nil), out: &report, err: &errs}); code != exitDifferences {
		t.Fatalf("exit code %d of an audit of changed rows: %s%s", code, report.String(), errs.String())
	}
	for _, part := range []string{"DIFFERS from generation 1", "points: team service-2, metric deploy_frequency, grain day", "; n "} {
		if !strings.Contains(report.String(), part) {
			t.Errorf("the report does not say %q: %s", part, report.String())
		}
	}
}

// changeTables changes the tables behind everybody's back.
func changeTables(t *testing.T, in *instanceTest, sql string) {
	t.Helper()
	in.statement(t, storage.Raw{Text: sql, Write: true})
}

// ask asks the tables, and returns the answer's lines.
func (in *instanceTest) ask(t *testing.T, sql string) string {
	t.Helper()
	return in.statement(t, storage.Raw{Text: sql})
}

func (in *instanceTest) statement(t *testing.T, q storage.Raw) string {
	t.Helper()
	options, err := storage.ParseDSN("http://" + in.database.Addr() + "/meridian")
	if err != nil {
		t.Fatal(err)
	}
	db, err := storage.Open(storage.Config{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	answer, err := db.Raw(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Close()
	text, err := io.ReadAll(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
