package timeline

import (
	"slices"
	"testing"
)

// Every border of hours, days and 30 days is the border of a cell, for all zones
// over 1990 to 2040. Days have no exception; hours have those below, which changed
// their clocks at 00:01. Since 2012 Casey is the only one.
func TestBordersLieOnCells(t *testing.T) {
	first, last := MakeDate(1990, 1, 1), MakeDate(2041, 1, 1)
	odd := map[string][]string{}
	checked := 0
	for _, name := range allZones(t) {
		z := zoneNamed(t, name)
		for d := first; d < last; d++ {
			if m := z.Midnight(d); floorMod(m, CellLength) != 0 {
				t.Errorf("%s: %s begins at %s", name, d, m)
			}
		}
		for _, r := range z.runs.table {
			if r.end <= z.Midnight(first) || r.start >= z.Midnight(last) {
				continue
			}
			checked++
			if floorMod(r.offset, CellLength) != 0 {
				t.Errorf("%s: offset %s from %s", name, FormatLength(r.offset), r.start)
			}
			if r.start > z.Midnight(first) && floorMod(r.start, CellLength) != 0 {
				year, _, _ := z.Date(r.start).Civil()
				if year >= 2012 && name != "Antarctica/Casey" {
					t.Errorf("%s: a change at %s", name, r.start)
				}
				odd[name] = append(odd[name], r.start.String())
			}
		}
	}
	if checked < 10_000 {
		t.Fatalf("only %d runs were checked", checked)
	}
	casey := []string{"2020-10-03T16:01:00Z", "2021-10-02T16:01:00Z", "2022-10-01T16:01:00Z"}
	if !slices.Equal(odd["Antarctica/Casey"], casey) {
		t.Errorf("Casey's odd changes are at %v, want %v", odd["Antarctica/Casey"], casey)
	}
	for name := range odd {
		if !slices.Contains([]string{
			"Antarctica/Casey", "America/St_Johns", "Canada/Newfoundland", "America/Goose_Bay", "America/Moncton", "Asia/Gaza", "Asia/Hebron",
		}, name) {
			t.Errorf("%s: changes at %v", name, odd[name])
		}
	}
}

// The table says what time.Location says: the runs follow on each other, their
// offsets differ, and no change is missed.
func TestTheTableOfRuns(t *testing.T) {
	for _, name := range allZones(t) {
		z, loc := zoneNamed(t, name), location(t, name)
		offset := func(m Millis) Millis {
			_, seconds := m.Time().In(loc).Zone()
			return Millis(seconds) * Second
		}
		for i, r := range z.runs.table {
			if r.end != maxMillis && (offset(r.end-1) != r.offset || offset(r.end) == r.offset) {
				t.Errorf("%s: no change at %s", name, r.end)
			}
			if r.start != minMillis && (offset(r.start) != r.offset || offset(r.start-1) == r.offset) {
				t.Errorf("%s: no change at %s", name, r.start)
			}
			if i > 0 && (r.start != z.runs.table[i-1].end || r.offset == z.runs.table[i-1].offset) {
				t.Errorf("%s: the run at %s does not follow", name, r.start)
			}
			// 9 days find every run that the data have, Ramadan in Morocco included.
			for m := max(r.start, MakeDate(1960, 1, 1).local()); m < min(r.end, MakeDate(2110, 1, 1).local()); m += 9*Day - 5*Hour {
				if offset(m) != r.offset {
					t.Fatalf("%s: a change before %s is missed", name, m)
				}
			}
		}
	}
}

func TestRunsBehindTheTable(t *testing.T) {
	z := zoneNamed(t, "Europe/Berlin")
	summer := run{at(t, "2150-03-29T01:00:00Z"), at(t, "2150-10-25T01:00:00Z"), 2 * Hour}
	for _, m := range []Millis{summer.start, at(t, "2150-09-30T12:00:00Z"), summer.end - 1} {
		equal(t, m.String(), z.runs.at(m), summer)
	}
	// Over the last day of a leap year.
	winter := run{at(t, "2152-10-29T01:00:00Z"), at(t, "2153-03-25T01:00:00Z"), Hour}
	for _, m := range []Millis{winter.start, at(t, "2152-12-31T12:00:00Z"), winter.end - 1} {
		equal(t, m.String(), z.runs.at(m), winter)
	}
}
