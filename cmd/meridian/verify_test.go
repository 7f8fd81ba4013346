package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
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

	// What the topics do not hold any more is mended with the version of its snapshot,
	// and it is said of how many rows.
	if err := kafka.Empty(t.Context(), in.log, in.log.PointsTopic()); err != nil {
		t.Fatal(err)
	}
	in.sql(t, "ALTER TABLE points_live DELETE WHERE team = 'ledger' AND grain = 'hour'")
	out, err := command(t, "verify", "--repair", "--data-dir", s.dir)
	if err == nil || !strings.Contains(out, "of them have the version of the snapshot") || !strings.Contains(out, "replay --mode audit") {
		t.Errorf("it does not say which versions it wrote: %v\n%s", err, out)
	}
	if v, code = verified(t, s); code != exitOK {
		t.Errorf("after it: exit code %d, %+v", code, v)
	}

	// The same for people.
	out, err = command(t, "verify", "--data-dir", s.dir)
	if err != nil || !strings.Contains(out, "all of them agree") {
		t.Errorf("%v: %s", err, out)
	}
}

// Where no server runs, verify looks at the instance and begins nothing: neither by a
// setting that has changed, nor by a catalog, nor with a program whose logic is newer
// than that of the numbers, of which it compares what it can.
func TestVerifyOnlyLooks(t *testing.T) {
	history, catalog, last := organisation(t, 100)
	in := newTestInstance(t, catalog, kafka.EmbeddedEvents, "")
	in.command(t, "import", history)
	in.serve(t, last, func() {})

	changed := newTestInstance(t, []byte("teams: [{name: other, repositories: [\"**\"]}]"), kafka.EmbeddedEvents, "time: {bounds: {github: 7m}}\n")
	changed.dir = in.dir
	text, err := os.ReadFile(changed.config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(changed.config, regexp.MustCompile("data_dir: .*").ReplaceAll(text, []byte("data_dir: "+in.dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &app{configFile: changed.config, streams: streams{err: outputOf(t)}, log: slog.New(slog.DiscardHandler)}
	c, err := a.config(nil)
	if err != nil {
		t.Fatal(err)
	}
	generations := func(change func(l ledger, m streaming.GenerationManifest) error) (n int) {
		t.Helper()
		err := a.withStopped(t.Context(), c, func(_ context.Context, m *machine) error {
			all, err := m.room.manifests()
			if err != nil || len(all) == 0 {
				return errors.Join(err, errors.New("no generation"))
			}
			n = len(all)
			return change(m.room.ledger, all[0])
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	unchanged := func(ledger, streaming.GenerationManifest) error { return nil }
	verify := func() (v verifyAnswer) {
		t.Helper()
		if err := json.Unmarshal([]byte(changed.command(t, "verify", "--json")), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := verify()
	if v.Generation != 1 || v.Checked.Snapshots != kafka.EmbeddedEvents || v.Checked.Points == 0 || len(v.Differences) != 0 {
		t.Errorf("with another catalog and setting: %+v", v)
	}
	if n := generations(func(l ledger, m streaming.GenerationManifest) error { // as an upgrade finds it
		m.Logic--
		data, err := kafka.EncodeGeneration(m)
		if err != nil {
			return err
		}
		return l.control.Put(t.Context(), kafka.GenerationKey(m.Number), data)
	}); n != 1 {
		t.Errorf("%d generations, want 1", n)
	}
	v = verify()
	if v.Generation != 1 || v.Checked.Snapshots != 0 || v.Checked.Rows == 0 || len(v.Differences) != 0 || len(v.Notes) == 0 || !strings.Contains(v.Notes[0], "logic version") {
		t.Errorf("with another logic: %+v", v)
	}
	if n := generations(unchanged); n != 1 {
		t.Errorf("verifying began a generation: there are %d", n)
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
