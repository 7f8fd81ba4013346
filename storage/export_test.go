package storage

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

func observations(t *testing.T, d *Database, g streaming.Generation, months int) {
	t.Helper()
	s := d.NewSink(Live, nil)
	stop := run(t, s)
	defer stop()
	var rows []metrics.Row
	for i := range months {
		rows = append(rows, &metrics.ObservationRow{Version: streaming.NewVersion(g, 1), Team: "web", Observation: metrics.Observation{
			Metric: "pr_pickup_time", At: timeline.Millis(1_772_445_600_000 + int64(i)*31*86_400_000), Entity: event.EntityID("github/repo/1/pr/" + string(rune('a'+i))),
			Outcome: metrics.Observed, Value: 1000, Person: event.PersonID{1, 2}, Label: "one, \"two\"",
		}})
	}
	if err := s.Put(t.Context(), 0, rows); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := d.SetCurrent(t.Context(), g, uint64(g)); err != nil {
		t.Fatal(err)
	}
}

// Evidence of several months comes out as one file, with one line of names, in the
// order of its time.
func TestEvidenceIsExported(t *testing.T) {
	d, _ := open(t, nil)
	var out bytes.Buffer
	all := func(format, header string) error {
		out.Reset()
		return d.Export(t.Context(), ExportEvidence, format, header, earliest, latest, &out)
	}
	if err := all("CSV", "CSVWithNames"); !errors.Is(err, ErrNothingYet) {
		t.Errorf("before the first generation: %v", err)
	}
	observations(t, d, 3, 4)

	if err := all("CSV", "CSVWithNames"); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(lines) != 5 || lines[0][0] != "metric" || lines[1][5] > lines[4][5] {
		t.Fatalf("%q, %v; want a line of names and four in order", lines, err)
	}
	if err := all("JSONEachRow", "JSONEachRow"); err != nil {
		t.Fatal(err)
	}
	text := strings.Split(strings.TrimSpace(out.String()), "\n")
	var row struct {
		Metric, At, Person, Label, Version string
		Value, Generation                  int64
	}
	if err := json.Unmarshal([]byte(text[0]), &row); err != nil || len(text) != 4 {
		t.Fatalf("%d lines, %v: %s", len(text), err, text[0])
	}
	if row.Metric != "pr_pickup_time" || row.At != "2026-03-02T10:00:00.000Z" || row.Person != "01020000000000000000000000000000" || row.Label != `one, "two"` ||
		row.Value != 1000 || row.Generation != 3 || row.Version != streaming.NewVersion(3, 1).String() {
		t.Errorf("a line is %s", text[0])
	}
	if err := all("Parquet", ""); err != nil || !bytes.HasPrefix(out.Bytes(), []byte("PAR1")) {
		t.Errorf("Parquet: %d bytes, %v", out.Len(), err)
	}
	out.Reset()
	if err := d.Export(t.Context(), ExportEvidence, "JSONEachRow", "JSONEachRow", 1_772_445_600_001, latest, &out); err != nil || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("from behind the first on: %q, %v; want three lines", out.String(), err)
	}
	if err := d.Export(t.Context(), ExportPoints, "JSONEachRow", "JSONEachRow", earliest, latest, &out); err != nil {
		t.Error(err)
	}
}
