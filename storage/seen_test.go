package storage

import (
	"fmt"
	"testing"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// Every point that readers see comes once, from one of two generations, in months
// that are in order.
func TestSeen(t *testing.T) {
	d, _ := open(t, nil)
	r := d.NewReader()
	r.scanRows = 1 // each page is one row, so that pages meet everywhere
	seen := func(from, to timeline.Millis) (text string) {
		t.Helper()
		last := timeline.Millis(0)
		do(t, r.Seen(t.Context(), from, to, func(p *metrics.Point) error {
			if p.Start < last {
				t.Errorf("%s comes behind %s", p.Start, last)
			}
			last = p.Start
			text += fmt.Sprintf("%d of %d, ", p.N(), p.Version.Generation())
			return nil
		}))
		return text
	}
	if err := r.Seen(t.Context(), earliest, latest, nil); err != ErrNothingYet {
		t.Errorf("before the first generation: %v", err)
	}
	write(t, d, Live, ofAllTables(1, 1)...)
	current(t, d, 1, 1)
	is(t, "of one generation", seen(earliest, latest), "1 of 1, 1 of 1, 1 of 1, ")
	border := at(0, 0) - 40*timeline.Day // between the second and the third month
	do(t, d.Keep(t.Context(), 1, border))
	is(t, "kept, and not yet looked for there", seen(earliest, latest), "1 of 1, 1 of 1, 1 of 1, ")
	do(t, d.SetHistoryFrom(t.Context(), border))
	write(t, d, Replay, ofAllTables(2, 2)...)
	do(t, d.Promote(t.Context(), 2))
	current(t, d, 2, 2)
	is(t, "of two", seen(earliest, latest), "1 of 1, 2 of 2, 2 of 2, ")
	is(t, "from the border on", seen(border, latest), "2 of 2, 2 of 2, ")
	is(t, "before it", seen(earliest, border), "1 of 1, ")
}
