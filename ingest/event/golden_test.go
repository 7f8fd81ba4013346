package event

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files of what is new")

// Records that some release wrote: every later one reads them and finds the
// same in them. Files are only ever added; the first are of the first log.
func TestRecordsOfThePast(t *testing.T) {
	if *update {
		for i, e := range samples() {
			file := filepath.Join("testdata", "records", fmt.Sprintf("1-%s.hex", e.Kind))
			if _, err := os.Stat(file); err == nil {
				continue // never written again
			}
			m := Message{Partition: 1, Offset: int64(i), Ordinal: 2, Routed: Routed{
				Copy: Home, Team: "web", Verdict: Accepted, Received: e.Time + 1500, LateAccepted: i%2 == 0, Clock: -9223372036854775808, Event: e,
				Service: "checkout", Services: []string{"checkout", "search"}, Production: true,
				Actor: Person{ID: PersonID{1, 2, 3}, Known: true}, Author: Person{ID: PersonID{4, 5, 6}},
				Act: &Act{Key: "k", Kind: ActReviewed, At: e.Time, Primary: true, Zone: "Asia/Ho_Chi_Minh", Known: ZoneInferred, Class: 1, Ignored: "bot"},
			}}
			text := hex.EncodeToString(AppendMessage(nil, &m)) + "\n" + describe(m) + "\n"
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := filepath.Glob("testdata/records/*.hex")
	if err != nil || len(files) < len(samples()) {
		t.Fatalf("%d records of the past, %v; golden files must not go away", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line, want, _ := strings.Cut(string(text), "\n")
		record, err := hex.DecodeString(line)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		m, err := DecodeMessage(record)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		// Lines of fields that are newer than the record are not in the file.
		got := "\n" + describe(m) + "\n"
		for field := range strings.Lines(want) {
			if !strings.Contains(got, "\n"+strings.TrimSuffix(field, "\n")+"\n") {
				t.Errorf("%s: %q is lost; the record now reads\n%s", file, field, got)
			}
		}
	}
}
