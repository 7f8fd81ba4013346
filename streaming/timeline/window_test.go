package timeline

import (
	"testing"

	"pgregory.net/rapid"
)

func TestCells(t *testing.T) {
	equal(t, "0", CellOf(0), 0)
	equal(t, "last of cell 0", CellOf(899_999), 0)
	equal(t, "first of cell 1", CellOf(900_000), 1)
	equal(t, "before 1970", CellOf(-1), -1)
	equal(t, "cell -1", Cell(-1).Window(), Window{-900_000, 0})
	equal(t, "2026-03-02T11:00Z", CellOf(at(t, "2026-03-02T11:00:00Z")).Start(), at(t, "2026-03-02T11:00:00Z"))
	rapid.Check(t, func(t *rapid.T) {
		m := Millis(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "m"))
		c := CellOf(m)
		if !(c.Start() <= m && m < c.End()) || c.End()-c.Start() != CellLength || CellOf(c.End()) != c+1 {
			t.Fatalf("%d is in cell %d %s", m, c, c.Window())
		}
	})
}

func TestWindow(t *testing.T) {
	w := Window{at(t, "2026-03-02T11:00:00Z"), at(t, "2026-03-02T12:00:00Z")}
	equal(t, "start", w.Contains(w.Start), true)
	equal(t, "end", w.Contains(w.End), false)
	equal(t, "before the end", w.Contains(w.End-1), true)
	equal(t, "length", w.Length(), Hour)
	equal(t, "string", w.String(), "[2026-03-02T11:00:00Z, 2026-03-02T12:00:00Z)")
	equal(t, "backwards", Window{5, 3}.Length(), 0)
	equal(t, "in common", w.Intersect(Window{w.Start + 1, w.End + 1}), Window{w.Start + 1, w.End})
	equal(t, "nothing in common", w.Intersect(Window{w.End, w.End + 1}).Empty(), true)
}

func TestWindowCells(t *testing.T) {
	for _, c := range []struct {
		w           Window
		first, last Cell
	}{
		{Window{0, Hour}, 0, 3},
		{Window{0, Hour + 1}, 0, 4},
		{Window{1, 2}, 0, 0},
		{Window{0, 0}, 0, -1},
		{Window{1, 1}, 0, -1},
		{Window{-Hour, 0}, -4, -1},
	} {
		first, last := c.w.Cells()
		equal(t, c.w.String()+" first", first, c.first)
		equal(t, c.w.String()+" last", last, c.last)
	}
}
