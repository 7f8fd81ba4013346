package storage

import (
	"context"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"meridian/metrics"
	"meridian/streaming"
)

// RowKey names a row: its table, and what its sorting key holds.
type RowKey string

// String is for people.
func (k RowKey) String() string { return strings.ReplaceAll(string(k), "\x00", " ") }

// KeyOf names the table and the key of a row.
func KeyOf(r metrics.Row) RowKey {
	join := func(parts ...any) RowKey {
		text := make([]string, len(parts))
		for i, p := range parts {
			text[i] = fmt.Sprint(p)
		}
		return RowKey(strings.Join(text, "\x00"))
	}
	switch r := r.(type) {
	case *metrics.Point:
		return join("points", r.Team, r.Metric, r.Grain, r.Service, int64(clamp(r.Start)))
	case *metrics.ObservationRow:
		return join("observations", r.Team, r.Metric, r.Service, int64(clamp(r.At)), r.Entity, r.Item, outcomeNames[r.Outcome], r.Reason)
	case *metrics.QualityRow:
		return join("quality", r.Team, r.Source, r.Kind, int64(clamp(r.Cell.Start())))
	case *metrics.RejectRow:
		return join("rejects", r.Team, r.Origin.Partition, r.Origin.Offset, r.Origin.Ordinal)
	case *metrics.CoverageRow:
		return join("coverage", r.Team, r.Source)
	}
	return ""
}

// VersionOf is the version of a row.
func VersionOf(r metrics.Row) streaming.Version {
	switch r := r.(type) {
	case *metrics.Point:
		return r.Version
	case *metrics.ObservationRow:
		return r.Version
	case *metrics.QualityRow:
		return r.Version
	case *metrics.RejectRow:
		return r.Version
	case *metrics.CoverageRow:
		return r.Version
	}
	return 0
}

// rowKeys are the parts of KeyOf as ClickHouse makes them.
var rowKeys = map[string]string{
	"points":       "team, metric, toString(grain), service, toString(toUnixTimestamp64Milli(start))",
	"observations": "team, metric, service, toString(toUnixTimestamp64Milli(at)), entity, item, toString(outcome), reason",
	"quality":      "team, source, kind, toString(toUnixTimestamp64Milli(cell))",
	"rejects":      "team, toString(origin_partition), toString(origin_offset), toString(origin_ordinal)",
	"coverage":     "team, source",
}

// Versions calls each with the highest version of every key of a generation that
// was written since a version, tombstones included. It reads the column of versions
// whole, and the keys of what it finds.
func (d *Database) Versions(ctx context.Context, g streaming.Generation, since streaming.Version, each func(RowKey, streaming.Version)) error {
	p, err := d.find(ctx, g)
	if err != nil {
		return err
	}
	settings := d.readSettings()
	settings["max_execution_time"], settings["max_result_rows"] = 0, 0
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(settings))
	for _, pair := range halved {
		sql := fmt.Sprintf("SELECT arrayStringConcat([%s], '\\0') AS key, max(version) FROM %s_%s WHERE generation = %d AND version >= %d GROUP BY key",
			rowKeys[pair.name], pair.name, p.side, p.generation, since)
		if err := d.versions(ctx, pair.name, sql, each); err != nil {
			return err
		}
	}
	return nil
}

func (d *Database) versions(ctx context.Context, pair, sql string, each func(RowKey, streaming.Version)) error {
	rows, err := d.conn.Query(ctx, sql)
	if err != nil {
		return classify(ctx, "read versions of "+pair, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var key string
		var version uint64
		if err := rows.Scan(&key, &version); err != nil {
			return classify(ctx, "read versions of "+pair, err)
		}
		each(RowKey(pair+"\x00"+key), streaming.Version(version))
	}
	return classify(ctx, "read versions of "+pair, rows.Err())
}
