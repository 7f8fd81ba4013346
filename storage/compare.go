package storage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Compared is how the rows of two generations in one pair of tables agree.
type Compared struct {
	Table     string `json:"table"`
	Rows      uint64 `json:"rows"` // keys in either
	Equal     uint64 `json:"equal"`
	Different uint64 `json:"different"` // in content or in the round of the version
	Missing   uint64 `json:"missing"`   // in the first alone
	Extra     uint64 `json:"extra"`     // in the second alone
	Newer     uint64 `json:"newer"`     // of a round that one of the two has not reached: nothing is said of them

	Examples []RowDifference `json:"examples,omitempty"`
}

// Differs reports whether anything does.
func (c Compared) Differs() bool { return c.Different+c.Missing+c.Extra > 0 }

// RowDifference is one key whose rows differ.
type RowDifference struct {
	Key     []Column        `json:"key"`
	First   streaming.Round `json:"first_round"` // of the version; 0: there is no row
	Second  streaming.Round `json:"second_round"`
	Columns []ColumnPair    `json:"columns,omitempty"` // those that differ
}

// Column is the name and the value of one.
type Column struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ColumnPair is a column of both rows.
type ColumnPair struct {
	Name   string `json:"name"`
	First  string `json:"first"`
	Second string `json:"second"`
}

// compareMemory bounds what a comparison takes in the database. What does not fit
// is grouped on its disk.
const compareMemory = 1 << 30

func (d *Database) compareSettings() clickhouse.Settings {
	return clickhouse.Settings{
		"do_not_merge_across_partitions_select_final": 1,

		"max_execution_time": 0, "max_memory_usage": compareMemory, "max_bytes_before_external_group_by": compareMemory / 2,
		"max_bytes_ratio_before_external_group_by": 0, "max_bytes_before_external_sort": compareMemory / 2, "max_bytes_ratio_before_external_sort": 0,
	}
}

