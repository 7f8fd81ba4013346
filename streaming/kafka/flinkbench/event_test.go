package main

import (
	"testing"

	"pgregory.net/rapid"
)

// What the generator writes, the decoder reads; and it survives any bytes.
func TestRecords(t *testing.T) {
	m := makeHistory(5000, 1)
	var d decoder
	for i := range m.facts {
		f := &m.facts[i]
		e, tick, err := d.decode(m.record(f))
		if err != nil || tick {
			t.Fatalf("record %d: tick %v, %v", i, tick, err)
		}
		if e.id != f.id || e.time != f.time || e.kind != f.kind || e.offset != m.zone[f.person] || d.teams.list[e.team] != teamName(f.team) {
			t.Fatalf("record %d: %+v is read as %+v", i, *f, e)
		}
	}
	if e, tick, err := d.decode(tickRecord(historyStart)); err != nil || !tick || e.time != historyStart {
		t.Errorf("a tick is read as %+v, %v, %v", e, tick, err)
	}
	rapid.Check(t, func(t *rapid.T) { d.decode(rapid.SliceOf(rapid.Byte()).Draw(t, "record")) })
}
