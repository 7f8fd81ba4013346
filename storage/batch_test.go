package storage

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// One key stands in a batch once, as its newest version, of equal ones as the last:
// whatever pieces its rows come in, and whatever kinds of columns they have.
func TestBatchHoldsEachKeyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBatches(Live)
		var rows []*metrics.Point
		for range rapid.IntRange(1, 8).Draw(t, "puts") {
			var put []metrics.Row
			for range rapid.IntRange(1, 20).Draw(t, "rows") {
				p := merged(rapid.SampledFrom([]string{"web", "core"}).Draw(t, "team"), at(rapid.IntRange(0, 2).Draw(t, "hour"), 0), len(rows)%3,
					version(1, at(10, rapid.IntRange(0, 3).Draw(t, "version"))))
				p.Duplicates = int64(len(rows)) // tells rows of one version apart
				p.Zone = rapid.SampledFrom([]string{"UTC", "Asia/Ho_Chi_Minh", "Europe/Berlin"}).Draw(t, "zone")
				rows = append(rows, p)
				put = append(put, p)
			}
			e, err := encode(put)
			if err != nil {
				t.Fatal(err)
			}
			b.join(e)
		}
		want := newest(rows)
		if b.size() != len(want) {
			t.Fatalf("%d rows, want %d", b.size(), len(want))
		}
		points := b.tables[pointsPlace]
		var got []int64
		for _, one := range points.blocks {
			one.settle(points.heads)
			duplicates, team, zone, value := one.columnOf(points, "duplicates"), one.columnOf(points, "team"), one.columnOf(points, "zone"), one.columnOf(points, "value")
			names := textsIn(t, zone.dict.texts)
			for i, name := range textsIn(t, team.data) {
				n := int64(binary.LittleEndian.Uint64(duplicates.data[8*i:]))
				p := rows[n]
				if name != p.Team || names[binary.LittleEndian.Uint16(zone.data[2*i:])] != p.Zone {
					t.Errorf("row %d is said to be of %q in %v, and is of %q in %q", n, name, names, p.Team, p.Zone)
				}
				if _, ok := p.Value(); ok != (value.nulls[i] == 0) {
					t.Errorf("whether row %d has a value: %v", n, value.nulls[i] == 0)
				}
				if want[KeyOf(p)] != p {
					t.Errorf("the batch holds row %d of its key, want %d", n, want[KeyOf(p)].Duplicates)
				}
				got = append(got, n)
			}
			if len(value.data) != 8*one.rows || len(value.nulls) != one.rows || len(duplicates.data) != 8*one.rows {
				t.Errorf("columns of other lengths than %d rows", one.rows)
			}
		}
		if len(got) != len(want) || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(want) {
			t.Errorf("rows %v, want %d different ones", got, len(want))
		}
	})
}

// columnOf is a column of a block by its name.
func (b *block) columnOf(in *batch, name string) *column {
	return &b.columns[slices.IndexFunc(in.heads, func(h columnHead) bool { return h.name == name })]
}

// textsIn are the values of a String column.
func textsIn(t interface{ Fatalf(string, ...any) }, b []byte) (list []string) {
	for len(b) > 0 {
		n, k := binary.Uvarint(b)
		if k <= 0 || uint64(len(b)-k) < n {
			t.Fatalf("a text is cut off")
		}
		list, b = append(list, string(b[k:k+int(n)])), b[k+int(n):]
	}
	return list
}

// Sets of windows are cut as the other columns are.
func TestBatchLeavesOutSets(t *testing.T) {
	b := newBatches(Live)
	put := func(rows ...metrics.Row) {
		e, err := encode(rows)
		if err != nil {
			t.Fatal(err)
		}
		b.join(e)
	}
	span := func(hours ...int) (c metrics.CoverageRow) {
		for _, h := range hours {
			c.Covered = append(c.Covered, timeline.Window{Start: at(h, 0), End: at(h, 30)})
		}
		return c
	}
	row := func(team string, minute int, c metrics.CoverageRow) *metrics.CoverageRow {
		c.Team, c.Version = team, version(1, at(10, minute))
		return &c
	}
	put(row("a", 0, span(1, 2)), row("b", 0, span(3)), row("c", 0, span()), row("d", 0, span(4, 5)))
	put(row("b", 1, span(6)), row("a", 1, span()))
	table := b.tables[coveragePlace]
	table.blocks[0].settle(table.heads)
	covered := table.blocks[0].columnOf(table, "covered")
	var ends, starts []int
	for i := 0; i < len(covered.data); i += 8 {
		ends = append(ends, int(binary.LittleEndian.Uint64(covered.data[i:])))
	}
	for i := 0; i < len(covered.first); i += 8 {
		starts = append(starts, int(int64(binary.LittleEndian.Uint64(covered.first[i:]))-int64(at(0, 0)))/3_600_000)
	}
	if !slices.Equal(ends, []int{0, 2}) || !slices.Equal(starts, []int{4, 5}) || len(covered.last) != 16 {
		t.Errorf("sets end at %v and start at %v, want [0 2] and [4 5]", ends, starts)
	}
}

// Two generations may lie in one side and share no key.
func TestGenerationIsPartOfTheKey(t *testing.T) {
	b := newBatches(Live)
	e, err := encode([]metrics.Row{
		merged("web", at(9, 0), 1, version(1, at(10, 0))), merged("web", at(9, 0), 1, version(2, at(10, 0))),
		&metrics.ObservationRow{Version: version(1, 0), Observation: metrics.Observation{Outcome: metrics.Observed}},
		&metrics.ObservationRow{Version: version(2, 0), Observation: metrics.Observation{Outcome: metrics.Observed}},
		&metrics.QualityRow{Version: version(1, 0)}, &metrics.QualityRow{Version: version(2, 0)},
		&metrics.RejectRow{Version: version(1, 0)}, &metrics.RejectRow{Version: version(2, 0)},
		&metrics.CoverageRow{Version: version(1, 0)}, &metrics.CoverageRow{Version: version(2, 0)},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.join(e)
	is(t, "rows", b.size(), 10)
}

// A point of a grain that no table has is refused when it is put, and not again
// and again when it is to be inserted.
func TestRowThatNoTableHolds(t *testing.T) {
	p := merged("web", at(9, 0), 1, version(1, at(10, 0)))
	p.Grain = metrics.Week
	if _, err := encode([]metrics.Row{p}); err == nil {
		t.Error("a point of a week has been taken")
	}
}
