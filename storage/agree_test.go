package storage

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/streaming"
)

func disagreements(t testing.TB, d *Database, g streaming.Generation) (rows uint64, list []Disagreement) {
	t.Helper()
	rows, err := d.Agree(t.Context(), g, func(x Disagreement) { list = append(list, x) })
	do(t, err)
	return rows, list
}

// Rows in any order, several versions of each key, tombstones: FINAL and the
// highest version by hand are the same, and a version that has two contents is
// found in whatever table it is.
func TestAgree(t *testing.T) {
	d, _ := open(t, nil)
	exec(t, d, "SYSTEM STOP MERGES points_live")
	exec(t, d, "SYSTEM STOP MERGES quality_live")
	random := rand.New(rand.NewPCG(3, 4))
	var rows []metrics.Row
	for v := range 5 {
		for _, r := range ofAllTables(1, 1) {
			switch r := r.(type) {
			case *metrics.Point:
				r.Version = version(1, at(10, v))
			case *metrics.ObservationRow:
				r.Version, r.Deleted = version(1, at(10, v)), random.IntN(3) == 0
			case *metrics.QualityRow:
				r.Version, r.Decoded = version(1, at(10, v)), int64(v)
			}
			rows = append(rows, r)
		}
	}
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for len(rows) > 0 {
		n := min(len(rows), 1+random.IntN(20))
		write(t, d, Live, rows[:n]...)
		rows = rows[n:]
	}
	current(t, d, 1, 1)
	n, list := disagreements(t, d, 1)
	is(t, "disagreements", fmt.Sprint(list), "[]")
	is(t, "rows", int(n), rowsIn(t, d, Live, 1))

	write(t, d, Live, &metrics.QualityRow{Version: version(1, at(10, 4)), Team: "web", Decoded: 77})
	write(t, d, Live, &metrics.QualityRow{Version: version(1, at(10, 4)), Team: "web", Decoded: 78})
	_, list = disagreements(t, d, 1)
	if len(list) != 1 || list[0].Table != "quality" || !strings.Contains(list[0].Key, "'web'") || !strings.Contains(list[0].Why, "2 contents") {
		t.Errorf("one version with two contents: %+v", list)
	}
}

// A scan gives every point once, in pages of any size, whatever the names are.
func TestScan(t *testing.T) {
	d, _ := open(t, nil)
	var rows []metrics.Row
	for i := range 40 {
		p := merged(fmt.Sprint("it's\t", i%3), at(i%24, 0), 1, version(1, at(10, 0)))
		p.Grain, p.Service = []metrics.Grain{metrics.Hour, metrics.Day, metrics.Day30}[i%3], fmt.Sprint("s", i%2)
		rows = append(rows, p)
	}
	write(t, d, Live, rows...)
	current(t, d, 1, 1)
	want := count(t, d, "SELECT count() FROM points_live FINAL")
	r := d.NewReader()
	for _, size := range []int{1, 7, 1000} {
		seen := map[string]bool{}
		r.scanRows = size
		do(t, r.Scan(t.Context(), 1, func(p *metrics.Point) error {
			key := string(p.AppendJSON(nil))
			if seen[key] {
				t.Errorf("pages of %d: %s comes twice", size, key)
			}
			seen[key] = true
			return nil
		}))
		is(t, fmt.Sprint("points in pages of ", size), len(seen), want)
	}
}
