package storage

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"

	"meridian/streaming"
)

// Disagreement is one key about which two ways of reading a table do not agree.
type Disagreement struct {
	Table string // of the pair: points
	Key   string // as ClickHouse writes a tuple
	Why   string
}

// keyColumns are the sorting keys of the halved tables, without the generation.
var keyColumns = map[string]string{
	"points":       "team, metric, grain, service, start",
	"observations": "team, metric, service, at, entity, item, outcome, reason",
	"quality":      "team, source, kind, cell",
	"rejects":      "team, origin_partition, origin_offset, origin_ordinal",
	"coverage":     "team, source",
}

// hashed is a row with a hash of all its columns; formatRow tells null from "".
const hashed = "(SELECT *, cityHash64(formatRow('RowBinary', *)) AS content FROM %s WHERE _partition_id = '%s')"

// Agree reads every row of a generation twice, with FINAL and by taking the highest
// version of each key by hand, and says where the two differ, or where one version
// of a key has two contents. It goes partition by partition and spills to disk, so
// it takes its time and little memory. rows is how many keys there are.
func (d *Database) Agree(ctx context.Context, g streaming.Generation, report func(Disagreement)) (rows uint64, err error) {
	p, err := d.find(ctx, g)
	if err != nil {
		return 0, err
	}
	all, err := d.partitions(ctx, of(p.generation, p.side))
	if err != nil {
		return 0, err
	}
	for _, part := range all {
		n, err := d.agreeOn(ctx, part, report)
		if err != nil {
			return rows, err
		}
		rows += n
	}
	return rows, nil
}

func (d *Database) agreeOn(ctx context.Context, p partition, report func(Disagreement)) (rows uint64, err error) {
	settings := d.readSettings()
	settings["max_execution_time"], settings["max_bytes_before_external_group_by"] = 0, queryMemory/2
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(settings))
	keys, raw := keyColumns[p.pair], fmt.Sprintf(hashed, p.table(), p.id)
	byHand := fmt.Sprintf("(SELECT %s, max(version) AS highest, argMax(content, version) AS content FROM %s GROUP BY %s HAVING argMax(is_deleted, version) = 0)", keys, raw, keys)
	final := fmt.Sprintf("(SELECT *, cityHash64(formatRow('RowBinary', *)) AS content FROM %s FINAL WHERE _partition_id = '%s')", p.table(), p.id)
	twice := fmt.Sprintf("(SELECT %s, version, uniqExact(content) AS contents FROM %s GROUP BY %s, version HAVING contents > 1)", keys, raw, keys)

	var final1, final2, hand1, hand2, contents uint64
	row := d.conn.QueryRow(ctx, fmt.Sprintf("SELECT f1, f2, h1, h2, c FROM (SELECT count() AS f1, sum(content) AS f2 FROM %s) AS f "+
		"CROSS JOIN (SELECT count() AS h1, sum(content) AS h2 FROM %s) AS h CROSS JOIN (SELECT count() AS c FROM %s) AS c", final, byHand, twice))
	if err := row.Scan(&final1, &final2, &hand1, &hand2, &contents); err != nil {
		return 0, classify(ctx, "compare "+p.table(), err)
	}
	if contents > 0 {
		err := d.disagreements(ctx, fmt.Sprintf("SELECT toString(tuple(%s)), concat('version ', toString(version), ' has ', toString(contents), ' contents') FROM %s LIMIT 100", keys, twice), p.pair, report)
		if err != nil {
			return 0, err
		}
	}
	if contents == 0 && (final1 != hand1 || final2 != hand2) { // with two contents, which of them FINAL gives is chance
		err := d.disagreements(ctx, fmt.Sprintf(`SELECT toString(key), concat('FINAL gives version ', toString(f.version), ', the highest by hand is ', toString(h.highest))
			FROM (SELECT tuple(%s) AS key, version, content FROM %s) AS f FULL JOIN (SELECT tuple(%s) AS key, highest, content FROM %s) AS h USING (key)
			WHERE f.content != h.content LIMIT 100`, keys, final, keys, byHand), p.pair, report)
		if err != nil {
			return 0, err
		}
	}
	return hand1, nil
}

func (d *Database) disagreements(ctx context.Context, sql, pair string, report func(Disagreement)) error {
	rows, err := d.conn.Query(ctx, sql)
	if err != nil {
		return classify(ctx, "compare "+pair, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		x := Disagreement{Table: pair}
		if err := rows.Scan(&x.Key, &x.Why); err != nil {
			return classify(ctx, "compare "+pair, err)
		}
		report(x)
	}
	return classify(ctx, "compare "+pair, rows.Err())
}
