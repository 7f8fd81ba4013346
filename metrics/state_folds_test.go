package metrics

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// A snapshot of the version before is read, and the next one is as if it had never been
// in that version.
func TestFoldsOfTheVersionBefore(t *testing.T) {
	config := benchConfig()
	end := timeline.UTC().Midnight(timeline.MakeDate(2026, 4, 3))
	config.HistoryEnd = streaming.RoundOf(end)
	saved := func(before bool) map[string][]byte {
		e, err := NewEngine(config)
		if err != nil {
			t.Fatal(err)
		}
		e.foldsBefore = before
		for _, r := range engineLog(benchScale{teams: 3, days: 30, copies: 6_000}) {
			e.Apply(0, r, nil)
		}
		e.Tick(end, streaming.NewVersion(1, config.HistoryEnd), func(Row) {})
		return sections(e)
	}
	before, now := saved(true), saved(false)
	size := func(sections map[string][]byte) (n int) {
		for name, data := range sections {
			if strings.HasPrefix(name, "folds/") {
				n += len(data)
			}
		}
		return n
	}
	if size(before) <= size(now) {
		t.Fatalf("folds of the version before take %d bytes, and %d now: the test tests nothing", size(before), size(now))
	}
	t.Logf("folds took %d bytes, and take %d", size(before), size(now))
	e, err := NewEngine(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Load(func(name string) ([]byte, error) { return before[name], nil }); err != nil {
		t.Fatal(err)
	}
	if got := sections(e); !maps.EqualFunc(got, now, bytes.Equal) {
		t.Error("loaded from the version before, an engine saves something else")
	}
}
