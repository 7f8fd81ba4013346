package storage

import (
	"testing"

	"pgregory.net/rapid"

	"meridian/metrics"
)

// One key stands in a batch once, as its newest version.
func TestBatchHoldsEachKeyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBatch(pointsTable)
		var rows []*metrics.Point
		for range rapid.IntRange(1, 60).Draw(t, "rows") {
			p := merged(rapid.SampledFrom([]string{"web", "core"}).Draw(t, "team"), at(rapid.IntRange(0, 2).Draw(t, "hour"), 0), 0,
				version(1, at(10, rapid.IntRange(0, 3).Draw(t, "version"))))
			p.Duplicates = int64(len(rows)) // tells rows of one version apart
			rows = append(rows, p)
			b.add(p)
		}
		want := newest(pointsTable, rows)
		if len(b.rows) != len(want) {
			t.Fatalf("%d rows, want %d", len(b.rows), len(want))
		}
		for _, p := range b.rows {
			if want[pointsTable.key(p)] != p {
				t.Errorf("the batch holds row %d of its key, want %d", p.Duplicates, want[pointsTable.key(p)].Duplicates)
			}
		}
	})
}

// Two generations may lie in one side and share no key.
func TestGenerationIsPartOfTheKey(t *testing.T) {
	b := newBatches(Live)
	for _, r := range []metrics.Row{
		merged("web", at(9, 0), 1, version(1, at(10, 0))), merged("web", at(9, 0), 1, version(2, at(10, 0))),
		&metrics.ObservationRow{Version: version(1, 0)}, &metrics.ObservationRow{Version: version(2, 0)},
		&metrics.QualityRow{Version: version(1, 0)}, &metrics.QualityRow{Version: version(2, 0)},
		&metrics.RejectRow{Version: version(1, 0)}, &metrics.RejectRow{Version: version(2, 0)},
		&metrics.CoverageRow{Version: version(1, 0)}, &metrics.CoverageRow{Version: version(2, 0)},
	} {
		if _, err := b.add(r); err != nil {
			t.Fatal(err)
		}
	}
	is(t, "rows", b.size(), 10)
}