// Compare compares every row of two generations, key by key, in the database:
// content, byte for byte, and the round of the version. Rows of a later round than
// upTo are only counted; those before from are left out (0: none). It reads both
// halves of each pair, wherever the generations are.
func (d *Database) Compare(ctx context.Context, first, second streaming.Generation, upTo streaming.Round, from timeline.Millis, examples int) ([]Compared, error) {
	var all []Compared
	for _, pair := range halved {
		t, err := d.shape(ctx, pair.name, pair.time)
		if err != nil {
			return nil, err
		}
		c, differ, err := d.comparePair(ctx, t, first, second, upTo, from, examples)
		if err != nil {
			return nil, err
		}
		if examples > 0 && len(differ) > 0 {
			if c.Examples, err = d.examples(ctx, t, first, second, differ); err != nil {
				return nil, err
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// shape is what a pair's tables look like. The columns come from the database, so
// that one that is added is compared.
type shape struct {
	pair, time  string
	key, values []string
}

func (d *Database) shape(ctx context.Context, pair, at string) (s shape, err error) {
	s = shape{pair: pair, time: at}
	rows, err := d.conn.Query(ctx, "SELECT name, is_in_sorting_key FROM system.columns WHERE database = currentDatabase() AND table = '"+pair+"_live' ORDER BY position")
	if err != nil {
		return s, classify(ctx, "read the columns of "+pair, err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var key uint8
		if err := rows.Scan(&name, &key); err != nil {
			return s, err
		}
		switch {
		case name == "generation", name == "version", name == "is_deleted":
		case key == 1:
			s.key = append(s.key, name)
		default:
			s.values = append(s.values, name)
		}
	}
	if err := rows.Err(); err != nil {
		return s, classify(ctx, "read the columns of "+pair, err)
	}
	if len(s.key) == 0 {
		return s, fmt.Errorf("storage: there is no table %s_live: %w", pair, ErrSchema)
	}
	return s, nil
}

// both selects columns of two generations from both halves of a pair.
func (s shape) both(columns string, first, second streaming.Generation, where string) string {
	var parts []string
	for _, side := range []Side{Live, Replay} {
		parts = append(parts, fmt.Sprintf("SELECT %s FROM %s_%s WHERE generation IN (%d, %d)%s", columns, s.pair, side, first, second, where))
	}
	return strings.Join(parts, " UNION ALL ")
}

func (s shape) since(from timeline.Millis) string {
	if from == 0 || s.time == "" {
		return ""
	}
	return fmt.Sprintf(" AND %s >= fromUnixTimestamp64Milli(%d, 'UTC')", s.time, clamp(from))
}

// keyHash names a key in 16 bytes: millions of them are grouped, and their texts
// would take most of the memory.
func (s shape) keyHash() string { return "sipHash128(" + strings.Join(s.key, ", ") + ")" }

// roundOf is the round of a version, which is what two generations can share.
const roundOf = "bitAnd(version, 1099511627775)"

func (d *Database) comparePair(ctx context.Context, s shape, first, second streaming.Generation, upTo streaming.Round, from timeline.Millis, examples int) (c Compared, differ []string, err error) {
	// A tuple is written as text before it is hashed: a hash of a null is null.
	rows := s.both(fmt.Sprintf("generation = %d AS mine, %s AS k, sipHash64(toString(tuple(%s))) AS h, %s AS round, is_deleted AS gone", first, s.keyHash(), strings.Join(s.values, ", "), roundOf),
		first, second, s.since(from))
	query := fmt.Sprintf(`
SELECT count(), countIf(state = 0), countIf(state = 1), countIf(state = 2), countIf(state = 3), countIf(state = 4),
    groupArrayIf(%[3]d)(hex(k), state IN (1, 2, 3))
FROM (
    SELECT k,
        countIf(mine) > 0 AND argMaxIf(gone, round, mine) = 0 AS has1, countIf(NOT mine) > 0 AND argMaxIf(gone, round, NOT mine) = 0 AS has2,
        maxIf(round, mine) AS r1, maxIf(round, NOT mine) AS r2,
        multiIf(
            NOT has1 AND NOT has2, 5,
            has1 AND has2 AND r1 = r2 AND argMaxIf(h, round, mine) = argMaxIf(h, round, NOT mine), 0,
            greatest(r1, r2) > %[2]d, 4,
            has1 AND has2, 1,
            has1, 2,
            3) AS state
    FROM (%[1]s)
    GROUP BY k
)
WHERE state != 5`, rows, uint64(max(upTo, 0)), max(examples, 1))
	c.Table = s.pair
	row := d.conn.QueryRow(clickhouse.Context(ctx, clickhouse.WithSettings(d.compareSettings())), query)
	err = row.Scan(&c.Rows, &c.Equal, &c.Different, &c.Missing, &c.Extra, &c.Newer, &differ)
	return c, differ, classify(ctx, "compare "+s.pair, err)
}

// examples reads the rows of keys that differ.
func (d *Database) examples(ctx context.Context, s shape, first, second streaming.Generation, keys []string) (list []RowDifference, err error) {
	text := func(columns []string) string {
		var out []string
		for _, c := range columns {
			if c == "state" { // bytes
				out = append(out, "hex("+c+")")
				continue
			}
			out = append(out, "ifNull(toString("+c+"), 'null')")
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	rows := s.both(fmt.Sprintf("generation = %d AS mine, hex(%s) AS k, %s AS keys, %s AS vals, %s AS round, is_deleted AS gone", first, s.keyHash(), text(s.key), text(s.values), roundOf),
		first, second, " AND hex("+s.keyHash()+") IN ('"+strings.Join(keys, "','")+"')")
	query := fmt.Sprintf(`
SELECT any(keys), if(argMaxIf(gone, round, mine) = 0, maxIf(round, mine), 0) AS r1, if(argMaxIf(gone, round, NOT mine) = 0, maxIf(round, NOT mine), 0) AS r2,
    argMaxIf(vals, round, mine), argMaxIf(vals, round, NOT mine)
FROM (%s) GROUP BY k ORDER BY any(keys)`, rows)
	answer, err := d.conn.Query(clickhouse.Context(ctx, clickhouse.WithSettings(d.compareSettings())), query)
	if err != nil {
		return nil, classify(ctx, "read differences of "+s.pair, err)
	}
	defer answer.Close()
	for answer.Next() {
		e, err := s.difference(answer)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, classify(ctx, "read differences of "+s.pair, answer.Err())
}

func (s shape) difference(rows driver.Rows) (e RowDifference, err error) {
	var key, one, two []string
	var r1, r2 uint64
	if err := rows.Scan(&key, &r1, &r2, &one, &two); err != nil {
		return e, err
	}
	e.First, e.Second = streaming.Round(r1), streaming.Round(r2)
	for i, name := range s.key {
		e.Key = append(e.Key, Column{name, key[i]})
	}
	if r1 == 0 || r2 == 0 {
		return e, nil
	}
	for i, name := range s.values {
		if i < len(one) && i < len(two) && one[i] != two[i] {
			e.Columns = append(e.Columns, ColumnPair{name, one[i], two[i]})
		}
	}
	return e, nil
}

// String is a line for people.
func (e RowDifference) String() string {
	var key []string
	for _, c := range e.Key {
		if c.Value != "" {
			key = append(key, c.Name+" "+c.Value)
		}
	}
	text := strings.Join(key, ", ")
	round := func(r streaming.Round) string { return r.Clock().Time().Format(time.RFC3339Nano) }
	switch {
	case e.First == 0:
		return text + ": there is no such row"
	case e.Second == 0:
		return text + ": it was not computed again"
	case e.First != e.Second:
		text += fmt.Sprintf(": version of %s, and of %s", round(e.First), round(e.Second))
	}
	for _, c := range e.Columns {
		text += fmt.Sprintf("; %s %s, and %s", c.Name, c.First, c.Second)
	}
	return text
}
