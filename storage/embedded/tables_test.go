package embedded

import (
	"bytes"
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Every kind of column that the product's tables have comes back as it went in.
func TestColumnTypes(t *testing.T) {
	_, conn := startNew(t)
	run(t, conn, `CREATE TABLE kinds (
		n UInt64, at DateTime64(3, 'UTC'), team LowCardinality(String), state String,
		counts Map(LowCardinality(String), UInt64), zones Array(String), value Nullable(Float64), missing LowCardinality(Nullable(String))
	) ENGINE = MergeTree ORDER BY n`)

	every := make([]byte, 256) // with line breaks, semicolons, quotes, NUL: what cut an insert short in chdb_query_n
	for i := range every {
		every[i] = byte(i)
	}
	type row struct {
		N       uint64            `ch:"n"`
		At      time.Time         `ch:"at"`
		Team    string            `ch:"team"`
		State   string            `ch:"state"`
		Counts  map[string]uint64 `ch:"counts"`
		Zones   []string          `ch:"zones"`
		Value   *float64          `ch:"value"`
		Missing *string           `ch:"missing"`
	}
	half, reason := 0.5, "no source"
	rows := []row{
		{N: 1, At: time.UnixMilli(1772442002123).UTC(), Team: "web", State: string(every), Counts: map[string]uint64{"bot": 1, "self": 2}, Zones: []string{"Asia/Ho_Chi_Minh", ""}, Value: &half},
		{N: 2, At: time.UnixMilli(0).UTC(), Team: "", State: "\n;\n\n", Counts: map[string]uint64{}, Zones: []string{}, Missing: &reason},
		{N: 1<<64 - 1, At: time.UnixMilli(-1).UTC(), Team: "acme/web", State: "", Counts: map[string]uint64{"": 0}, Zones: []string{"UTC"}, Value: new(float64)},
	}
	batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO kinds")
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := batch.AppendStruct(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Send(); err != nil {
		t.Fatal(err)
	}
	var got []row
	if err := conn.Select(t.Context(), &got, "SELECT * FROM kinds ORDER BY n"); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, rows) {
		t.Errorf("got  %+v\nwant %+v", got, rows)
	}
	if !bytes.Equal([]byte(got[0].State), every) {
		t.Error("a string of all bytes changed on its way")
	}
}

// A batch is one part, so it is there as a whole or not at all, whatever its size and the bytes in it.
func TestBatchIsOnePart(t *testing.T) {
	_, conn := startNew(t)
	run(t, conn, `CREATE TABLE lines (n UInt64, text String) ENGINE = MergeTree ORDER BY n SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`)
	const n = 200_000
	batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO lines (n, text)")
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := batch.Append(uint64(i), string([]byte{byte(i), '\n', ';', '\n', byte(i >> 8)})); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Send(); err != nil {
		t.Fatal(err)
	}
	is(t, "rows", value[uint64](t, conn, "SELECT count() FROM lines"), n)
	is(t, "bytes", value[uint64](t, conn, "SELECT sum(length(text)) FROM lines"), 5*n)
	is(t, "level-0 parts", value[uint64](t, conn, "SELECT count() FROM system.parts WHERE table = 'lines' AND level = 0 AND active"), 1)
}

// The table engine of the whole product: the highest version wins, a tombstone takes its key away, and FINAL sees it before
// any merge.
func TestReplacingFinal(t *testing.T) {
	_, conn := startNew(t)
	run(t, conn,
		`CREATE TABLE points (generation UInt32, team String, start DateTime64(3, 'UTC'), value UInt64, version UInt64, is_deleted UInt8)
			ENGINE = ReplacingMergeTree(version, is_deleted) PARTITION BY (generation, toYYYYMM(start)) ORDER BY (generation, team, start)`,
		`SYSTEM STOP MERGES points`)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		team           string
		value, version uint64
		deleted        uint8
	}{
		{"web", 2, 20, 0}, {"web", 1, 10, 0}, // arrives late, loses
		{"ops", 7, 10, 0}, {"ops", 0, 11, 1}, // withdrawn
		{"app", 3, 10, 0},
	} {
		batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO points")
		if err != nil {
			t.Fatal(err)
		}
		if err := batch.Append(uint32(1), row.team, at, row.value, row.version, row.deleted); err != nil {
			t.Fatal(err)
		}
		if err := batch.Send(); err != nil {
			t.Fatal(err)
		}
	}
	is(t, "rows before merges", value[uint64](t, conn, "SELECT count() FROM points"), 5)
	is(t, "rows with FINAL", value[string](t, conn, "SELECT arrayStringConcat(groupArray(concat(team, '=', toString(value))), ' ') FROM (SELECT team, value FROM points FINAL ORDER BY team)"), "app=3 web=2")
}

// Promotion moves partitions between two tables of one schema.
func TestMovePartition(t *testing.T) {
	_, conn := startNew(t)
	for _, table := range []string{"points_live", "points_replay"} {
		run(t, conn, `CREATE TABLE `+table+` (generation UInt32, n UInt64, version UInt64, is_deleted UInt8)
			ENGINE = ReplacingMergeTree(version, is_deleted) PARTITION BY (generation, n % 2) ORDER BY (generation, n)`)
	}
	run(t, conn,
		"INSERT INTO points_live SELECT 1, number, 1, 0 FROM numbers(10)",
		"INSERT INTO points_replay SELECT 2, number, 1, 0 FROM numbers(100)",
		"INSERT INTO points_replay SELECT 3, number, 1, 0 FROM numbers(1000)",
		"ALTER TABLE points_replay MOVE PARTITION (2, 0) TO TABLE points_live",
		"ALTER TABLE points_replay MOVE PARTITION (2, 1) TO TABLE points_live")
	is(t, "live, generation 2", value[uint64](t, conn, "SELECT count() FROM points_live FINAL WHERE generation = 2"), 100)
	is(t, "live, generation 1", value[uint64](t, conn, "SELECT count() FROM points_live FINAL WHERE generation = 1"), 10)
	is(t, "replay", value[string](t, conn, "SELECT toString(groupUniqArray(generation)) FROM points_replay"), "[3]")
}

// Values reach the engine as parameters and never as SQL.
func TestParameters(t *testing.T) {
	_, conn := startNew(t)
	hostile := "x'; DROP TABLE t; --\n\\'{a:String}\x00"
	ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(clickhouse.Parameters{"n": "42", "names": "['a','b\\'c']"}))
	var n uint64
	var names []string
	if err := conn.QueryRow(ctx, "SELECT {n:UInt64}, {names:Array(String)}").Scan(&n, &names); err != nil {
		t.Fatal(err)
	}
	is(t, "number", n, 42)
	if want := []string{"a", "b'c"}; !reflect.DeepEqual(names, want) {
		t.Errorf("array: got %q, want %q", names, want)
	}
	is(t, "bound by the client", value[string](t, conn, "SELECT ?", hostile), hostile)
	is(t, "as a parameter", value[string](t, conn, "SELECT {text:String}", clickhouse.Named("text", "a'b; --")), "a'b; --")
}
