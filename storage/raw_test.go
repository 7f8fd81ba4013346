package storage

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func raw(t *testing.T, d *Database, q Raw) (string, error) {
	t.Helper()
	r, err := d.Raw(t.Context(), q)
	if err != nil {
		return "", err
	}
	defer r.Close()
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), nil
}

// An answer comes as ClickHouse writes it, in the format that was asked for.
func TestRawAnswersInAFormat(t *testing.T) {
	d, _ := open(t, nil)
	for format, want := range map[string]string{
		"":             "1\tx\n",
		"JSONEachRow":  `{"n":1,"s":"x"}` + "\n",
		"CSVWithNames": "\"n\",\"s\"\n1,\"x\"\n",
	} {
		if got, err := raw(t, d, Raw{Text: "SELECT {n:UInt8} AS n, 'x' AS s", Format: format, Params: map[string]string{"n": "1"}}); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", format, got, err, want)
		}
	}
	if got, err := raw(t, d, Raw{Text: "SELECT 1 AS n", Format: "Parquet"}); err != nil || !strings.HasPrefix(got, "PAR1") {
		t.Errorf("Parquet: %q, %v", got, err)
	}
}

// Nothing is changed by who did not ask to.
func TestRawReadsUnlessItIsToWrite(t *testing.T) {
	d, _ := open(t, nil)
	const insert = "INSERT INTO generations (generation, sequence) VALUES (1, 1)"
	for _, text := range []string{insert, "DROP TABLE generations", "CREATE TABLE x (n UInt8) ENGINE = MergeTree ORDER BY n"} {
		if got, err := raw(t, d, Raw{Text: text}); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %q, %v; want it to be refused", text, got, err)
		}
	}
	if _, err := raw(t, d, Raw{Text: insert, Write: true}); err != nil {
		t.Error(err)
	}
	if got, err := raw(t, d, Raw{Text: "SELECT count() FROM generations"}); got != "1\n" || err != nil {
		t.Errorf("%q, %v: want the one row that was written", got, err)
	}
	if _, err := raw(t, d, Raw{Text: "SELECT nothing FROM generations"}); !errors.Is(err, ErrSchema) {
		t.Errorf("a column that is not there: %v", err)
	}
}
