package storage

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/clickhouse-go/v2"

	"meridian/metrics"
)

// What is written has the types that the tables have: ClickHouse would turn others
// into them, row by row.
func TestColumnsHaveTheTypesOfTheSchema(t *testing.T) {
	d, _ := open(t, nil)
	for name, heads := range map[string][]columnHead{
		"points": pointsTable.heads(), "observations": observationsTable.heads(), "quality": qualityTable.heads(),
		"rejects": rejectsTable.heads(), "coverage": coverageTable.heads(),
	} {
		rows, err := d.conn.Query(t.Context(), "SELECT name, type, is_in_sorting_key FROM system.columns WHERE database = currentDatabase() AND table = ? ORDER BY position", name+"_live")
		if err != nil {
			t.Fatal(err)
		}
		has, keys := map[string]string{}, map[string]bool{}
		for rows.Next() {
			var column, kind string
			var key uint8
			do(t, rows.Scan(&column, &kind, &key))
			has[column], keys[column] = kind, key == 1
		}
		do(t, rows.Err())
		written := 0
		for _, h := range heads {
			if has[h.name] != h.kind {
				t.Errorf("%s.%s is written as %s, and is %q", name, h.name, h.kind, has[h.name])
			}
			if keys[h.name] {
				written++
			}
		}
		if keyed := map[string]int{
			"points": pointsTable.keys, "observations": observationsTable.keys, "quality": qualityTable.keys, "rejects": rejectsTable.keys, "coverage": coverageTable.keys,
		}[name]; written != keyed {
			t.Errorf("%s is sorted by %d columns, and rows are told apart by %d", name, written, keyed)
		}
		for i, h := range heads {
			if keys[h.name] != (i < written) {
				t.Errorf("%s.%s: the columns of the key do not stand first", name, h.name)
			}
		}
	}
}

// More different words than a block's numbers hold make another block.
func TestManyWords(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	const n = 3*blockRows/2 + 7
	rows := make([]metrics.Row, n)
	for i := range rows {
		p := merged("web", at(0, 0), 0, version(1, at(10, 0)))
		p.Zone, p.Service = fmt.Sprint("zone", i), fmt.Sprint("service", i)
		rows[i] = p
	}
	write(t, d, Live, rows...)
	is(t, "rows", count(t, d, "SELECT count() FROM points_live WHERE substring(zone, 5) = substring(service, 8)"), n)
}

// A server that wants what it reads packed gets it in frames of its own kind. (The
// embedded one takes none.)
func TestPackedInserts(t *testing.T) {
	plain := []byte(strings.Repeat("rows and rows of them; ", 100_000))
	for _, method := range []clickhouse.CompressionMethod{clickhouse.CompressionLZ4, clickhouse.CompressionZSTD} {
		packed, err := io.ReadAll(newPacker(bytes.NewReader(plain), &clickhouse.Compression{Method: method}))
		do(t, err)
		back := make([]byte, len(plain))
		_, err = io.ReadFull(compress.NewReader(bytes.NewReader(packed)), back)
		do(t, err)
		if !bytes.Equal(back, plain) {
			t.Errorf("%v: other bytes came back", method)
		}
		if len(packed) > len(plain)/10 {
			t.Errorf("%v: %d bytes became %d", method, len(plain), len(packed))
		}
	}
}
