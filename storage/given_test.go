package storage

import (
	"testing"

	"meridian/metrics"
)

// What a revised row was when it was final comes back with it, and a row that was
// never revised says nothing.
func TestPoints_SayWhatTheyWere(t *testing.T) {
	d, _ := open(t, nil)
	current(t, d, 1, 1)
	revised, other := merged("a", at(9, 0), 3, version(1, at(12, 0))), merged("b", at(9, 0), 1, version(1, at(12, 0)))
	revised.Status, revised.Given = metrics.Revised, &metrics.Given{N: 2, Value: 1.5}
	write(t, d, Live, revised, other)
	points, err := d.NewReader().Points(t.Context(), metrics.Query{Grain: revised.Grain, From: at(0, 0), To: at(23, 0)})
	if err != nil || len(points) != 2 {
		t.Fatal(points, err)
	}
	if g := points[0].Given; g == nil || *g != *revised.Given {
		t.Errorf("it was %+v, want %+v", g, revised.Given)
	}
	if points[1].Given != nil {
		t.Errorf("a final row was %+v", points[1].Given)
	}
}
