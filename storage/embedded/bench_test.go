package embedded

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// From nothing to the first answer, on a new directory, with the library in the page cache.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, stop := start(b, testConfig(b.TempDir()))
		is(b, "answer", value[uint8](b, open(b, s.Options()), "SELECT 1"), 1)
		b.StopTimer()
		stop()
		b.StartTimer()
	}
}

func BenchmarkQuery(b *testing.B) {
	_, conn := startNew(b)
	for b.Loop() {
		is(b, "answer", value[uint8](b, conn, "SELECT 1"), 1)
	}
}

const pointsTable = `CREATE TABLE points (generation UInt32, team LowCardinality(String), service LowCardinality(String), metric LowCardinality(String),
	grain Enum8('hour' = 1, 'day' = 2, 'day30' = 3), start DateTime64(3, 'UTC'), end DateTime64(3, 'UTC'), n UInt64, value Nullable(Float64),
	state String, counts Map(LowCardinality(String), UInt64), version UInt64, is_deleted UInt8)
	ENGINE = ReplacingMergeTree(version, is_deleted) PARTITION BY (generation, toYYYYMM(start)) ORDER BY (generation, team, service, metric, grain, start)
	SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

// sendPoints inserts rows of thirteen columns into one month.
func sendPoints(b testing.TB, conn driver.Conn, from, rows int) {
	batch, err := conn.PrepareBatch(context.Background(), "INSERT INTO points")
	if err != nil {
		b.Fatal(err)
	}
	base := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	state := make([]byte, 40)
	for i := from; i < from+rows; i++ {
		start := base.Add(time.Duration(i%700) * time.Hour)
		state[0] = byte(i)
		value := float64(i)
		if err := batch.Append(uint32(1), fmt.Sprintf("team-%d", i%200), "", fmt.Sprintf("metric-%d", i%20), "hour", start, start.Add(time.Hour),
			uint64(i), &value, string(state), map[string]uint64{"bot": uint64(i % 3)}, uint64(i), uint8(0)); err != nil {
			b.Fatal(err)
		}
	}
	if err := batch.Send(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkInsert(b *testing.B) {
	for _, rows := range []int{1, 1_000, 200_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			_, conn := startNew(b)
			run(b, conn, pointsTable)
			i := 0
			for b.Loop() {
				sendPoints(b, conn, i*rows, rows)
				i++
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// A dashboard's kind of query: one team and metric out of a million rows, with FINAL.
func BenchmarkFinal(b *testing.B) {
	_, conn := startNew(b)
	run(b, conn, pointsTable)
	for i := range 5 {
		sendPoints(b, conn, i*200_000, 200_000)
	}
	for b.Loop() {
		value[uint64](b, conn, "SELECT count() FROM points FINAL WHERE generation = 1 AND team = ? AND service = '' AND metric = ? AND grain = 'hour'", "team-7", "metric-7")
	}
}
