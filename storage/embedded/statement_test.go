package embedded

import (
	"slices"
	"testing"
)

func TestSplitInsert(t *testing.T) {
	for _, c := range []struct{ sql, statement, format, data string }{
		{"INSERT INTO t FORMAT Native", "INSERT INTO t ", "Native", ""},
		{"insert into `a.b`.t (n, `format`) settings x = 1 format CSV\n1;2\n\n3", "insert into `a.b`.t (n, `format`) settings x = 1 ", "CSV", "1;2\n\n3"},
		{"INSERT INTO t FORMAT TSV \r\n\n1", "INSERT INTO t ", "TSV", "\n1"},
		{"INSERT INTO t FORMAT JSONEachRow {\"n\": 1}", "INSERT INTO t ", "JSONEachRow", "{\"n\": 1}"},
		{"INSERT INTO t FORMAT TSV;\nx", "INSERT INTO t ", "TSV", "x"},
		{"-- FORMAT A\nINSERT /* FORMAT B */ INTO format FORMAT C\nx", "-- FORMAT A\nINSERT /* FORMAT B */ INTO format ", "C", "x"},
		{"INSERT INTO FUNCTION file('FORMAT x', 'CSV') FORMAT TSV", "INSERT INTO FUNCTION file('FORMAT x', 'CSV') ", "TSV", ""},
		{"INSERT INTO t (format) FORMAT Values (1)", "INSERT INTO t (format) ", "Values", "(1)"},
	} {
		in, ok := splitInsert([]byte(c.sql))
		if !ok || string(in.statement) != c.statement || in.format != c.format || string(in.data) != c.data {
			t.Errorf("%q: got %q %q %q %v", c.sql, in.statement, in.format, in.data, ok)
		}
	}
	for _, sql := range []string{
		"", "SELECT 1 FORMAT CSV", "INSERT INTO t VALUES (1)", "INSERT INTO t SELECT 1 FORMAT Null", "INSERT INTO t",
		"INSERT INTO t WITH 1 AS x SELECT x FORMAT Null", "INSERT INTO t VALUES ('FORMAT CSV')", "INSERT INTO t FORMAT", "INSERT INTO t 'unclosed FORMAT CSV",
	} {
		if in, ok := splitInsert([]byte(sql)); ok {
			t.Errorf("%q: taken apart as %+v", sql, in)
		}
	}
}

func TestStatements(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"", nil},
		{" -- nothing\n;; /* ; */", nil},
		{"SELECT ';', `;`, \";\", 'it''s;', 'a\\';' -- ;\n", []string{"SELECT"}},
		{"select 1;\nSET x = 1 ;", []string{"SELECT", "SET"}},
		{"SELECT 1; 'x'", []string{"SELECT", "'"}},
	} {
		if got := statements([]byte(c.sql)); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.sql, got, c.want)
		}
	}
}

func TestLeavesState(t *testing.T) {
	for sql, want := range map[string]bool{
		"SET x = 1": true, "USE system": true, "CREATE TEMPORARY TABLE t (n UInt8)": true, "CREATE OR REPLACE TEMPORARY TABLE t (n UInt8)": true,
		"CREATE TABLE t (n UInt8)": false, "SELECT 1": false, "INSERT INTO t VALUES (1)": false,
	} {
		if got := leavesState([]byte(sql), statements([]byte(sql))[0]); got != want {
			t.Errorf("%s: got %v, want %v", sql, got, want)
		}
	}
}

// Whatever comes, taking it apart loses no byte and ends.
func FuzzSplitInsert(f *testing.F) {
	f.Add("INSERT INTO t FORMAT CSV\n1,2")
	f.Add("INSERT INTO `t\\`` (a, \"b\") -- x\n/* */ FORMAT Native;\n\x00")
	f.Fuzz(func(t *testing.T, sql string) {
		statements([]byte(sql))
		in, ok := splitInsert([]byte(sql))
		if !ok {
			return
		}
		if in.format == "" || len(in.statement)+len("FORMAT")+len(in.format)+len(in.data) > len(sql) {
			t.Errorf("%q: %q %q %q", sql, in.statement, in.format, in.data)
		}
		if tail := sql[len(sql)-len(in.data):]; tail != string(in.data) {
			t.Errorf("%q: the data is %q and not its end", sql, in.data)
		}
	})
}
