package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// verified runs the command and returns its answer and exit code.
func verified(t *testing.T, s *server, flags ...string) (v verifyAnswer, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"verify", "--json", "--data-dir", s.dir}, flags...), streams{in: bytes.NewReader(nil), out: &out, err: &errs})
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out.String(), errs.String())
	}
	return v, code
}

// sql changes the database behind everybody's back.
func (in *instanceTest) sql(t *testing.T, text string) {
	t.Helper()
	conn, err := clickhouse.Open(&clickhouse.Options{Protocol: clickhouse.HTTP, Addr: []string{in.database.Addr()}, Auth: clickhouse.Auth{Database: "meridian"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Exec(clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"mutations_sync": 2})), text); err != nil {
		t.Fatal(err)
	}
}

// Everything agrees while a server works. Rows that a database loses are found, in
// every table, and written again with the versions that they had.
func TestVerifyFindsAndMendsWhatATableHasLost(t *testing.T) {
	in := newInstanceTest(t)
	s := in.start(t, "one", "")
	s.deploy(t, "run-ledger", "ledger") // whose windows are older than any snapshot
	s.deploys(t, "ledger", 1)
	for i := range 3 {
		s.deploy(t, fmt.Sprint("run-", i), "checkout")
	}
	s.deploys(t, "checkout", 3)
	s.stop() // every shard keeps a snapshot
	s = in.start(t, "one", "")
	s.deploy(t, "run-4", "checkout")
	s.deploys(t, "checkout", 4)
	var v verifyAnswer
	code := exitOK
	await(t, s.ended, func() error { // the topic gets the turn's points in the background
		if v, code = verified(t, s); v.Checked.Topic == 0 {
			return fmt.Errorf("the topic has no point of this turn: %+v", v)
		}
		return nil
	})
	if code != exitOK || len(v.Differences) != 0 || v.Checked.Snapshots != kafka.ServedEvents || v.Checked.Points == 0 || v.Checked.Rounds == 0 || v.Checked.Rows == 0 {
		t.Fatalf("exit code %d, %+v", code, v)
	}

	in.sql(t, "ALTER TABLE points_live DELETE WHERE team = 'checkout' AND grain = 'hour'")
	in.sql(t, "ALTER TABLE observations_live DELETE WHERE team = 'checkout'")
	v, code = verified(t, s)
	if code != exitDifferences {
		t.Fatalf("exit code %d, want %d: %+v", code, exitDifferences, v)
	}
	found := map[string]bool{}
	for _, d := range v.Differences {
		found[d.Between+" "+d.Table] = true
		if !strings.HasPrefix(d.Key, "checkout ") || d.Why == "" {
			t.Errorf("a difference %+v", d)
		}
	}
	for _, want := range []string{"snapshot points", "rounds observations", "topic points"} {
		if !found[want] {
			t.Errorf("not found: %s; found %v", want, found)
		}
	}
	if v, code = verified(t, s, "--repair"); code != exitDifferences || v.Repaired == 0 {
		t.Errorf("the repair: exit code %d, %+v", code, v)
	}
	v, code = verified(t, s)
	if code != exitOK || len(v.Differences) != 0 {
		t.Errorf("after the repair: exit code %d, %+v", code, v)
	}
	s.deploys(t, "checkout", 4)

	// The same for people.
	out, err := command(t, "verify", "--data-dir", s.dir)
	if err != nil || !strings.Contains(out, "all of them agree") {
		t.Errorf("%v: %s", err, out)
	}
}

// The topics have what readers see, what came late and what was set aside; a
// generation that nobody sees writes none of it.
func TestSideOutputs(t *testing.T) {
	broker, err := kafka.StartBroker("", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	l := &deliveryLog{Config: broker.Config(""), broker: broker, partitions: 3}
	if err := kafka.EnsureTopics(t.Context(), l.Config, l.SideTopics(l.partitions)...); err != nil {
		t.Fatal(err)
	}
	rows := new(rowCounter)
	live := true
	s := newSideOutputs(l, rows, func() (uint64, bool) { return 7, live })
	defer s.close()
	v := streaming.NewVersion(3, 100)
	point := func(n int) *metrics.Point {
		d := metrics.Find("deploy_frequency")
		return &metrics.Point{Version: v + streaming.Version(n), Team: "it's", Metric: d.Name, Definition: d, Grain: metrics.Hour, Start: timeline.Hour, Aggregate: new(metrics.Aggregate)}
	}
	put := func(r ...metrics.Row) {
		t.Helper()
		if err := s.Put(t.Context(), 0, r); err != nil {
			t.Fatal(err)
		}
	}
	put(point(1), point(2), &metrics.RejectRow{Version: v, Team: "it's", Verdict: event.Late, Reason: "late", Origin: streaming.Origin{Partition: 2, Offset: 33, Ordinal: 4}, Clock: 5},
		&metrics.RejectRow{Version: v, Team: "it's", Verdict: event.Quarantined, Reason: "future", Clock: streaming.NoClock}, &metrics.QualityRow{Version: v})
	live = false
	put(point(3))

	lines := func(topic string) (list []string) {
		t.Helper()
		whole, err := kafka.ReadSide(t.Context(), l.Config, topic, func(_, value []byte) error {
			list = append(list, string(value))
			return nil
		})
		if err != nil || !whole {
			t.Fatalf("%s: whole %v, %v", topic, whole, err)
		}
		return list
	}
	points := lines(l.PointsTopic())
	if len(points) != 2 {
		t.Fatalf("%d points in the topic, want 2", len(points))
	}
	key, told, err := readPoint([]byte(points[1]))
	if err != nil || told.turn != 7 || told.version != v+2 || key.String() != "points it's deploy_frequency hour  3600000" {
		t.Errorf("read back: %s %+v, %v", key, told, err)
	}
	plain := string(point(2).AppendJSON(nil))
	if want := plain[:len(plain)-1] + `,"turn":7}`; points[1] != want {
		t.Errorf("the topic has %s, want %s", points[1], want)
	}
	late, aside := lines(l.LateTopic()), lines(l.QuarantineTopic())
	if len(late) != 1 || !strings.Contains(late[0], `"origin":{"partition":2,"offset":33,"ordinal":4}`) || !strings.Contains(late[0], `"clock":"1970-01-01T00:00:00.005Z"`) {
		t.Errorf("late: %q", late)
	}
	if len(aside) != 1 || !strings.Contains(aside[0], `"reason":"future"`) || !strings.Contains(aside[0], `"clock":null`) {
		t.Errorf("quarantine: %q", aside)
	}
	if rows.n != 6 {
		t.Errorf("%d rows went on to the tables, want 6", rows.n)
	}
}

// rowCounter counts what reaches the tables.
type rowCounter struct{ n int }

func (c *rowCounter) Put(_ context.Context, _ int32, rows []metrics.Row) error {
	c.n += len(rows)
	return nil
}
func (*rowCounter) Flush(context.Context, int32) error                   { return nil }
func (*rowCounter) Advance(int32, streaming.Generation, streaming.Clock) {}
